import SecureMemory
import Testing
import Vestry

@testable import VestryCLI

@Suite struct OutputTests {
    @Test func jsonStringsAreEscaped() {
        let table = [
            ("", "\"\""), ("a\"b\\c/", "\"a\\\"b\\\\c/\""),
            ("\u{8}\u{C}\n\r\t", "\"\\b\\f\\n\\r\\t\""),
            ("\u{0}\u{1F}\u{7F}\u{9B}", "\"\\u0000\\u001f\\u007f\\u009b\""),
            ("\u{2028}", "\"\\u2028\""), ("é漢🗝", "\"é漢🗝\""), ("\r\n", "\"\\r\\n\""),
        ]
        for (string, expected) in table { #expect(JSON.string(string).text == expected) }
    }

    @Test func jsonKeepsOrderAndShape() {
        let value = JSON.object([
            .init("b", .array([.null, .number(-1), .array([])])), .init("a", .object([])),
        ])
        #expect(value.text == #"{"b":[null,-1,[]],"a":{}}"#)
    }

    @Test func namesCannotCommandTheTerminal() {
        let table = [
            ("plain é漢🗝", "plain é漢🗝"), ("a\tb", "a\\tb"), ("a\\tb", "a\\\\tb"),
            ("\r\n", "\\r\\n"), ("\u{1B}[2J", "\\u{1B}[2J"), ("\u{0}", "\\u{0}"),
            ("\u{9B}", "\\u{9B}"), ("\u{202E}x", "\\u{202E}x"), ("\u{2028}", "\\u{2028}"),
            ("e\u{301}", "e\u{301}"),
        ]
        for (name, expected) in table {
            #expect(name.escapedForTerminal.utf8.elementsEqual(expected.utf8))
        }
    }

    static let codes: [(VestryError.Code, VestryCLI.ExitStatus)] = [
        (.itemNotFound, .notFound), (.noSuchKeychain, .notFound), (.locked, .locked),
        (.wrongPassword, .mismatch), (.damaged, .damaged), (.itemDamaged, .damaged),
        (.duplicateItem, .duplicate), (.denied, .denied), (.notAvailable, .unavailable),
        (.quotaExceeded, .unavailable), (.newerFormat, .unavailable), (.cancelled, .cancelled),
        (.busy, .timedOut), (.timedOut, .timedOut), (.parameter, .usage),
        (.dataTooLarge, .failure), (.diskFull, .failure), (.readOnly, .failure),
        (.inputOutput, .failure), (.outOfMemory, .failure),
        (.serviceNotAvailable, .unavailable), (.missingEntitlement, .denied),
        (.readOnlyAttribute, .usage), (.unimplemented, .failure), (.conversion, .failure),
        (.backupDamaged, .damaged), (.fileExists, .duplicate),
    ]

    @Test func eachCodeHasItsExitStatusAndAHint() {
        for (code, status) in Self.codes {
            let failure = Failure(VestryError(code))
            #expect(failure.status == status)
            #expect(!failure.hint.isEmpty)
            #expect(Failure.table[code] != nil)
            #expect(failure.code == code)
            // Its own name, and not that of the exit status.
            #expect(
                Set(Self.codes.map { Failure(VestryError($0.0)).name }).count == Self.codes.count)
        }
        #expect(Failure.table.count == Self.codes.count)
        #expect(Failure(VestryError(.init(rawValue: -1))).status == .failure)
    }

    @Test func exitStatusesAreTheDocumentedNumbers() {
        let numbers: [(VestryCLI.ExitStatus, Int32)] = [
            (.done, 0), (.failure, 1), (.usage, 2), (.notFound, 3), (.locked, 4), (.mismatch, 5),
            (.damaged, 6), (.duplicate, 7), (.denied, 8), (.unavailable, 9), (.cancelled, 10),
            (.timedOut, 11),
        ]
        for (status, number) in numbers { #expect(status.rawValue == number) }
    }

    @Test func exactlyOneLineEndIsDroppedFromAPassword() {
        let table = [
            ("", ""), ("\n", ""), ("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"),
            ("a\r\n\r\n", "a\r\n"), ("a\r", "a\r"), ("\r\n", ""), ("a \n", "a "), ("\na", "\na"),
        ]
        for (given, expected) in table {
            let secret = SecretInput.droppingLineEnd(SecretBytes(copying: Array(given.utf8).span))
            let matches = secret.constantTimeEquals(SecretBytes(copying: Array(expected.utf8).span))
            #expect(matches, "\(given.escapedForTerminal)")
        }
    }
}
