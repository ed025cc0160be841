import SecureMemory
import Testing

@testable import VestryCLI

@Suite struct AssuanTests {
    static let lines: [(String, AssuanLine)] = [
        ("OK", .done), ("OK Pleased to meet you", .done), ("OKAY", .other), ("ok", .other),
        ("D ", .data), ("D x", .data), ("D", .other), ("Dx", .other),
        ("S", .other), ("S x", .remark), ("#", .remark), ("# x", .remark), ("", .other),
        ("INQUIRE QUALITY", .other), ("END", .other), (" OK", .other),
        ("ERR 99", .failure(.init(code: 99, text: ""))),
        ("ERR 83886179 a b", .failure(.init(code: 83_886_179, text: "a b"))),
        ("ERR 4294967295 ", .failure(.init(code: .max, text: ""))),
        ("ERR 4294967296", .other), ("ERR -1", .other), ("ERR x", .other), ("ERR ", .other),
        ("ERR", .other),
    ]

    @Test(arguments: lines)
    func linesAreToldApart(_ text: String, _ expected: AssuanLine) {
        let line = AssuanLine(Array(text.utf8).span)
        #expect(line == expected)
    }

    @Test func refusalsHaveTheirReasonWhoeverSaysSo() {
        let table: [(code: UInt32, isCancelled: Bool, isTimeout: Bool)] = [
            (99, true, false), (83_886_179, true, false), (83_886_278, true, false),
            (62, false, true), (83_886_142, false, true), (83_918_950, false, false),
            (0x63_0000, false, false),
        ]
        for (code, isCancelled, isTimeout) in table {
            let refusal = AssuanRefusal(code: code, text: "")
            #expect(refusal.isCancelled == isCancelled)
            #expect(refusal.isTimeout == isTimeout)
        }
    }

    private func isComplete(_ bytes: [UInt8]) throws(AssuanError) -> Bool {
        try AssuanAnswer.isComplete(bytes.span)
    }

    private func data(of answer: String) throws(AssuanError) -> [UInt8] {
        let data = try AssuanAnswer.data(of: SecretBytes(copying: Array(answer.utf8).span))
        return data.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    static let answers: [(String, String)] = [
        ("OK\n", ""), ("D \nOK\n", ""), ("D pass word \nOK\n", "pass word "),
        ("D 100%25%0a%0D\nOK\n", "100%\n\r"), ("D a\nD b\nD c\nOK\n", "abc"),
        ("# D x\nS D x\nD a\nS PIN_REPEATED\nOK done\n", "a"), ("D a\r\nOK\r\n", "a"),
        ("D ü漢%c3%bc🗝\nOK\n", "ü漢ü🗝"), ("D %00\nOK\n", "\0"), ("D D \nOK\n", "D "),
        // The bytes of one character may come in two lines.
        ("D %C3\nD %BC\nOK\n", "ü"), ("D a\rb\nOK\n", "a\rb"),
    ]

    @Test(arguments: answers)
    func dataIsDecodedAndJoined(_ answer: String, _ expected: String) throws {
        #expect(try isComplete(Array(answer.utf8)))
        #expect(try data(of: answer) == Array(expected.utf8))
    }

    @Test(arguments: answers)
    func noTruncationIsAnAnswer(_ answer: String, _: String) throws {
        let bytes = Array(answer.utf8)
        for count in 0..<bytes.count {
            #expect(try !isComplete(Array(bytes[..<count])))
        }
    }

    @Test(arguments: ["%", "%2", "%x5", "%5x", "%%", "a%", "% 5", "%+5"])
    func wrongEncodingsAreRefused(_ text: String) {
        #expect(throws: AssuanError.malformed) { try data(of: "D \(text)\nOK\n") }
    }

    @Test func aRefusalIsNoDataAlsoAfterSome() {
        #expect(throws: AssuanError.refused(AssuanRefusal(code: 99, text: "no"))) {
            try data(of: "D half\nERR 99 no\n")
        }
    }

    @Test(arguments: ["x\n", "\n", "OK\nD x\n", "OK\n\n", "D x\nGETPIN\n", "ERR\n"])
    func whatIsNoAnswerIsRefusedAtOnce(_ text: String) {
        #expect(throws: AssuanError.malformed) {
            try isComplete(Array(text.utf8))
        }
    }

    @Test func aLineHasAtMostAThousandBytes() throws {
        let longest = "D " + String(repeating: "x", count: 998)
        for end in ["\n", "\r\n"] {
            #expect(try isComplete(Array((longest + end + "OK\n").utf8)))
            #expect(throws: AssuanError.malformed) {
                try isComplete(Array((longest + "x" + end).utf8))
            }
        }
        #expect(try !isComplete(Array((longest + "\r").utf8)))
        #expect(throws: AssuanError.malformed) {
            try isComplete(Array((longest + "xx").utf8))
        }
    }

    @Test(
        arguments: [
            ("", "SETDESC\n"), ("a b", "SETDESC a b\n"),
            ("100%\r\nü", "SETDESC 100%25%0D%0Aü\n"), ("%0A", "SETDESC %250A\n"),
        ])
    func textsAreEncoded(_ text: String, _ expected: String) {
        #expect(AssuanCommand.line("SETDESC", text) == Array(expected.utf8))
    }

    @Test func textsAreCutBetweenCharacters() {
        // "SETDESC " has 8 bytes.
        for (unit, encoded, count) in [("x", "x", 992), ("%", "%25", 330), ("漢", "漢", 330)] {
            let line = AssuanCommand.line("SETDESC", String(repeating: unit, count: 1000))
            let expected = "SETDESC " + String(repeating: encoded, count: count) + "\n"
            #expect(line == Array(expected.utf8))
        }
    }

    @Test func optionsAreSaidAsTheyAreOrNotAtAll() {
        #expect(
            AssuanCommand.option("display", "[::1%lo]:0")
                == Array("OPTION display=[::1%lo]:0\n".utf8))
        let longest = String(repeating: "x", count: 1000 - "OPTION display=".utf8.count)
        #expect(AssuanCommand.option("display", longest) != nil)
        for value in ["", ":0\nGETPIN", ":0\r", "\u{1B}", longest + "x"] {
            #expect(AssuanCommand.option("display", value) == nil)
        }
    }
}
