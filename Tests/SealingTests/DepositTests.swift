import SecureMemory
import TestSupport
import Testing

@testable import Sealing

@Suite struct DepositTests {
    let seed = [UInt8](repeating: 7, count: 32)
    var publicKey: [UInt8] { SecretBytes(seed).publicKey() }

    func seal(_ text: String) throws -> [UInt8] {
        let box = Deposit.seal(SecretBytes(text), to: publicKey, context: [1])
        return try #require(box)
    }

    func open(_ box: [UInt8], seed: [UInt8]? = nil, context: [UInt8] = [1]) throws -> [UInt8] {
        try Deposit.open(box, seed: SecretBytes(seed ?? self.seed), context: context).exposed
    }

    @Test(arguments: ["", "a", String(repeating: "x", count: 100_000)])
    func readsBackWhatItSealed(_ text: String) throws {
        let box = try seal(text)
        #expect(try open(box) == Array(text.utf8))
        #expect(box.count == 80 + 40 + text.utf8.count)
    }

    @Test func opensForItsOwnerAndItsContextAlone() throws {
        let box = try seal("x")
        let other = [UInt8](repeating: 8, count: 32)
        #expect(throws: SealingError.authenticationFailed) { try open(box, seed: other) }
        #expect(throws: SealingError.authenticationFailed) { try open(box, context: [2]) }
    }

    @Test func rejectsEveryTruncationAndEveryChange() throws {
        let box = try seal("x")
        for count in 0..<box.count {
            #expect(throws: SealingError.self) { try open(Array(box.prefix(count))) }
        }
        for offset in box.indices {
            var changed = box
            changed[offset] ^= 1
            #expect(throws: SealingError.authenticationFailed) { try open(changed) }
        }
    }

    @Test func refusesAKeyOfAnotherSize() {
        let isRefused = Deposit.seal(SecretBytes("x"), to: [1, 2, 3], context: []) == nil
        #expect(isRefused)
    }
}
