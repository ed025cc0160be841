import SecureMemory
import TestSupport
import Testing

@testable import Vestry

@Suite struct RecoveryCodeTests {
    static let code = Array(UInt8(0)..<32)

    static func bytes(_ text: String) throws(VestryError) -> [UInt8] {
        try RecoveryCode.bytes(in: SecretBytes(text)).exposed
    }

    static func isRefused(_ text: String) -> Bool {
        do {
            _ = try bytes(text)
            return false
        } catch {
            return error.code == .parameter
        }
    }

    static func text(of code: [UInt8]) -> String {
        String(decoding: RecoveryCode.text(of: SecretBytes(code)).exposed, as: UTF8.self)
    }

    /// Bit by bit, as the documentation has it.
    @Test func theSymbolsStandForFiveBitsEach() {
        let text = Self.text(of: Self.code)
        #expect(text.hasPrefix("000G-40R4-0M30-E209-185G-R38E-1W81-24GK-2GAH-C5RR-34D1-P70X-3RFG-"))
        #expect(text.utf8.count == 69)
        #expect(Self.text(of: [UInt8](repeating: 0xFF, count: 32)).hasPrefix("ZZZZ-ZZZZ-"))
        #expect(Self.text(of: [1, 2, 3]).isEmpty)
    }

    @Test func whatIsWrittenIsReadBack() throws {
        for _ in 0..<200 {
            let code = RecoveryCode.random().exposed
            let text = Self.text(of: code)
            #expect(try Self.bytes(text) == code)
            #expect(try Self.bytes(text.lowercased()) == code)
            #expect(try Self.bytes(text.filter { $0 != "-" }) == code)
            #expect(try Self.bytes(" " + text.replacing("-", with: " ") + "\r\n") == code)
            let misread = text.replacing("0", with: "O").replacing("1", with: "l")
                .replacing("V", with: "u")
            #expect(try Self.bytes(misread) == code)
        }
    }

    @Test func everyWrongSymbolIsNoticed() throws {
        let symbols = Array(Self.text(of: Self.code).utf8)
        for index in symbols.indices where symbols[index] != UInt8(ascii: "-") {
            var changed = symbols
            let isSeven = changed[index] == UInt8(ascii: "7")
            changed[index] = isSeven ? UInt8(ascii: "8") : UInt8(ascii: "7")
            let text = String(decoding: changed, as: UTF8.self)
            #expect(Self.isRefused(text))
        }
    }

    @Test func everyTurnedPairIsNoticed() throws {
        var symbols = Array(Self.text(of: Self.code).utf8.filter { $0 != UInt8(ascii: "-") })
        for index in 1..<symbols.count where symbols[index - 1] != symbols[index] {
            symbols.swapAt(index - 1, index)
            let text = String(decoding: symbols, as: UTF8.self)
            #expect(Self.isRefused(text))
            symbols.swapAt(index - 1, index)
        }
    }

    @Test(arguments: ["", "0", "000G-40R4", "*", "\u{0}", "é"])
    func whatIsNoCodeIsRefused(_ text: String) {
        #expect(Self.isRefused(text))
    }

    @Test func aCodeWithMoreSymbolsIsRefused() {
        let text = Self.text(of: Self.code)
        #expect(Self.isRefused(text + "0"))
        #expect(Self.isRefused(String(repeating: text, count: 40)))
    }

    @Test func onlyAKeyFileOfEnoughBytesIsASecret() {
        let short = ProtectorSecret(keyFile: SecretBytes([UInt8](repeating: 1, count: 31)))
        #expect(withValue(of: short) { $0.kind } == nil)
        let enough = ProtectorSecret(keyFile: SecretBytes([UInt8](repeating: 1, count: 32)))
        #expect(withValue(of: enough) { $0.kind } == .keyFile)
        let code = ProtectorSecret(recoveryCode: SecretBytes([1, 2]))
        #expect(withValue(of: code) { $0.kind } == nil)
        let typed = ProtectorSecret(.keyFile, typed: SecretBytes("x"))
        #expect(withValue(of: typed) { $0.kind } == nil)
    }
}
