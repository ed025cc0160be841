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

    /// Runs the stack here and there, and compares.
    ///
    /// - Returns: Whether it succeeds.
    private func compare(
        _ files: [String: String], in folder: String, with libpam: Libpam
    ) throws -> Bool {
        for (name, text) in files {
            let file = try #require(fopen("\(folder)/\(name)", "w"))
            fputs(text, file)
            fclose(file)
        }
        defer { for name in files.keys { unlink("\(folder)/\(name)") } }
        let stack = try #require(
            try ServiceFiles { path in
                files[path.hasPrefix(folder) ? String(path.dropFirst(folder.count + 1)) : path]
                    .map { .init(path: path, text: $0) }
            }.stack(of: "service", .auth))
        var steps: [String] = []
        let run = StackRun(stack) { _, line in
            guard line.name == "pam_debug" else { return .moduleUnknown }
            guard let answer = line.arguments.first else { return .success }
            steps.append(answer)
            return ModuleResult(rawValue: String(answer.dropFirst("auth=".count))) ?? .success
        }
        let expected = try #require(libpam.run("service", in: folder))
        try #require(steps == expected.steps, "\(files)")
        try #require(run.succeeds == expected.succeeds, "\(files)")
        return run.succeeds
    }

    private static func makeFolder() throws -> String {
        var template = Array("/tmp/vestry-stacks-XXXXXX".utf8CString)
        return String(cString: try #require(mkdtemp(&template)))
    }

    static let condition = Testing.ConditionTrait.enabled(
        if: Libpam() != nil, "libpam 1.4 or later with pam_debug is not installed")

    static let oddities = [
        "auth [success=maybe] pam_debug.so auth=success",
        "oauth required pam_debug.so auth=success",
        "auth required", "auth", "oauth", "session required", "session", "", "# nothing",
        "auth frob pam_debug.so auth=success", "AUTH Required pam_debug.so auth=success",
        "auth required pam_debug.so # auth=auth_err",
        "auth \\\n required \\\n pam_debug.so auth=ignore",
        "auth [success=1 \\\n default=ignore] pam_debug.so auth=success\nauth required pam_debug.so auth=auth_err",
        "auth required pam_gone.so", "-auth required pam_gone.so", "-auth optional pam_gone.so",
        "auth [success=ok module_unknown=ignore default=bad] pam_gone.so",
        "auth [success=0] pam_debug.so auth=success",
        "auth [ success=ok ] pam_debug.so auth=success",
        "auth [success = ok] pam_debug.so auth=success",
        "auth [success =ok default= bad] pam_debug.so auth=success",
        "# comment \\", "auth required pam_debug.so auth=success \\\n# comment\n auth=auth_err",
        "auth required pam_debug.so auth=success \\\n\n auth=auth_err",
        "-session required pam_gone.so",
        "account required pam_debug.so auth=auth_err",
        "auth sufficient pam_debug.so auth=success\noauth required pam_debug.so",
    ]

    @Test(condition, arguments: oddities)
    func oddLinesAreReadAsInLibpam(_ text: String) throws {
        let libpam = try #require(Libpam())
        let folder = try Self.makeFolder()
        defer { rmdir(folder) }
        let last = "auth required pam_debug.so auth=success"
        let other = ["other": "auth required pam_deny.so\n"]
        for service in ["\(text)\n\(last)\n", "\(last)\n\(text)\n"] {
            _ = try compare(other.merging(["service": service]) { $1 }, in: folder, with: libpam)
        }
    }

    @Test(condition)
    func stacksRunAsInLibpam() throws {
        let libpam = try #require(Libpam())
        let folder = try Self.makeFolder()
        defer { rmdir(folder) }
        var random = Generator(state: 4)
        var successCount = 0
        for _ in 0..<600 {
            let files = Self.files(in: folder, &random)
            successCount += try compare(files, in: folder, with: libpam) ? 1 : 0
        }
        // Neither all nor nothing.
        #expect((100...500).contains(successCount))
    }
}
