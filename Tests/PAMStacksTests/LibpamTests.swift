import Glibc
import Testing

@testable import PAMStacks

/// Stacks of all shapes run here as they run in libpam itself.
@Suite struct LibpamTests {
    private static let results = [
        "success", "auth_err", "user_unknown", "ignore", "authinfo_unavail",
    ]
    private static let actions = ["ignore", "ok", "done", "bad", "die", "reset", "1", "2", "3"]
    private static let keywords = ["required", "requisite", "sufficient", "optional"]

    /// The same stacks at each run (SplitMix64).
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    private static func control(_ random: inout Generator) -> String {
        guard Bool.random(using: &random) else {
            return keywords.randomElement(using: &random) ?? ""
        }
        let named = (results + ["default"]).filter { _ in Bool.random(using: &random) }
        let pairs = named.map { "\($0)=\(actions.randomElement(using: &random) ?? "")" }
        return "[" + pairs.joined(separator: " ") + "]"
    }

    /// The files of one machine: a service, and two that it may include, the second from the first.
    ///
    /// Included by their paths: libpam 1.5 looks for names in /etc/pam.d whatever its folder is.
    private static func files(
        in folder: String, _ random: inout Generator
    ) -> [String: String] {
        var files = ["other": "auth required pam_deny.so\n"]
        for (name, included) in [
            ("service", ["first", "second"]), ("first", ["second"]), ("second", []),
        ] {
            var text = ""
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                if let file = included.randomElement(using: &random),
                    Int.random(in: 0..<4, using: &random) == 0
                {
                    let word = ["auth include", "auth substack", "@include"]
                    text += "\(word.randomElement(using: &random) ?? "") \(folder)/\(file)\n"
                } else {
                    let result =
                        Bool.random(using: &random)
                        ? "success" : results.randomElement(using: &random) ?? ""
                    text += "auth \(control(&random)) pam_debug.so auth=\(result)\n"
                }
            }
            files[name] = text
        }
        return files
    }

    @Test(.enabled(if: Libpam() != nil, "libpam 1.4 or later with pam_debug is not installed"))
    func stacksRunAsInLibpam() throws {
        let libpam = try #require(Libpam())
        var template = Array("/tmp/vestry-stacks-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        var random = Generator(state: 4)
        var successCount = 0
        for _ in 0..<600 {
            let files = Self.files(in: folder, &random)
            for (name, text) in files {
                let file = try #require(fopen("\(folder)/\(name)", "w"))
                fputs(text, file)
                fclose(file)
            }
            let stack = try #require(
                try ServiceFiles { path in
                    files[path.hasPrefix(folder) ? String(path.dropFirst(folder.count + 1)) : path]
                        .map { .init(path: path, text: $0) }
                }.stack(of: "service", .auth))
            var steps: [String] = []
            let run = StackRun(stack) { _, line in
                steps += line.arguments
                return line.arguments.last.flatMap {
                    ModuleResult(rawValue: String($0.dropFirst(5)))
                }
                    ?? .success
            }
            let expected = try #require(libpam.run("service", in: folder))
            try #require(steps == expected.steps, "\(files)")
            try #require(run.succeeds == expected.succeeds, "\(files)")
            successCount += run.succeeds ? 1 : 0
        }
        // Neither all nor nothing.
        #expect((100...500).contains(successCount))
        for name in ["service", "first", "second", "other"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }
}
