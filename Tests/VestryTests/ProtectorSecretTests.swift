import SecureMemory
import TestSupport
import Testing

@testable import Vestry

@Suite struct ProtectorSecretTests {
    @Test func onlyAKeyFileOfEnoughBytesIsASecret() {
        let short = ProtectorSecret(keyFile: SecretBytes([UInt8](repeating: 1, count: 31)))
        #expect(withValue(of: short) { $0.kind } == nil)
        let enough = ProtectorSecret(keyFile: SecretBytes([UInt8](repeating: 1, count: 32)))
        #expect(withValue(of: enough) { $0.kind } == .keyFile)
    }

    /// What an earlier release has made of a file must be made of it again.
    @Test func aKeyFileHasItsOneSecret() {
        let secret = ProtectorSecret(keyFile: SecretBytes([UInt8](repeating: 1, count: 32)))
        #expect(
            withValue(of: secret) { $0.bytes.exposed }
                == bytes(hex: "65808d2a0a82c92b2d07a0fea508a4069f2efdfd984b64ecc1725fe8c7d498a4"))
    }

    @Test func onlyPasswordsAndPassphrasesAreTyped() {
        for kind in KeychainProtector.Kind.allCases {
            let secret = ProtectorSecret(kind, typed: SecretBytes("x"))
            let isTyped = withValue(of: secret) { $0.kind } != nil
            let expected: [KeychainProtector.Kind] = [
                .loginPassword, .previousPassword, .passphrase,
            ]
            #expect(isTyped == expected.contains(kind))
        }
    }

    @Test func aNewCodeIsReadBackAsItIsWritten() throws {
        let new = ProtectorSecret.newRecoveryCode()
        let text = try #require(withValue(of: new.writtenCode) { $0.exposed })
        let read = try ProtectorSecret.recoveryCode(SecretBytes(text))
        #expect(read.bytes.exposed == new.bytes.exposed)
        #expect(read.kind == .recoveryCode && read.writtenCode == nil)
    }
}
