import Foundation
import KeychainAccess
import KeychainAccessPrograms
import Testing
import VestryTestSupport

/// Runs the programs that are written by the public interface alone.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct ProgramTests {
    let test: TestKeychain

    init() throws { test = try TestKeychain() }

    @Test func everyDeclarationRuns() throws {
        #expect(enumerations() == 2 * (2 + 31 + 8 + 7 + 3) + 12)
        #expect(statuses() == .itemNotFound)
        try test.use {
            let keychains = try initialisers()
            #expect(keychains.count == 12)
            let keychain = Keychain(service: "s")
            try operations(on: keychain)
            #expect(keychain.allKeys() == [])
            try keychain.set("x", key: "a")
            #expect(attributes(of: try #require(keychain[attributes: "a"])) == 26)
        }
    }

    @Test func propertiesSayWhatWasGiven() throws {
        let keychains = try test.use { try initialisers() }
        #expect(
            properties(of: configured(keychains[3])) == [
                "GenericPassword", "s", "g", "file:///", "HTTPS", "Default",
                "WhenUnlockedThisDeviceOnly", "1", "false", "label", "comment", "prompt", "fail",
                "context",
            ])
        #expect(
            properties(of: keychains[10]) == [
                "InternetPassword", "", "g", "https://example.org:8443", "HTTPS", "HTMLForm",
                "AfterFirstUnlock", "0", "false", "-", "-", "-", "allow", "-",
            ])
    }

    @Test func sharedPasswordsAreNotImplemented() {
        let errors = sharedPasswords(of: test.use { Keychain() })
        #expect(errors.count == 7)
        for error in errors { #expect(error as? Status == .unimplemented) }
    }

    @Test func generatedPasswordsHaveTheirForm() {
        let passwords = (0..<100).map { _ in Keychain.generatePassword() }
        #expect(Set(passwords).count == 100)
        for password in passwords {
            let groups = password.split(separator: "-", omittingEmptySubsequences: false)
            #expect(groups.count == 4)
            for group in groups {
                #expect(group.count == 3)
                #expect(group.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
                #expect(!group.contains { "0O1lI".contains($0) })
            }
        }
    }

    @Test func subscriptsOfAnApp() {
        test.use {
            let secrets = AppSecrets()
            #expect(!secrets.isSignedIn())
            secrets.token = "t"
            secrets.picture = Data([1])
            #expect(AppSecrets().token == "t" && AppSecrets().picture == Data([1]))
            #expect(secrets.isSignedIn())
            secrets.signOut()
            #expect(secrets.token == nil && secrets.picture == nil)
        }
    }

    @Test func chainingOfAMailAccount() throws {
        try test.use {
            let account = MailAccount(host: "mail.example")
            #expect(account.save("p", for: "alice"))
            #expect(account.password(of: "alice") == "p")
            #expect(account.password(of: "bob") == nil)
            #expect(account.label(of: "alice") == "Mail on mail.example")
            try account.remember("q", of: "bob", onlyHere: true)
            #expect(account.users == ["alice", "bob"])
            try test.store.lock()
            #expect(!account.save("r", for: "bob"))
            #expect(account.lastFailure == .interactionNotAllowed)
            #expect(account.password(of: "alice") == "p")
            try account.forget("bob")
            #expect(MailAccount(host: "other.example").users == [])
            #expect(account.users == ["alice"])
        }
    }

    @Test func anActorAroundIt() throws {
        try test.run {
            let session = Session()
            await #expect(throws: SessionError.self) { try await session.token() }
            try await session.start(token: "t")
            #expect(try await session.token() == "t")
            #expect(try await session.refresh() == "token 1")
            #expect(try await session.token() == "token 1")
            let summary = try await session.summary()
            #expect(summary.label == nil && summary.count == Data([1]) && summary.isThere)
            #expect(summary.keys == ["token", "count"])
            try await session.end()
            await #expect(throws: SessionError.self) { try await session.token() }
        }
    }

    @Test func manyTasksShareOneValue() throws {
        let keys = try test.run {
            try await fillConcurrently(Keychain(service: "s"), count: 40)
        }
        #expect(keys.count == 40)
    }

    /// Two programs that set and remove the same key see no error of one another's doing.
    @Test func setAndRemoveOfOneKeyAtOnce() throws {
        try test.run {
            let keychain = Keychain(service: "s")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        for _ in 0..<10 {
                            if number % 4 == 3 {
                                try keychain.remove("a")
                            } else {
                                try keychain.set(
                                    "\(number)", key: "a",
                                    ignoringAttributeSynchronizable: number % 2 == 0)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try keychain.set("last", key: "a")
            #expect(keychain.allKeys() == ["a"])
        }
    }
}
