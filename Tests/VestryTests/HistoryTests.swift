import Foundation
import KernelKeyring
import KeyClasses
import SecureMemory
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// Old secrets and deleted items.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct HistoryTests {
    let test: TestKeychain
    var keychain: Keychain { test.keychain }
    let key = ItemKey(service: "git.example.org", account: "alice")

    init() throws { test = try TestKeychain() }

    private func set(_ secrets: String...) throws {
        for secret in secrets { try keychain.set(SecretBytes(secret), for: key) }
    }

    private func secret() throws -> String { text(try keychain.secret(for: key)) }

    private func settings(_ text: String) throws {
        let folder = test.home.path + "/.config/vestry"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: folder + "/history"))
    }

    @Test func undoTakesTheLastChangeBackAndASecondOneTheFirst() throws {
        try set("one", "two")
        try keychain.undo(key)
        #expect(try secret() == "one")
        try keychain.undo(key)
        #expect(try secret() == "two")
        #expect(try keychain.history(of: key).count == 1)
    }

    @Test func eachOldSecretCanBeBroughtBackByItsNumber() throws {
        try set("one", "two", "three", "four")
        let history = try keychain.history(of: key)
        #expect(history.map(\.number) == [1, 2, 3])
        #expect(history.allSatisfy { $0.kind == .oldSecret && $0.replacementDate != nil })
        try keychain.undo(key, number: 3)
        #expect(try secret() == "one")
        // What was replaced is the newest now.
        try keychain.undo(key)
        #expect(try secret() == "four")
        #expect(try keychain.history(of: key).count == 3)
    }

    @Test func theSameSecretAgainAndOtherAttributesAddNothing() throws {
        try set("one", "two", "two")
        try keychain.set(SecretBytes("two"), for: key, label: "Git")
        try keychain.update(
            ItemQuery(.genericPassword, [.service: "git.example.org"]), set: [.comment: "x"])
        #expect(try keychain.history(of: key).count == 1)
        #expect(try keychain.item(for: key).label == "Git")
    }

    @Test func theItemKeepsItsAttributes() throws {
        try set("one")
        try keychain.set(SecretBytes("two"), for: key, label: "Git")
        try keychain.undo(key)
        #expect(try keychain.item(for: key).label == "Git")
        let renamed = ItemKey(service: "git.example.org", account: "bob")
        try keychain.update(
            ItemQuery(.genericPassword, [.service: "git.example.org"]), set: [.account: "bob"])
        try keychain.undo(renamed)
        #expect(text(try keychain.secret(for: renamed)) == "two")
    }

    @Test func aDeletedItemComesBackWithItsOldSecrets() throws {
        try set("one", "two")
        let before = try keychain.item(for: key)
        try keychain.delete(key)
        #expect(
            code { () throws(VestryError) in _ = try keychain.secret(for: key) } == .itemNotFound)
        let history = try keychain.history(of: key)
        #expect(history.map(\.kind) == [.deletedItem])
        #expect(history[0].keptUntil ?? 0 > before.modificationDate + 30 * 86_400)
        try keychain.undo(key)
        #expect(try secret() == "two")
        #expect(try keychain.item(for: key) == before)
        try keychain.undo(key)
        #expect(try secret() == "one")
    }

    @Test func anItemInThePlaceOfADeletedOneIsExchanged() throws {
        try set("one")
        try keychain.delete(key)
        try set("two")
        #expect(try keychain.history(of: key).map(\.kind) == [.deletedItem])
        try keychain.undo(key)
        #expect(try secret() == "one")
        try keychain.undo(key)
        #expect(try secret() == "two")
        var forgetful = keychain
        forgetful.keepsHistory = false
        #expect(
            code { () throws(VestryError) in try forgetful.undo(key) } == .duplicateItem)
        #expect(try secret() == "two")
    }

    @Test func deletedItemsAreListed() throws {
        try set("one")
        try keychain.add(.internetPassword, attributes: [.server: "www.example.org"])
        try keychain.delete(ItemQuery(.internetPassword))
        try keychain.delete(key)
        let deleted = try keychain.deletedItems()
        #expect(deleted.items.map { $0.record.itemClass } == [.genericPassword, .internetPassword])
        #expect(deleted.items.allSatisfy { !$0.record.hasSecret })
        var other = keychain
        other.accessGroups = ["other"]
        #expect(try other.deletedItems().items.isEmpty)
        let reference = deleted.items[1].record.persistentReference
        try keychain.undo(reference)
        #expect(try keychain.find(ItemQuery(.internetPassword)).records.count == 1)
    }

    @Test func aLockedItemIsDeletedAndBroughtBackWithoutItsKey() throws {
        try keychain.set(SecretBytes("one"), for: key, accessibility: .whenUnlocked)
        try keychain.set(SecretBytes("two"), for: key)
        try KernelKeyring.lock()
        try keychain.delete(key)
        let deleted = try keychain.deletedItems()
        #expect(deleted.items.isEmpty)
        #expect(deleted.lockedCount == 1)
        try keychain.undo(key)
        // Its old secret is there, and asks for the key.
        #expect(try keychain.history(of: key).map(\.modificationDate) == [nil])
        #expect(code { () throws(VestryError) in try keychain.undo(key) } == .locked)
        try test.unlock()
        #expect(try secret() == "two")
        try keychain.undo(key)
        #expect(try secret() == "one")
    }

    @Test func aStricterItemLeavesNoOldSecretUnderTheWeakerClass() throws {
        try set("one", "two")
        try keychain.set(SecretBytes("three"), for: key, accessibility: .whenUnlocked)
        #expect(try keychain.history(of: key).allSatisfy { $0.accessibility == .whenUnlocked })
        try keychain.undo(key)
        #expect(try secret() == "two")
        try keychain.undo(key, number: 2)
        #expect(try secret() == "one")
        #expect(try keychain.item(for: key).accessibility == .whenUnlocked)
    }

    @Test func anAccessControlProtectsTheOldSecretsToo() throws {
        try set("one", "two")
        try keychain.set(SecretBytes("three"), for: key, accessControl: .userPresence)
        #expect(try keychain.history(of: key).allSatisfy { $0.accessControl == .userPresence })
        // It is not read for this.
        try keychain.undo(key, number: 2)
        #expect(code { () throws(VestryError) in _ = try keychain.secret(for: key) } == .locked)
        #expect(text(try test.attended.secret(for: key)) == "one")
    }

    @Test func aStricterOldSecretStaysAsStrict() throws {
        try keychain.set(
            SecretBytes("one"), for: key, accessibility: .whenUnlocked,
            accessControl: .userPresence)
        try keychain.set(
            SecretBytes("two"), for: key, accessibility: .afterFirstUnlock, accessControl: [])
        #expect(try keychain.history(of: key).map(\.accessControl) == [.userPresence])
        try keychain.undo(key)
        #expect(text(try test.attended.secret(for: key)) == "one")
        // What it has replaced asks for the user as well.
        #expect(try keychain.history(of: key).map(\.accessControl) == [.userPresence])
        #expect(try keychain.history(of: key).map(\.accessibility) == [.whenUnlocked])
    }

    @Test func anOldSecretThatCannotBeSealedAnewIsRemoved() throws {
        let password = ApplicationPassword(SecretBytes("own"))
        try keychain.add(
            .genericPassword,
            attributes: [
                .service: "git.example.org", .account: "alice",
                .accessControl: .data(
                    AccessControl(.afterFirstUnlock, .applicationPassword).encoded),
            ], secret: SecretBytes("one"), applicationPassword: password)
        var query = ItemQuery(.genericPassword, [.service: "git.example.org"])
        query.applicationPassword = password
        try keychain.update(query, secret: SecretBytes("two"))
        #expect(try keychain.history(of: key).count == 1)
        try keychain.update(query, set: [.accessible: "ak"])
        #expect(try keychain.history(of: key).isEmpty)
    }

    @Test func anOldValueInThePlaceOfThePresentOneDoesNotOpen() throws {
        try set("one", "two")
        try test.tamper(
            """
            UPDATE item SET value = (SELECT value FROM old_value),
                value_version = (SELECT value_version FROM old_value)
            """)
        #expect(
            code { () throws(VestryError) in _ = try keychain.secret(for: key) } == .itemDamaged)
    }

    @Test func anOldValueOfAnotherItemDoesNotComeBack() throws {
        let other = ItemKey(service: "other", account: "")
        try set("one", "two")
        try keychain.set(SecretBytes("uno"), for: other)
        try test.tamper(
            "UPDATE old_value SET reference = (SELECT reference FROM item WHERE row = 2)")
        #expect(code { () throws(VestryError) in try keychain.undo(other) } == .itemDamaged)
        #expect(text(try keychain.secret(for: other)) == "uno")
    }

    @Test func theNewestFiveAreKept() throws {
        try set("1", "2", "3", "4", "5", "6", "7")
        #expect(try keychain.history(of: key).count == 5)
        try keychain.undo(key, number: 5)
        #expect(try secret() == "2")
    }

    @Test func settingsBoundWhatIsKept() throws {
        try settings("old-values = 1\ndeleted-days = 0 # nothing\n")
        try set("1", "2", "3")
        #expect(try keychain.history(of: key).count == 1)
        try keychain.delete(key)
        #expect(try keychain.history(of: key).isEmpty)
        #expect(try keychain.eraseOldSecrets() == 0)
        try settings("old-values = zero\n")
        try set("1")
        #expect(
            code { () throws(VestryError) in
                try keychain.set(SecretBytes("2"), for: key)
            } == .parameter)
        #expect(try secret() == "1")
    }

    @Test func withoutHistoryNothingIsKept() throws {
        try set("one")
        var forgetful = keychain
        forgetful.keepsHistory = false
        try forgetful.set(SecretBytes("two"), for: key)
        #expect(try keychain.history(of: key).isEmpty)
        try set("three")
        try forgetful.delete(key)
        #expect(try keychain.history(of: key).isEmpty)
        #expect(try keychain.eraseOldSecrets() == 0)
    }

    @Test func anItemThatEndsIsNotKeptBeyondIt() throws {
        let query = ItemQuery(.genericPassword, [.service: "git.example.org"])
        try set("one", "two")
        try keychain.update(query, set: [.expirationDate: .date(100)])
        #expect(try keychain.history(of: key).isEmpty)
        try set("other")
        #expect(try keychain.history(of: key).isEmpty)
        #expect(try keychain.eraseOldSecrets() == 0)
    }

    @Test func eraseRemovesForGood() throws {
        try set("one", "two")
        let other = ItemKey(service: "other", account: "")
        for secret in ["1", "2", "3"] { try keychain.set(SecretBytes(secret), for: other) }
        #expect(try keychain.eraseHistory(of: key) == 1)
        #expect(try keychain.history(of: key).isEmpty)
        #expect(try keychain.history(of: other).count == 2)
        try keychain.delete(key)
        #expect(try keychain.eraseDeletedItems() == 1)
        #expect(try keychain.eraseOldSecrets() == 2)
        #expect(text(try keychain.secret(for: other)) == "3")
        #expect(
            code { () throws(VestryError) in try keychain.undo(other) } == .itemNotFound)
    }
}

@Suite struct HistorySettingsTests {
    @Test func readsWhatThereIs() throws {
        #expect(try HistorySettings(parsing: "") == HistorySettings())
        let settings = try HistorySettings(
            parsing: "# a comment\r\nold-values=7\r\n\r\n deleted-days = 0 # none\nsnapshots = 3\n")
        #expect(settings.oldValueCount == 7)
        #expect(settings.deletedDays == 0)
        #expect(settings.snapshotCount == 3)
    }

    @Test(arguments: [
        "old-values", "old-values = ", "old-values = -1", "old-values = 101", "old-values = 1 2",
        "deleted-days = 3651", "snapshots = 1001", "old-value = 1", "= 1", "old-values = five",
    ])
    func refusesWhatItDoesNotUnderstand(_ line: String) {
        #expect(
            code { () throws(VestryError) in _ = try HistorySettings(parsing: "\n" + line) }
                == .parameter)
    }
}

@Suite struct OldValueNoteTests {
    @Test(arguments: [nil, [UInt8](repeating: 7, count: 32)])
    func readsWhatItWrites(_ digest: [UInt8]?) throws {
        let note = OldValueNote(modified: 1.5, replaced: 1_767_225_600.25, valueDigest: digest)
        let bytes = note.encoded
        #expect(bytes.count == 17 + (digest?.count ?? 0))
        #expect(try parse(bytes) == note)
        for count in 0..<bytes.count where count != 17 {
            #expect(throws: MetadataError.malformed) { try parse(Array(bytes.prefix(count))) }
        }
        #expect(throws: MetadataError.unsupportedVersion(2)) { try parse([2] + bytes.dropFirst()) }
    }

    @Test func refusesWhatIsNoDate() {
        let note = OldValueNote(modified: .infinity, replaced: 0, valueDigest: nil)
        #expect(throws: MetadataError.malformed) { try parse(note.encoded) }
    }

    private func parse(_ bytes: [UInt8]) throws -> OldValueNote {
        try OldValueNote(parsing: bytes.span)
    }
}
