import Glibc
import KeyClasses
import LinuxSystem
import SecureMemory
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// Backups of one keychain, and what they bring back.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct BackupTests {
    let test: TestKeychain
    var keychain: Keychain { test.keychain }
    var path: String { test.home.path + "/backup" }

    init() throws { test = try TestKeychain(accessGroups: ["default", "other"]) }

    func passphrase(_ text: String = "four words are enough") -> BackupSecret {
        .passphrase(SecretBytes(text))
    }

    @discardableResult
    func add(
        _ account: String, _ secret: String = "secret", in keychain: Keychain? = nil,
        _ attributes: [ItemAttribute: AttributeValue] = [:]
    ) throws -> [UInt8] {
        try (keychain ?? self.keychain).add(
            .genericPassword,
            attributes: attributes.merging([.service: "s", .account: .string(account)]) { $1 },
            secret: SecretBytes(secret))
    }

    func records(_ itemClass: ItemClass = .genericPassword) throws -> [ItemRecord] {
        var query = ItemQuery(itemClass)
        query.limit = .all
        query.synchronizable = .any
        query.isOnlyReadable = true
        guard let matches = try? test.attended.find(query, wantingSecrets: true) else { return [] }
        try #require(matches.lockedCount + matches.damagedCount == 0)
        return matches.records
    }

    func backUp(onlyReadable: Bool = false) throws -> BackupReport {
        try test.attended.backup(
            toFile: path, secret: passphrase(), isReplacing: true, isOnlyReadable: onlyReadable)
    }

    func restore(
        _ rule: MergeRule = .newest, isDryRun: Bool = false
    ) throws -> [MergeResult] {
        let backup = try Backup(file: path, secret: passphrase())
        var options = MergeOptions(rule: rule)
        options.isDryRun = isDryRun
        return try keychain.restore(backup, options: options).entries.map(\.result)
    }

    /// The code that `body` throws, or nil.
    func thrown(_ body: () throws -> Void) -> VestryError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? VestryError)?.code
        }
    }

    @Test func everythingComesBackAsItWas() throws {
        try add("a", "one", [.label: "L", .comment: "C", .generic: .data([0, 255])])
        try add("b", String(repeating: "x", count: 200_000), [.accessGroup: "other"])
        try add("c", "", [.accessible: "ck", .synchronizable: true])
        try add("d", "end", [.expirationDate: .date(4e9)])
        try add(
            "e", "asks",
            [.accessControl: .data(AccessControl(.whenUnlocked, .userPresence).encoded)])
        try keychain.add(
            .internetPassword, attributes: [.server: "h", .port: 443, .path: "/p"],
            secret: SecretBytes("net"))
        let before = try records() + records(.internetPassword)
        #expect(try backUp() == BackupReport(itemCount: 6, left: LeftItems()))
        for itemClass in [ItemClass.genericPassword, .internetPassword] {
            var query = ItemQuery(itemClass)
            query.synchronizable = .any
            try keychain.delete(query)
        }
        #expect(try restore() == [MergeResult](repeating: .added, count: 6))
        let after = try records() + records(.internetPassword)
        #expect(after.map(\.attributes) == before.map(\.attributes))
        #expect(after.map(\.string) == before.map(\.string))
        #expect(after.map(\.accessControl) == before.map(\.accessControl))
        // A second time there is nothing to do.
        #expect(try restore() == [MergeResult](repeating: .unchanged, count: 6))
    }

    @Test func whatBelongsToThisStoreStaysBehindAndIsCounted() throws {
        try add("a")
        try add("b", "x", [.accessible: "cku"])
        try add(
            "c", "x",
            [
                .accessControl: .data(
                    AccessControl(.whenUnlockedThisDeviceOnly, .userPresence).encoded)
            ])
        try keychain.add(
            .genericPassword,
            attributes: [
                .account: "d",
                .accessControl: .data(AccessControl(.whenUnlocked, .applicationPassword).encoded),
            ], secret: SecretBytes("x"),
            applicationPassword: ApplicationPassword(SecretBytes("p")))
        #expect(
            try backUp()
                == BackupReport(
                    itemCount: 1, left: LeftItems(thisDeviceOnly: 2, applicationPassword: 1)))
        let backup = try Backup(file: path, secret: passphrase())
        let contents = try backup.contents()
        #expect(contents.itemCount == 1)
        #expect(contents.left == LeftItems(thisDeviceOnly: 2, applicationPassword: 1))
    }

    @Test func nothingThatCannotBeReadIsLeftOutSilently() throws {
        try add("a", "x", [.accessible: "ck"])
        try add("b")
        try add(
            "c", "x",
            [.accessControl: .data(AccessControl(.afterFirstUnlock, .userPresence).encoded)])
        func unattended(_ isOnlyReadable: Bool) throws(VestryError) -> BackupReport {
            try keychain.backup(
                toFile: path, secret: passphrase(), isOnlyReadable: isOnlyReadable)
        }
        #expect(code { () throws(VestryError) in _ = try unattended(false) } == .locked)
        #expect(!PendingFile.isTaken(path: path))
        #expect(try unattended(true) == BackupReport(itemCount: 2, left: LeftItems(locked: 1)))
        try keychain.lock()
        #expect(thrown { _ = try backUp() } == .locked)
        #expect(
            try backUp(onlyReadable: true)
                == BackupReport(itemCount: 2, left: LeftItems(locked: 1)))
    }

    @Test func aDamagedItemIsToldOrCounted() throws {
        try add("a")
        try add("b")
        try test.tamper("UPDATE item SET value = zeroblob(60) WHERE row = 1")
        #expect(thrown { _ = try backUp() } == .itemDamaged)
        #expect(
            try backUp(onlyReadable: true)
                == BackupReport(itemCount: 1, left: LeftItems(damaged: 1)))
    }

    @Test func theRuleSaysWhatBecomesOfAnotherItemOfTheSameName() throws {
        try add("a", "old")
        _ = try backUp()
        try keychain.update(
            ItemQuery(.genericPassword, [.account: "a"]), secret: SecretBytes("new"))
        #expect(try restore(.newest) == [.kept])
        #expect(try restore(.stored) == [.kept])
        #expect(try restore(.both, isDryRun: true) == [.addedBeside])
        #expect(try records().map(\.string) == ["new"])
        #expect(try restore(.both) == [.addedBeside])
        #expect(try restore(.both) == [.unchanged])
        #expect(try records().map { $0[.account] } == ["a", "a (2)"])
        #expect(try records().map(\.string) == ["new", "old"])
        #expect(try restore(.incoming) == [.replaced])
        #expect(try records().map(\.string) == ["old", "old"])
    }

    @Test func theNewestCountsAndAnItemIsItselfUnderAnotherName() throws {
        let reference = try add("a", "one")
        try keychain.update(
            ItemQuery(.genericPassword, [.account: "a"]), secret: SecretBytes("two"))
        _ = try backUp()
        // As an older copy of the store has it.
        try keychain.delete(ItemQuery(.genericPassword, [.account: "a"]))
        let older = try Backup(file: path, secret: passphrase())
        _ = try keychain.restore(older)
        try keychain.update(
            ItemQuery(persistentReference: reference), set: [.account: "renamed"])
        #expect(try restore(.incoming) == [.replaced])
        let record = try #require(try records().first)
        #expect(record[.account] == "a" && record.persistentReference == reference)
        #expect(try records().count == 1)
    }

    @Test func decisionsTakeTheRulesPlace() throws {
        try add("a", "old")
        try add("b", "old")
        _ = try backUp()
        try keychain.update(
            ItemQuery(.genericPassword, [.service: "s"]), secret: SecretBytes("new"))
        var options = MergeOptions(rule: .stored)
        options.decisions = [1: .incoming]
        let backup = try Backup(file: path, secret: passphrase())
        let results = try keychain.restore(backup, options: options).entries.map(\.result)
        #expect(results == [.kept, .replaced])
        #expect(try records().map(\.string) == ["new", "old"])
    }

    @Test func aLockedKeychainTakesNothing() throws {
        try add("a", "x", [.accessible: "ck"])
        try add("b")
        _ = try backUp()
        try keychain.delete(ItemQuery(.genericPassword, [.service: "s"]))
        try keychain.lock()
        #expect(thrown { _ = try restore() } == .locked)
        try test.unlock()
        #expect(try records().isEmpty)
    }

    @Test func anotherSecretIsWrongAndAnEmptyOneRefused() throws {
        try add("a")
        _ = try backUp()
        #expect(
            thrown { _ = try Backup(file: path, secret: passphrase("other")) } == .wrongPassword)
        #expect(thrown { _ = try Backup(file: path, secret: .newRecoveryCode()) } == .wrongPassword)
        #expect(
            thrown { _ = try keychain.backup(toFile: path + "2", secret: passphrase("")) }
                == .parameter)
        #expect(
            thrown { _ = try keychain.backup(toFile: path, secret: passphrase()) } == .fileExists)
    }

    @Test func aRecoveryCodeOpensItAsItIsWritten() throws {
        try add("a")
        let code = BackupSecret.newRecoveryCode()
        _ = try keychain.backup(toFile: path, secret: code)
        #expect(try Backup.secretKind(ofFile: path) == .recoveryCode)
        let writtenCode = withValue(of: code.writtenCode) { text($0) }
        let written = try #require(writtenCode)
        let backup = try Backup(
            file: path, secret: .recoveryCode(SecretBytes(written.lowercased())))
        let contents = try backup.contents()
        #expect(contents.itemCount == 1)
        #expect(
            thrown { _ = try BackupSecret.recoveryCode(SecretBytes(String(written.dropLast()))) }
                == .wrongPassword)
    }

    @Test func anEmptyKeychainHasABackupToo() throws {
        #expect(try backUp() == BackupReport(itemCount: 0, left: LeftItems()))
        #expect(try restore() == [])
    }
}
