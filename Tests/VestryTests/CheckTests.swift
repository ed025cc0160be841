import CSQLite
import Foundation
import KernelKeyring
import KeyClasses
import SecureMemory
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// What a check says of the past of a keychain, and a repair does about it.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct CheckTests {
    let test: TestKeychain
    var keychain: Keychain { test.keychain }
    let key = ItemKey(service: "git.example.org", account: "alice")

    init() throws { test = try TestKeychain() }

    private func set(_ secrets: String...) throws {
        for secret in secrets { try keychain.set(SecretBytes(secret), for: key) }
    }

    private func files(_ word: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: test.home.storePath).filter {
            $0.contains(word)
        }
    }

    private func quarantine() throws -> [String] {
        let name = try #require(try files("quarantine").first)
        var database: OpaquePointer?
        defer { unsafe sqlite3_close(database) }
        try #require(
            unsafe sqlite3_open(test.home.storePath + "/" + name, &database) == SQLITE_OK)
        var query: OpaquePointer?
        defer { unsafe sqlite3_finalize(query) }
        let sql = "SELECT place || ' ' || number || ': ' || reason FROM quarantine ORDER BY 1"
        try #require(unsafe sqlite3_prepare_v2(database, sql, -1, &query, nil) == SQLITE_OK)
        var rows: [String] = []
        while unsafe sqlite3_step(query) == SQLITE_ROW {
            let text = unsafe sqlite3_column_text(query, 0)
            if let text = unsafe text { rows.append(unsafe String(cString: text)) }
        }
        return rows
    }

    @Test func aWholePastIsCounted() throws {
        try set("one", "two", "three")
        let other = ItemKey(service: "gone", account: "bob")
        try keychain.set(SecretBytes("x"), for: other)
        try keychain.delete(other)
        try keychain.makeSnapshot()
        let report = try keychain.check()
        #expect(!report.isDamaged && report.soundCount == 1)
        #expect(report.past.sound == 3 && report.past.damaged == 0)
        #expect(report.snapshots.sound == 1)
    }

    @Test func damageInAnOldSecretIsNamedAndOnlyThatIsPutAside() throws {
        try set("one", "two", "three", "four")
        // The second of three, "two", is the second newest too.
        try test.tamper("UPDATE old_value SET value = zeroblob(60) WHERE row = 2")
        let report = try keychain.check()
        #expect(report.findings.map(\.kind) == [.oldSecret] && report.soundCount == 1)
        #expect(report.findings.first?.oldSecretNumber == 2)
        #expect(report.findings.first?.record?[.account]?.string == "alice")
        #expect(report.past.damaged == 1 && report.past.sound == 2)

        let repair = try keychain.repair()
        #expect(repair.count(.pastQuarantine) == 1 && repair.count(.quarantine) == 0)
        #expect(text(try keychain.secret(for: key)) == "four")
        #expect(try keychain.history(of: key).count == 2)
        #expect(try quarantine().map { String($0.prefix(12)) } == ["old_value 2:"])
        #expect(try !keychain.check().isDamaged)
        try keychain.undo(key, number: 2)
        #expect(text(try keychain.secret(for: key)) == "one")
    }

    @Test func aChangedNoteAndAMissingItemAreDamage() throws {
        try set("one", "two", "three")
        try test.tamper("UPDATE old_value SET note = zeroblob(60) WHERE row = 1")
        try test.tamper("UPDATE old_value SET reference = zeroblob(16) WHERE row = 2")
        let findings = try keychain.check().findings
        #expect(findings.map(\.kind) == [.oldSecret, .oldSecret])
        #expect(findings.last?.detail == "its item is not there")
        #expect(try keychain.repair().count(.pastQuarantine) == 2)
        #expect(text(try keychain.secret(for: key)) == "three")
        #expect(try !keychain.check().isDamaged)
    }

    @Test func aDamagedDeletedItemIsNamedAndPutAside() throws {
        try set("kept")
        for account in ["a", "b", "c"] {
            let other = ItemKey(service: "gone", account: account)
            try keychain.set(SecretBytes(account), for: other)
            try keychain.delete(other)
        }
        try test.tamper("UPDATE deleted SET value = zeroblob(60) WHERE row = 1")
        try test.tamper("UPDATE deleted SET tags = zeroblob(64) WHERE row = 2")
        let report = try keychain.check()
        #expect(report.findings.map(\.kind) == [.deletedItem, .deletedItem])
        #expect(report.findings.first?.record?[.account]?.string == "a")
        #expect(report.past.sound == 1 && report.soundCount == 1)
        let repair = try keychain.repair()
        #expect(repair.count(.pastQuarantine) == 1 && repair.count(.pastTags) == 1)
        #expect(try keychain.deletedItems().items.count == 2)
        #expect(try !keychain.check().isDamaged)
        try keychain.undo(ItemKey(service: "gone", account: "b"))
        #expect(try keychain.items(service: "gone").items.count == 1)
    }

    @Test func anItemThatComesBackFromASnapshotKeepsItsOldSecrets() throws {
        try set("one", "two")
        try keychain.makeSnapshot()
        try test.tamper("UPDATE item SET value = zeroblob(60)")
        #expect(try keychain.repair().count(.restored) == 1)
        #expect(text(try keychain.secret(for: key)) == "two")
        #expect(try keychain.history(of: key).count == 1)
    }

    @Test func whatIsLockedIsCountedAndNeverCalledDamaged() throws {
        let other = ItemKey(service: "gone", account: "bob")
        for secret in ["one", "two"] {
            try keychain.set(SecretBytes(secret), for: other, accessibility: .whenUnlocked)
        }
        try keychain.delete(other)
        try keychain.makeSnapshot()
        try test.tamper("UPDATE deleted SET value = zeroblob(60)")
        try test.tamper("UPDATE old_value SET value = zeroblob(60)")
        try keychain.lock()
        let locked = try keychain.check()
        #expect(!locked.isDamaged && locked.past.locked == 2 && locked.snapshots.locked == 1)
        try test.unlock()
        let unlocked = try keychain.check()
        #expect(unlocked.past.damaged == 2 && unlocked.snapshots.sound == 1)
        #expect(unlocked.findings.map(\.kind) == [.deletedItem, .oldSecret])
    }

    @Test func aDamagedSnapshotIsNamedAndTheKeychainIsNot() throws {
        try set("one", "two")
        let snapshot = try keychain.makeSnapshot()
        let path = test.home.storePath + "/snapshots/" + snapshot.name
        try test.tamper(
            "UPDATE old_value SET value = zeroblob(60)",
            file: "snapshots/\(snapshot.name)/items.sqlite")
        let report = try keychain.check()
        #expect(report.isDamagedInSnapshotsOnly && report.snapshots.damaged == 1)
        #expect(report.findings.map(\.snapshot) == [snapshot.name])
        #expect(report.findings.first?.oldSecretNumber == 1)
        for name in ["keybag", "items.sqlite"] {
            try Data("nothing".utf8).write(to: URL(filePath: path + "/" + name))
        }
        let worse = try keychain.check()
        #expect(worse.isDamagedInSnapshotsOnly && worse.snapshots.damaged == 1)
        #expect(worse.count(.snapshot) >= 2 && worse.soundCount == 1)
        #expect(try keychain.repair().steps.isEmpty)
    }
}
