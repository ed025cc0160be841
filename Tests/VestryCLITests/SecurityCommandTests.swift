import SecureMemory
import Testing
import Vestry

@testable import VestryCLI

@Suite struct SecurityCommandTests {
    private func command(_ arguments: [String]) throws -> SecurityCommand {
        guard case .runSecurity(let command) = try Invocation(parsing: ["security"] + arguments)
        else { throw UsageError("another command") }
        return command
    }

    @Test func optionsFollowTheRulesOfGetopt() throws {
        let variants = [
            ["find-generic-password", "-w", "-s", "S", "-a", "A", "login.keychain"],
            ["find-generic-password", "-wsS", "-aA", "login.keychain"],
            ["find-generic-password", "-s", "S", "-w", "-a", "A", "--", "login.keychain"],
        ]
        for arguments in variants {
            let parsed = try command(arguments).arguments
            #expect(parsed.values == ["s": "S", "a": "A"])
            #expect(parsed.flags == ["w"])
            #expect(parsed.operands == ["login.keychain"])
        }
    }

    @Test func aLastWWithoutValueAsks() throws {
        let add = ["add-generic-password", "-a", "A", "-s", "S"]
        #expect(try command(add + ["-w"]).arguments.asksForPassword)
        #expect(try command(add + ["-w", "P"]).arguments.values["w"] == "P")
        #expect(try !command(add).arguments.hasPassword)
    }

    @Test func aValueMayBeginWithADash() throws {
        let add = ["add-generic-password", "-a", "-x", "-s", "S", "-w", "-p"]
        #expect(try command(add).arguments.values == ["a": "-x", "s": "S", "w": "-p"])
    }

    static let refusals: [([String], Int32, String)] = [
        ([], 2, "no command"), (["frob"], 1, "security: unknown command \"frob\""),
        (["find-generic-password", "-z"], 2, "illegal option -- z"),
        (["find-generic-password", "-s"], 2, "option requires an argument -- s"),
        (["find-generic-password", "-h"], 2, "usage: vestry security find-generic-password"),
        (["find-generic-password", "-r", "htps"], 2, "illegal option -- r"),
        (["add-generic-password", "-s", "S"], 2, "-a is missing"),
        (["add-generic-password", "-a", "A"], 2, "-s is missing"),
        (["add-generic-password", "-a", "A", "-s", "S", "-p", "hunter2"], 2, "give -w last"),
        (["add-generic-password", "-a", "A", "-s", "S", "-C", "abc"], 1, "exactly 4 characters"),
        (["find-internet-password", "-P", "x"], 2, "-P needs a number"),
        (["find-internet-password", "-G", "x"], 2, "illegal option -- G"),
    ]

    @Test(arguments: refusals)
    func refuses(_ arguments: [String], _ status: Int32, _ words: String) {
        #expect {
            _ = try Invocation(parsing: ["security"] + arguments)
        } throws: {
            guard let failure = $0 as? SecurityFailure else { return false }
            return failure.status == status && failure.message.contains(words)
                && !failure.message.contains("hunter2")
        }
    }

    /// The low bytes of Apple's numbers, which its tool exits with.
    @Test func exitStatusesAreApples() {
        let table: [(VestryError.Code, Int32, String)] = [
            (.itemNotFound, 44, "The specified item could not be found in the keychain."),
            (.duplicateItem, 45, "The specified item already exists in the keychain."),
            (.locked, 36, "User interaction is not allowed."),
            (.wrongPassword, 51, "The user name or passphrase you entered is not correct."),
            (.noSuchKeychain, 50, "The specified keychain could not be found."),
        ]
        for (code, status, text) in table {
            let failure = SecurityFailure("SecKeychainSearchCopyNext", VestryError(code))
            #expect(failure.status == status)
            #expect(failure.message == "security: SecKeychainSearchCopyNext: \(text)")
        }
        #expect(SecurityFailure("x", VestryError(.init(rawValue: -256))).status == 1)
    }

    @Test func namesAloneCountWhereAllOfThemAreGiven() throws {
        let both = try command(["find-generic-password", "-a", "A", "-s", "S", "-l", "L"])
        #expect(both.query.attributes == [.account: "A", .service: "S"])
        let one = try command(["find-generic-password", "-s", "S", "-l", "L"])
        #expect(one.query.attributes == [.label: "L", .service: "S"])
    }

    private func text(_ secret: borrowing SecretBytes) -> String {
        secret.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }

    @Test func buffersArePrintedAsTheOriginalDoes() {
        let table: [([UInt8], String)] = [
            ([], "\"\""), (Array("plain \"x\"".utf8), "\"plain \"x\"\""),
            ([0, 0, 0, 0x50], "0x00000050  \"\\000\\000\\000P\""), ([0, 0], "0x0000 "),
            (Array("a\\b".utf8), "0x615C62  \"a\\134b\""),
            (Array("é\n".utf8), "0xC3A90A "),
            (
                Array("20240710105314Z\0".utf8),
                "0x32303234303731303130353331345A00  \"20240710105314Z\\000\""
            ),
        ]
        for (bytes, expected) in table {
            #expect(text(SecurityText.buffer(bytes.span)) == expected)
        }
    }

    @Test func passwordsAreTextOrHexadecimal() {
        let table: [([UInt8], String)] = [
            ([], "\n"), (Array("a\\b c".utf8), "a\\b c\n"), (Array("é".utf8), "c3a9\n"),
            (Array("a\nb".utf8), "610a62\n"), ([0xFF, 0x0A], "ff0a\n"),
        ]
        for (bytes, expected) in table {
            #expect(text(SecurityText.passwordLine(bytes.span)) == expected)
        }
    }
}
