import Glibc
import SecureMemory
import TestSupport
import Testing
import Vestry
import VestryTesting

/// The keychain for other people's tests, with nothing but its public interface.
@Suite struct TestingKeychainTests {
    let testing: TestingKeychain
    var keychain: Keychain { testing.keychain }
    let key = ItemKey(service: "s", account: "a")

    init() throws { testing = try TestingKeychain() }

    func code(_ body: () throws(VestryError) -> Void) -> VestryError.Code? {
        do throws(VestryError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    func readCode(_ key: ItemKey? = nil) -> VestryError.Code? {
        code { () throws(VestryError) in _ = try keychain.secret(for: key ?? self.key) }
    }

    @Test func keepsItems() throws {
        #expect(readCode() == .itemNotFound)
        try keychain.set(SecretBytes("secret"), for: key, label: "L")
        #expect(try keychain.secret(for: key).exposed == Array("secret".utf8))
        #expect(try keychain.items().items.map(\.label) == ["L"])
        let record = try #require(
            try keychain.find(ItemQuery(.genericPassword), wantingSecrets: true).records.first)
        #expect(record.withSecret { $0.exposed } == Array("secret".utf8))
        #expect(try keychain.delete(ItemQuery(.genericPassword)) == 1)
    }

    @Test func canBeKeptOpen() throws {
        let kept = keychain.keptOpen()
        try kept.set("secret", for: key)
        #expect(try kept.string(for: key) == "secret")
        testing.state = .locked
        #expect(code { () throws(VestryError) in _ = try kept.secret(for: key) } == .locked)
        testing.state = .noStore
        #expect(code { () throws(VestryError) in _ = try kept.secret(for: key) } == .noSuchKeychain)
        testing.state = .unlocked
        #expect(try kept.string(for: key) == "secret")
    }

    @Test func eachIsAKeychainOfItsOwn() throws {
        try keychain.set(SecretBytes("x"), for: key)
        let other = try TestingKeychain()
        #expect(try other.keychain.items().items == [])
        #expect(other.keychain.path != keychain.path)
    }

    @Test func theStateDecidesWhatIsReadable() throws {
        let unlocked = ItemKey(service: "u", account: "")
        try keychain.set(SecretBytes("1"), for: key)
        try keychain.set(SecretBytes("2"), for: unlocked, accessibility: .whenUnlocked)
        let table: [(KeychainStatus.State, VestryError.Code?, VestryError.Code?)] = [
            (.unlocked, nil, nil), (.afterFirstUnlock, nil, .locked), (.locked, .locked, .locked),
            (.noStore, .noSuchKeychain, .noSuchKeychain),
            (.unavailable, .notAvailable, .notAvailable), (.unlocked, nil, nil),
        ]
        for (state, first, second) in table {
            testing.state = state
            #expect(keychain.status().state == state)
            #expect(keychain.status().sessions.isEmpty)
            #expect(readCode() == first)
            #expect(readCode(unlocked) == second)
        }
    }

    @Test func locksAndUnlocksAsARealOne() throws {
        try keychain.set(SecretBytes("x"), for: key)
        try keychain.lock()
        #expect(testing.state == .afterFirstUnlock)
        try keychain.lockAll()
        #expect(testing.state == .locked)
        #expect(try !keychain.wait(timeout: .milliseconds(20)))
        #expect(
            code { () throws(VestryError) in
                _ = try keychain.unlock(password: SecretBytes("wrong"))
            } == .wrongPassword)
        #expect(testing.state == .locked)
        _ = try keychain.unlock(password: SecretBytes("password"))
        #expect(testing.state == .unlocked)
        #expect(try keychain.wait(for: .whenUnlocked, timeout: .seconds(10)))
    }

    @Test func anAccountCanLackALoginPassword() throws {
        testing.hasLoginPassword = false
        #expect(
            code { () throws(VestryError) in
                try keychain.add(.genericPassword, attributes: [.accessible: "akpu"])
            } == .wrongPassword)
        testing.hasLoginPassword = true
        try keychain.add(.genericPassword, attributes: [.accessible: "akpu"])
        testing.hasLoginPassword = false
        #expect(
            code { () throws(VestryError) in
                _ = try keychain.find(ItemQuery(.genericPassword))
            } == .locked)
    }

    @Test func theUserAnswersAsTheTestSays() throws {
        let control = AccessControl(.whenUnlocked, .userPresence)
        try keychain.add(
            .genericPassword,
            attributes: [.service: "s", .account: "a", .accessControl: .data(control.encoded)],
            secret: SecretBytes("x"))
        #expect(readCode() == .locked)
        testing.answerPresence(with: .wrongPassword)
        #expect(readCode() == .wrongPassword)
        testing.answerPresence(with: .cancelled)
        #expect(readCode() == .cancelled)
        testing.answerPresence(with: .granted)
        #expect(readCode() == nil)
        testing.state = .afterFirstUnlock
        #expect(readCode() == .locked)
    }

    @Test func textsAreUTF8() throws {
        try keychain.set("pässword\n", for: key)
        #expect(try keychain.string(for: key) == "pässword\n")
        #expect(try keychain.secret(for: key).exposed == Array("pässword\n".utf8))
        let records = try keychain.find(ItemQuery(.genericPassword), wantingSecrets: true).records
        #expect(records.map(\.string) == ["pässword\n"])
        try keychain.set(SecretBytes([0xFF]), for: key)
        #expect(
            code { () throws(VestryError) in _ = try keychain.string(for: key) } == .conversion)
        #expect(try keychain.find(ItemQuery(.genericPassword)).records.map(\.string) == [nil])
    }

    @Test func changesOfTheStatusAreReported() async throws {
        var states: [KeychainStatus.State] = []
        for await status in keychain.statusChanges(every: .milliseconds(1)) {
            states.append(status.state)
            switch states.count {
            case 1: testing.state = .locked
            case 2: testing.state = .afterFirstUnlock
            case 3: testing.state = .noStore
            default: break
            }
            if states.count == 4 { break }
        }
        #expect(states == [.unlocked, .locked, .afterFirstUnlock, .noStore])
    }

    @Test func theFolderLivesAsLongAsTheKeychain() throws {
        var other: TestingKeychain? = try TestingKeychain()
        var keychain = other?.keychain
        other = nil
        try keychain?.set(SecretBytes("x"), for: key)
        let path = try #require(keychain?.path)
        #expect(unsafe access(path, F_OK) == 0)
        keychain = nil
        #expect(unsafe access(path, F_OK) == -1)
    }

    @Test func aProgramsHandlerIsAskedWithTheItemsText() throws {
        try keychain.set(
            SecretBytes("secret"), for: key, label: "L", accessControl: .userPresence)
        #expect(readCode() == .locked)
        var query = ItemQuery(.genericPassword)
        query.isOnlyReadable = true
        #expect(try keychain.find(query, wantingSecrets: true).lockedCount == 1)
        var keychain = keychain
        keychain.presenceHandler = { question in
            SecretBytes(question.text == "L" && question.name == "s a" ? "password" : "wrong")
        }
        #expect(try keychain.secret(for: key).exposed == Array("secret".utf8))
        keychain.presenceHandler = { question in SecretBytes(question.text) }
        #expect(try keychain.secret(for: key, prompt: "password").exposed == Array("secret".utf8))
        let asking = keychain
        #expect(
            code { () throws(VestryError) in
                _ = try asking.secret(for: key, prompt: "Why?")
            } == .wrongPassword)
        keychain.presenceHandler = { _ in nil }
        let dismissing = keychain
        #expect(
            code { () throws(VestryError) in _ = try dismissing.secret(for: key) } == .cancelled)
        // An answer that the test gives goes before the program's handler.
        testing.answerPresence(with: .granted)
        #expect(try keychain.secret(for: key).exposed == Array("secret".utf8))
    }

    /// In a process of its own: the default is one for all keychains.
    @Test func theDefaultHandlerIsAskedWhereThereIsNoOther() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let testing = try TestingKeychain()
            let key = ItemKey(service: "s", account: "a")
            try testing.keychain.set(
                SecretBytes("secret"), for: key, accessControl: .userPresence)
            guard Keychain.defaultPresenceHandler == nil else { exit(1) }
            Keychain.defaultPresenceHandler = { _ in SecretBytes("password") }
            guard try testing.keychain.secret(for: key).count == 6 else { exit(2) }
            var keychain = testing.keychain
            keychain.presenceHandler = { _ in nil }
            do {
                _ = try keychain.secret(for: key)
            } catch VestryError.Code.cancelled {
                exit(7)
            }
        }
    }
}
