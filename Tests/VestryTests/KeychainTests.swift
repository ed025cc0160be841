import Glibc
import ItemStore
import KeyClasses
import LinuxSystem
import SecureMemory
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// Operations with a real keyring; `keyctl session - swift test` gives the process one of its own.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct KeychainTests {
    let test: TestKeychain
    var keychain: Keychain { test.keychain }
    let key = ItemKey(service: "git.example.org", account: "alice")

    init() throws { test = try TestKeychain() }

    @Test func keepsSecretsByteForByte() throws {
        let secrets = ["", "a", "a\n", "a\r\n\n", "\u{0}", "{\n  \"k\": \"漢\"\n}\n", "a  "]
        for secret in secrets {
            try keychain.set(SecretBytes(secret), for: key)
            #expect(text(try keychain.secret(for: key)) == secret)
        }
        #expect(try test.rows().count == 1)
        #expect(test.home.storeEntries() == ["items.sqlite", "keybag", "snapshots"])
    }

    @Test func acceptsTheLargestSecretAndRefusesOneByteMore() throws {
        let limit = Keychain.maximumSecretByteCount
        try keychain.set(SecretBytes(count: limit, filledBy: { $0[limit - 1] = 7 }), for: key)
        let last = try keychain.secret(for: key).withBytes { ($0.count, $0[limit - 1]) }
        #expect(last == (limit, 7))
        let tooLarge = SecretBytes(count: limit + 1, filledBy: { _ in })
        let other = ItemKey(service: "other", account: "")
        #expect(
            code { () throws(VestryError) in try keychain.set(tooLarge, for: other) }
                == .dataTooLarge)
        #expect(try test.rows().count == 1)
    }

    @Test func refusesNamesOverTheLimit() {
        let long = String(repeating: "x", count: Keychain.maximumTextByteCount + 1)
        for (service, account, label) in [(long, "", ""), ("", long, ""), ("", "", long)] {
            let key = ItemKey(service: service, account: account)
            #expect(
                code { () throws(VestryError) in
                    try keychain.set(SecretBytes("x"), for: key, label: label)
                } == .parameter)
        }
        #expect(test.home.storeEntries() == ["keybag"])
    }

    @Test func anAbsentItemIsNotLocked() throws {
        #expect(
            code { () throws(VestryError) in _ = try keychain.secret(for: key) } == .itemNotFound)
        #expect(code { () throws(VestryError) in try keychain.delete(key) } == .itemNotFound)
        #expect(test.home.storeEntries() == ["keybag"])
    }

    @Test func aLockedItemIsNotAbsent() throws {
        try keychain.set(SecretBytes("x"), for: key, accessibility: .whenUnlocked)
        try keychain.lock()
        #expect(code { () throws(VestryError) in _ = try keychain.secret(for: key) } == .locked)
        #expect(code { () throws(VestryError) in _ = try keychain.item(for: key) } == .locked)
        #expect(
            code { () throws(VestryError) in try keychain.set(SecretBytes("y"), for: key) }
                == .locked)
        let listing = try keychain.items()
        #expect(listing.items == [])
        #expect(listing.lockedCount == 1)
        try test.unlock()
        #expect(text(try keychain.secret(for: key)) == "x")
    }

    @Test func withoutTheIndexKeyEverythingIsLocked() throws {
        try keychain.set(SecretBytes("x"), for: key)
        try keychain.lockAll()
        let absent = ItemKey(service: "absent", account: "")
        for key in [key, absent] {
            #expect(code { () throws(VestryError) in _ = try keychain.secret(for: key) } == .locked)
            #expect(code { () throws(VestryError) in try keychain.delete(key) } == .locked)
            #expect(
                code { () throws(VestryError) in try keychain.set(SecretBytes("y"), for: key) }
                    == .locked
            )
        }
        #expect(code { () throws(VestryError) in _ = try keychain.items() } == .locked)
    }

    @Test func aLockedItemCanBeDeleted() throws {
        try keychain.set(SecretBytes("x"), for: key, accessibility: .whenUnlocked)
        try keychain.lock()
        try keychain.delete(key)
        #expect(
            code { () throws(VestryError) in _ = try keychain.secret(for: key) } == .itemNotFound)
    }

    @Test func changingTheClassLeavesOneItem() throws {
        try keychain.set(SecretBytes("old"), for: key, label: "L", accessibility: .whenUnlocked)
        let before = try keychain.item(for: key)
        try keychain.set(SecretBytes("new"), for: key, accessibility: .afterFirstUnlock)
        try keychain.lock()
        #expect(text(try keychain.secret(for: key)) == "new")
        let after = try keychain.item(for: key)
        #expect(after.accessibility == .afterFirstUnlock)
        #expect(after.label == "L")
        #expect(after.creationDate == before.creationDate)
        #expect(try test.rows().map(\.version) == [2])
    }

    @Test func settingAgainKeepsTheClassUnlessToldOtherwise() throws {
        try keychain.set(SecretBytes("x"), for: key, accessibility: .whenUnlockedThisDeviceOnly)
        try keychain.set(SecretBytes("y"), for: key)
        #expect(try keychain.item(for: key).accessibility == .whenUnlockedThisDeviceOnly)
    }

    @Test func addRefusesADuplicate() throws {
        try keychain.add(SecretBytes("x"), for: key)
        #expect(
            code { () throws(VestryError) in try keychain.add(SecretBytes("y"), for: key) }
                == .duplicateItem)
        #expect(text(try keychain.secret(for: key)) == "x")
    }

    @Test func serviceAndAccountTogetherAreTheIdentity() throws {
        let keys = [("s1", "a"), ("s2", "a"), ("s1", "b"), ("s1", ""), ("", "a"), ("s1", "None")]
            .map { ItemKey(service: $0.0, account: $0.1) }
        for key in keys { try keychain.set(SecretBytes(key.service + "/" + key.account), for: key) }
        try keychain.delete(keys[0])
        for key in keys.dropFirst() {
            #expect(text(try keychain.secret(for: key)) == key.service + "/" + key.account)
        }
        #expect(try keychain.items().items.map(\.key) == keys.dropFirst().sorted())
        #expect(try keychain.items(service: "s1").items.map(\.key.account) == ["", "None", "b"])
    }

    @Test func noAttributeStandsInTheClear() throws {
        let marked = ItemKey(service: "MARKER-SERVICE", account: "MARKER-ACCOUNT")
        try keychain.set(SecretBytes("MARKER-SECRET"), for: marked, label: "MARKER-LABEL")
        #expect(try !test.home.read("items.sqlite").contains(Array("MARKER".utf8)))
    }

    static let changes = [
        "UPDATE item SET value = (SELECT value FROM item WHERE row = 2) WHERE row = 1",
        "UPDATE item SET metadata = (SELECT metadata FROM item WHERE row = 2) WHERE row = 1",
        """
        UPDATE item SET value = o.value, metadata = o.metadata, version = o.version,
        reference = zeroblob(16) FROM (SELECT * FROM item WHERE row = 2) AS o WHERE item.row = 1
        """,
        "UPDATE item SET version = version + 1 WHERE row = 1",
        "UPDATE item SET value_version = value_version + 1 WHERE row = 1",
        "UPDATE item SET value_epoch = value_epoch + 1 WHERE row = 1",
        "UPDATE item SET expires = expires - 1 WHERE row = 1",
        "UPDATE item SET access_control = 1 WHERE row = 1",
        "UPDATE item SET epoch = epoch + 1 WHERE row = 1",
        "UPDATE item SET accessibility = 3 WHERE row = 1",
        "UPDATE item SET reference = zeroblob(16) WHERE row = 1",
        "UPDATE item SET value = zeroblob(3) WHERE row = 1",
        "UPDATE item SET value = zeroblob(0), metadata = zeroblob(0) WHERE row = 1",
        // The tags of two rows exchanged.
        """
        CREATE TEMP TABLE t AS SELECT row, primary_tag FROM item;
        UPDATE item SET primary_tag = zeroblob(32) WHERE row = 1;
        UPDATE item SET primary_tag = (SELECT primary_tag FROM t WHERE row = 1) WHERE row = 2;
        UPDATE item SET primary_tag = (SELECT primary_tag FROM t WHERE row = 2) WHERE row = 1;
        """,
    ]

    @Test(arguments: changes)
    func aChangedOrMovedRowDoesNotOpen(_ sql: String) throws {
        let other = ItemKey(service: "other", account: "alice")
        try keychain.set(SecretBytes("one"), for: key)
        try keychain.set(SecretBytes("two"), for: other)
        try test.tamper(sql)
        #expect(
            code { () throws(VestryError) in _ = try keychain.secret(for: key) } == .itemDamaged)
        // A new secret makes up for that.
        let isOfTheValueAlone =
            !sql.contains("metadata")
            && (sql.contains("SET value = ") || sql.contains("SET value_epoch"))
        #expect(
            code { () throws(VestryError) in try keychain.set(SecretBytes("x"), for: key) }
                == (isOfTheValueAlone ? nil : .itemDamaged))
    }

    @Test func aReplayedValueDoesNotOpen() throws {
        try keychain.set(SecretBytes("old"), for: key)
        try test.tamper("CREATE TABLE kept AS SELECT value FROM item")
        try keychain.set(SecretBytes("new"), for: key)
        try test.tamper("UPDATE item SET value = (SELECT value FROM kept)")
        #expect(
            code { () throws(VestryError) in _ = try keychain.secret(for: key) } == .itemDamaged)
    }

    @Test func oneDamagedItemDoesNotHideTheOthers() throws {
        try keychain.set(SecretBytes("one"), for: key)
        try keychain.set(SecretBytes("two"), for: ItemKey(service: "other", account: ""))
        try test.tamper("UPDATE item SET epoch = 9 WHERE row = 1")
        let listing = try keychain.items()
        #expect(listing.items.map(\.key.service) == ["other"])
        #expect(listing.damagedCount == 1)
    }

    @Test func datesAreOfNow() throws {
        try keychain.set(SecretBytes("x"), for: key)
        let item = try keychain.item(for: key)
        #expect(item.modificationDate == item.creationDate)
        #expect(abs(item.creationDate - Int64(time(nil))) < 60)
    }

    /// A machine without a battery clock starts in 1970.
    @Test func theModificationDateNeverGoesBack() throws {
        let future = Int64(time(nil)) + 1_000_000
        var metadata = TagsAndContextTests.password(key.service, key.account)
        metadata.values[.accessGroup] = .string(Keychain.defaultAccessGroup)
        metadata.values[.creationDate] = .date(Double(future - 1))
        metadata.values[.modificationDate] = .date(Double(future))
        let directory = try test.home.storeDirectory()
        let items = try ItemStore.openForWriting(
            in: directory, storeID: test.keyring.store.bytes, creating: true)
        guard let items, let indexKey = SharedKeybag.shared?.key(.index),
            let classKey = SharedKeybag.shared?.key(.afterFirstUnlock)
        else { throw TestKeychain.Unavailable() }
        let tags = ItemTags(indexKey: indexKey)
        let operationKey = OperationKey(classKey)
        var row = ItemRow(
            new: [UInt8](repeating: 1, count: 16), .genericPassword,
            Protection(accessibility: .afterFirstUnlock), expires: ItemRow.never)
        row.seal(value: SecretBytes("x"), with: operationKey, in: test.keyring.store)
        row.seal(
            metadata: metadata.encoded(), with: operationKey,
            primaryTag: tags.primaryTag(of: metadata), in: test.keyring.store)
        try items.insert(row, tags: tags.searchTags(of: metadata))
        try items.commit()

        try keychain.set(SecretBytes("y"), for: key)
        #expect(text(try keychain.secret(for: key)) == "y")
        let item = try keychain.item(for: key)
        #expect(item.creationDate == future - 1)
        #expect(item.modificationDate == future)
    }
}
