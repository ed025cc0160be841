import ActorProgram
import CertificateProgram
import Foundation
import FunctionsProgram
import Testing
import VestryTesting
import WrapperProgram

@testable import Security

/// The programs that are written as tutorials write them behave as on Apple's systems.
@Suite struct ProgramTests {
    @Test func aWrapperThatUpdatesAndAdds() throws {
        try withKeychain { testing in
            let store = CredentialStore(server: "www.example.org")
            #expect(throws: CredentialError.absent) { try store.load() }
            #expect(try CredentialStore.all().isEmpty)
            try store.save(Credentials(user: "alice", password: "first"))
            try store.save(Credentials(user: "bob", password: "second"))
            #expect(try store.load() == Credentials(user: "bob", password: "second"))
            try CredentialStore(server: "other").save(Credentials(user: "carol", password: "x"))
            #expect(
                try CredentialStore.all() == ["bob": Data("second".utf8), "carol": Data("x".utf8)])
            testing.state = .locked
            #expect(
                throws: CredentialError.status(
                    errSecInteractionNotAllowed,
                    "The item is locked, or nobody may be asked for it.")
            ) { try store.load() }
            testing.state = .unlocked
            try store.remove()
            try store.remove()
            #expect(throws: CredentialError.absent) { try store.load() }
        }
    }

    @Test func functionsThatReturnBool() throws {
        try withKeychain { _ in
            #expect(KeychainFunctions.read(account: "a") == nil)
            #expect(!KeychainFunctions.update(Data("x".utf8), account: "a"))
            #expect(KeychainFunctions.save(Data("one".utf8), account: "a"))
            #expect(KeychainFunctions.save(Data("two".utf8), account: "a"))
            #expect(KeychainFunctions.save(Data("b".utf8), account: "b"))
            #expect(KeychainFunctions.read(account: "a") == Data("two".utf8))
            #expect(KeychainFunctions.update(Data("three".utf8), account: "a"))
            #expect(KeychainFunctions.readText(account: "a") == "three")
            #expect(KeychainFunctions.accounts() == ["a", "b"])
            #expect(KeychainFunctions.delete(account: "a"))
            #expect(!KeychainFunctions.delete(account: "a"))
            #expect(KeychainFunctions.accounts() == ["b"])
            #expect(KeychainFunctions.clear())
            #expect(KeychainFunctions.accounts() == [])
            #expect(KeychainFunctions.randomKey(32)?.count == 32)
            #expect(KeychainFunctions.randomData(16) != Data(count: 16))
        }
    }

    @Test func anActorAroundTheCalls() async throws {
        let testing = try TestingKeychain()
        try await CurrentKeychain.$override.withValue(testing.keychain) {
            let vault = TokenVault(service: "org.example.vault")
            let token = Token(text: "t", expires: Date(timeIntervalSince1970: 1_800_000_000))
            #expect(try await vault.token(for: "a") == nil)
            try await vault.store(token, for: "a")
            #expect(try await vault.token(for: "a") == token)
            await #expect(throws: TokenVault.Failure.duplicate) {
                try await vault.store(token, for: "a")
            }
            try await vault.protect(token, for: "b")
            await #expect(throws: TokenVault.Failure.locked) { try await vault.token(for: "b") }
            testing.answerPresence(with: .granted)
            #expect(try await vault.token(for: "b") == token)
            await #expect(throws: TokenVault.Failure.locked) {
                try await vault.token(for: "b", silently: true)
            }
            try await vault.forget("a")
            #expect(try await vault.token(for: "a") == nil)
            await #expect(throws: TokenVault.Failure.other(errSecItemNotFound)) {
                try await vault.forget("a")
            }
        }
    }

    @Test func certificatesAndKeysMakeIdentities() throws {
        try withKeychain { _ in
            #expect(ClientCertificates.identity(label: "client") == nil)
            try ClientCertificates.store(certificate: file("rsa.cer"), label: "client")
            #expect(throws: KeychainFailure(status: errSecDuplicateItem)) {
                try ClientCertificates.store(certificate: file("rsa.cer"), label: "client")
            }
            #expect(throws: KeychainFailure(status: errSecParam)) {
                try ClientCertificates.store(certificate: Data(), label: "client")
            }
            try ClientCertificates.store(privateKey: file("rsa.pkcs1"), tag: "org.example.client")
            #expect(throws: (any Error).self) {
                try ClientCertificates.store(privateKey: file("ec.x963"), tag: "other")
            }
            #expect(
                try ClientCertificates.privateKey(tag: "org.example.client") == file("rsa.pkcs1"))
            let identity = try #require(ClientCertificates.identity(label: "client"))
            #expect(ClientCertificates.summary(of: identity) == "Example")
            #expect(ClientCertificates.remove(identity))
            #expect(throws: KeychainFailure(status: errSecItemNotFound)) {
                try ClientCertificates.privateKey(tag: "org.example.client")
            }
        }
    }
}
