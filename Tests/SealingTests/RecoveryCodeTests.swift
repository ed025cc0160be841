import SecureMemory
import TestSupport
import Testing

@testable import Sealing

@Suite struct RecoveryCodeTests {
    func text(_ code: borrowing RecoveryCode) -> String {
        String(decoding: code.text.exposed, as: UTF8.self)
    }

    func secret(_ text: String) throws(RecoveryCodeError) -> [UInt8] {
        try RecoveryCode(parsing: SecretBytes(text)).secret.exposed
    }

    /// Worked out apart from this code, in Python: int(n) in base 32, and n % 37.
    static let vectors: [([UInt8], String)] = [
        (
            [UInt8](repeating: 0, count: 32),
            "0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0"
        ),
        (
            [UInt8](repeating: 0, count: 31) + [36],
            "0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0014-U"
        ),
        (
            [UInt8](repeating: 255, count: 32),
            "1ZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-F"
        ),
        (
            Array(0..<32),
            "0001-081G-8186-0W40-J2GB-1G6G-W3RG-2491-650N-2RBH-G68T-3CE1-T7GZ-2"
        ),
    ]

    @Test(arguments: vectors)
    func hasItsWrittenForm(_ bytes: [UInt8], _ written: String) throws {
        #expect(try secret(written) == bytes)
        let code = try RecoveryCode(parsing: SecretBytes(written))
        #expect(text(code) == written)
    }

    @Test func readsBackWhatItWrote() throws {
        for _ in 0..<50 {
            let code = RecoveryCode.random()
            #expect(try secret(text(code)) == code.secret.exposed)
            #expect(code.text.count == RecoveryCode.textByteCount)
        }
    }

    @Test func forgivesCaseLookalikesAndSeparators() throws {
        let (bytes, written) = Self.vectors[3]
        for changed in [
            written.lowercased(), written.replacing("-", with: ""),
            written.replacing("-", with: " ") + "\n", written.replacing("0", with: "o"),
            written.replacing("1", with: "I"), written.replacing("1", with: "l"),
        ] {
            #expect(try secret(changed) == bytes)
        }
    }

    @Test func noticesEveryWrongSymbolAndEveryExchange() throws {
        let symbols = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        let written = Array(Self.vectors[3].1.replacing("-", with: ""))
        for place in written.indices.dropLast() {
            for symbol in symbols where symbol != written[place] {
                var changed = written
                changed[place] = symbol
                #expect(throws: RecoveryCodeError.wrongCheckSymbol) { try secret(String(changed)) }
            }
            guard place + 2 < written.count, written[place] != written[place + 1] else { continue }
            var exchanged = written
            exchanged.swapAt(place, place + 1)
            #expect(throws: RecoveryCodeError.wrongCheckSymbol) { try secret(String(exchanged)) }
        }
    }

    @Test func refusesOtherLengthsAndCharacters() {
        let written = Self.vectors[1].1
        #expect(throws: RecoveryCodeError.wrongLength) { try secret("") }
        #expect(throws: RecoveryCodeError.wrongLength) { try secret(String(written.dropLast())) }
        #expect(throws: RecoveryCodeError.wrongLength) { try secret(written + "0") }
        #expect(throws: RecoveryCodeError.wrongSymbol) { try secret("U" + written.dropFirst()) }
        for character in ["é", "!", "\0", "@", "[", "`", "{"] {
            #expect(throws: RecoveryCodeError.wrongSymbol) { try secret(character + written) }
        }
    }
}
