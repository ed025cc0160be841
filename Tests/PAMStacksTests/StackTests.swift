import Testing

@testable import PAMStacks

@Suite struct StackTests {
    /// A stack of one group, in which a module answers what its name says.
    private func run(_ text: String, _ more: [String: String] = [:]) throws -> StackRun {
        let files = more.merging(["service": text]) { $1 }
        let stack = try #require(
            try ServiceFiles { name in files[name].map { .init(path: name, text: $0) } }
                .stack(of: "service", .auth))
        return StackRun(stack) { _, line in ModuleResult(rawValue: line.name) ?? .success }
    }

    static let runs: [(String, String, ran: [Int], succeeds: Bool)] = [
        ("nothing", "", [], false),
        ("required", "auth required success", [0], true),
        ("a failure goes on", "auth required auth_err\nauth required success", [0, 1], false),
        ("requisite", "auth requisite auth_err\nauth required success", [0], false),
        ("sufficient", "auth sufficient success\nauth required auth_err", [0], true),
        (
            "sufficient after a failure",
            "auth required auth_err\nauth sufficient success\n"
                + "auth required success", [0, 1, 2], false
        ),
        ("sufficient fails", "auth sufficient auth_err\nauth required success", [0, 1], true),
        ("optional alone", "auth optional success", [0], true),
        ("optional alone fails", "auth optional auth_err", [0], false),
        ("ignored is no success", "auth required ignore", [0], false),
        ("ignored and done", "auth [default=done] ignore\nauth required success", [0], false),
        (
            "a jump",
            "auth [success=1 default=ignore] success\nauth requisite auth_err\n"
                + "auth required success", [0, 2], true
        ),
        ("a jump is no success", "auth [success=1] success\nauth required auth_err", [0], false),
        ("a jump past the end", "auth required success\nauth [success=2] success", [0, 1], false),
        (
            "a jump to the end",
            "auth required success\nauth [success=1] success\nauth required auth_err",
            [0, 1], true
        ),
        (
            "unnamed results are bad", "auth [success=ok] auth_err\nauth required success", [0, 1],
            false
        ),
        ("die", "auth [success=ok default=die] auth_err\nauth required success", [0], false),
        (
            "reset", "auth required auth_err\nauth [default=reset] success\nauth required success",
            [0, 1, 2], true
        ),
        ("ok of a failure", "auth [default=ok] auth_err\nauth required success", [0, 1], false),
        ("done of a failure", "auth [default=done] auth_err\nauth required success", [0], false),
        ("malformed control", "auth [success=maybe] success", [0], false),
        ("malformed type", "oauth required success\nauth required success", [1], false),
        ("case", "AUTH Required success", [0], true),
        ("other groups", "account required auth_err\nauth required success", [0], true),
    ]

    @Test(arguments: runs)
    func runsAsLibpamDoes(_ name: String, _ text: String, ran: [Int], succeeds: Bool) throws {
        let run = try run(text)
        #expect(run.steps.map(\.index) == ran)
        #expect(run.succeeds == succeeds)
    }

    @Test func anIncludeIsPartOfItsStack() throws {
        let run = try run(
            "auth include other\nauth required auth_err",
            ["other": "auth sufficient success\nsession required auth_err"])
        #expect(run.steps.map(\.index) == [0])
        #expect(run.succeeds)
    }

    @Test func anEndInASubstackEndsOnlyThat() throws {
        let run = try run(
            "auth substack other\nauth required auth_err",
            ["other": "auth sufficient success\nauth required auth_err"])
        // Entry 0 is the head.
        #expect(run.steps.map(\.index) == [1, 3])
        #expect(!run.succeeds)
    }

    @Test func aSubstackCountsAsOneLineOfAJump() throws {
        let other = "auth required auth_err\nauth required auth_err"
        let run = try run(
            "auth [success=1] success\nauth substack other\nauth required success",
            ["other": other])
        #expect(run.steps.map(\.index) == [0, 4])
        #expect(run.succeeds)
    }

    @Test func aJumpStaysInItsSubstack() throws {
        let run = try run(
            "auth substack other\nauth required success",
            ["other": "auth required success\nauth [success=1] success"])
        #expect(run.steps.map(\.index) == [1, 2, 3])
        #expect(!run.succeeds)
    }

    @Test func aResetInASubstackKeepsWhatWasBeforeIt() throws {
        let run = try run(
            "auth required success\nauth substack other",
            ["other": "auth required auth_err\nauth [default=reset] success"])
        #expect(run.succeeds)
    }

    @Test func includesOfAllGroupsAndPathsAreFollowed() throws {
        let files = ["service": "@include /a/file", "/a/file": "auth required pam_permit.so"]
        let stack = try ServiceFiles { name in files[name].map { .init(path: name, text: $0) } }
            .stack(of: "service", .auth)
        #expect(stack?.entries.map(\.place) == [Place(path: "/a/file", line: 1)])
    }

    @Test func whatIsMissingOrGoesRoundIsRefused() {
        let files = ["round": "auth include round", "missing": "\n@include nobody"]
        let service = ServiceFiles { name in files[name].map { .init(path: name, text: $0) } }
        #expect(throws: StackError.tooDeep(at: Place(path: "round", line: 1))) {
            try service.stack(of: "round", .auth)
        }
        #expect(throws: StackError.missingFile("nobody", at: Place(path: "missing", line: 2))) {
            try service.stack(of: "missing", .session)
        }
        // An include of another group is not followed.
        #expect(throws: Never.self) { try service.stack(of: "round", .session) }
    }

    @Test func linesAreReadAsLibpamReadsThem() throws {
        let text = """
            # auth required a.so
            auth\trequired  b.so  one [two words] # three

            -auth  [success=1 \\
                default=ignore]   \\
              c.so \\
              four
            \tauth optional /lib/security/pam_d.so\r
            auth required
            """
        let stack = try #require(
            try ServiceFiles { _ in .init(path: "f", text: text) }.stack(of: "s", .auth))
        let lines = stack.entries.map(\.line)
        #expect(stack.entries.map(\.place.line) == [2, 4, 8, 9])
        #expect(lines[1]?.group == .auth)
        #expect(lines[0]?.arguments == ["one", "[two words]"])
        #expect(lines[1]?.arguments == ["four"])
        #expect(lines[1]?.control == Control(parsing: "[success=1 default=ignore]"))
        #expect(lines[2]?.name == "pam_d")
        #expect(lines[3] == nil)
    }

    static let controls = [
        "[success=0]", "[success=-1]", "[]", "[success=ok=ok]", "[success ok=ok]", "[ok success=]",
        "[success]", "[=ok]", "[frob=ok]", "required=",
        "[success=ok",
        "include", "", "[success=99999999999999999999]",
    ]

    @Test(arguments: controls)
    func refusesTheControl(_ text: String) {
        #expect(Control(parsing: text) == nil)
    }
}
