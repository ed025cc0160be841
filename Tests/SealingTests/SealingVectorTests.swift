import SecureMemory
import TestSupport
import Testing

@testable import Sealing

/// Values that other implementations gave for the same inputs.
@Suite struct SealingVectorTests {
    // draft-irtf-cfrg-xchacha-03, appendix A.3.1.
    static let key = Array(UInt8(0x80)...0x9F)
    static let context = bytes(hex: "50515253c0c1c2c3c4c5c6c7")
    static let nonce = Array(UInt8(0x40)...0x57)
    static let plaintext =
        "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the "
        + "future, sunscreen would be it."
    static let sealed = bytes(
        hex: """
            bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f
            4eda7e39ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f
            76b2383565d3fff921f9664c97637da9768812f615c68b13b52e
            c0875924c1c7987947deafd8780acf49
            """)

    @Test func sealsAsPublished() {
        let key = SealingKey(SecretBytes(Self.key))
        let box = key.seal(SecretBytes(Self.plaintext), context: Self.context, nonce: Self.nonce)
        #expect(box == Self.nonce + Self.sealed)
    }

    @Test func opensWhatIsPublished() throws {
        let box = Self.nonce + Self.sealed
        let opened = try SealingKey(SecretBytes(Self.key)).open(box.span, context: Self.context)
        #expect(opened.exposed == Array(Self.plaintext.utf8))
    }

    // argon2 0~20171227 (the reference implementation's program):
    // printf 'correct horse' | argon2 'vestry test salt' -id -t 3 -k 65536 -p 1 -l 32 -r
    @Test func derivesAsTheReferenceImplementation() throws {
        let derivation = PasswordDerivation(
            passes: 3, memoryKiB: 65536, salt: Array("vestry test salt".utf8))
        let key = withValue(of: derivation.key(from: SecretBytes("correct horse"))) { $0.exposed }
        #expect(
            key
                == bytes(hex: "9fc06f48b5f3f02273e6908a380e764b8756bebdbffebf978b1a2d009daee96c"))
    }

    // Python's hashlib.blake2b(b"vestry", key=bytes(range(32)), digest_size=16), and without a key 32.
    @Test func hashesAsPython() {
        let secret = SecretBytes(Array(0..<32))
        #expect(
            secret.keyedHash(of: Array("vestry".utf8), count: 16)
                == bytes(hex: "b30a33490ef32030a4245ccbb42a6ac5"))
        #expect(
            checksum(of: Array("vestry".utf8).span)
                == bytes(hex: "33ca44e28875da4a2d37cd7ce3c042a06374702a22ab5c723701c11e3da428a1"))
    }

    // Python's blake2b(b"", key=bytes(range(32)), salt=1 as 16 bytes, person=b"vestryCK" + 8 zeros).
    @Test func derivesSubkeysAsPython() {
        let subkey = SecretBytes(Array(0..<32)).subkey(1, context: "vestryCK")
        #expect(
            subkey.exposed
                == bytes(hex: "4bdc0d1ac910f57b4ae85b9a0d480f112d8fbbed61e0ad9a8872456d047fd251"))
    }

    // X25519 by RFC 7748's ladder in Python, of the first half of SHA-512 of bytes(range(32)).
    @Test func makesPublicKeysAsPython() {
        let publicKey = SecretBytes(Array(0..<32)).publicKey()
        #expect(
            publicKey
                == bytes(hex: "4701d08488451f545a409fb58ae3e58581ca40ac3f7f114698cd71deac73ca01"))
    }
}
