import Sealing
import SecureMemory
import TestSupport
import Testing

@Suite struct SealingKeyTests {
    static let context = Array("context".utf8)

    static func key() -> SealingKey { SealingKey(SecretBytes([UInt8](repeating: 7, count: 32))) }

    @Test(arguments: [0, 1, 2, 63, 64, 65, 4096])
    func whatIsSealedOpens(byteCount: Int) throws {
        let plaintext = SecretBytes.random(count: byteCount)
        let box = Self.key().seal(plaintext, context: Self.context)
        #expect(box.count == byteCount + SealingKey.overhead)
        #expect(try Self.key().open(box.span, context: Self.context).exposed == plaintext.exposed)
    }

    @Test func twoBoxesOfOneSecretDiffer() {
        let first = Self.key().seal(SecretBytes("secret"), context: Self.context)
        let second = Self.key().seal(SecretBytes("secret"), context: Self.context)
        #expect(first != second)
    }

    @Test func aCombinedKeyTakesBothSecrets() throws {
        let bytes = [UInt8](repeating: 7, count: 32)
        let other = [UInt8](repeating: 9, count: 32)
        let box = Self.key().combined(with: SecretBytes(other)).seal(
            SecretBytes("secret"), context: Self.context)
        let expected = SealingKey(SecretBytes(bytes).keyedHashKey(of: other))
        let opened = try expected.open(box.span, context: Self.context)
        #expect(opened.exposed == Array("secret".utf8))
        for key in [[bytes, bytes], [other, other], [other, bytes]] {
            let combined = SealingKey(SecretBytes(key[0])).combined(with: SecretBytes(key[1]))
            #expect(throws: SealingError.authenticationFailed) {
                try combined.open(box.span, context: Self.context).count
            }
        }
        #expect(throws: SealingError.authenticationFailed) {
            try Self.key().open(box.span, context: Self.context).count
        }
    }

    @Test func rejectsEveryChangedByte() {
        let box = Self.key().seal(SecretBytes("secret"), context: Self.context)
        for index in box.indices {
            var changed = box
            changed[index] ^= 1
            #expect(throws: SealingError.authenticationFailed) {
                try Self.key().open(changed.span, context: Self.context).count
            }
        }
    }

    @Test func rejectsEveryTruncation() {
        let box = Self.key().seal(SecretBytes("secret"), context: Self.context)
        for count in 0..<box.count {
            let expected: SealingError =
                count < SealingKey.overhead ? .truncated : .authenticationFailed
            #expect(throws: expected) {
                try Self.key().open(Array(box.prefix(count)).span, context: Self.context).count
            }
        }
    }

    @Test(arguments: ["", "contex", "contextt", "Context"])
    func rejectsAnotherContext(_ other: String) {
        let box = Self.key().seal(SecretBytes("secret"), context: Self.context)
        #expect(throws: SealingError.authenticationFailed) {
            try Self.key().open(box.span, context: Array(other.utf8)).count
        }
    }

    @Test func rejectsAnotherKey() {
        let box = SealingKey(SecretBytes.random(count: 32))
            .seal(SecretBytes("secret"), context: Self.context)
        #expect(throws: SealingError.authenticationFailed) {
            try Self.key().open(box.span, context: Self.context).count
        }
    }
}
