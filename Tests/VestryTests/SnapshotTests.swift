import Foundation
import Glibc
import SecureMemory
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// Copies of the whole keychain.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct SnapshotTests {
    let test: TestKeychain
    var keychain: Keychain { test.keychain }
    let key = ItemKey(service: "git.example.org", account: "alice")

    init() throws {
        test = try TestKeychain()
        try keychain.set(SecretBytes("one"), for: key)
    }

    private var folder: String { test.home.storePath + "/snapshots" }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    /// Makes the item file as old as one that was written so many days ago.
    private func age(days: Int, _ path: String? = nil) {
        let then = timespec(tv_sec: time(nil) - days * 86_400, tv_nsec: 0)
        let times = [then, then]
        #expect(
            unsafe utimensat(
                AT_FDCWD, path ?? test.home.storePath + "/items.sqlite", times, 0) == 0)
    }

    @Test func aSnapshotIsPrivateAndHoldsBothFiles() throws {
        #expect(try keychain.snapshots().isEmpty)
        let made = try keychain.makeSnapshot()
        #expect(try keychain.snapshots() == [made])
        #expect(made.reason == .manual)
        #expect(made.byteCount > 4096)
        #expect(mode(folder) == 0o700)
        #expect(mode(folder + "/" + made.name) == 0o700)
        for file in ["items.sqlite", "keybag"] {
            #expect(mode(folder + "/" + made.name + "/" + file) == 0o600)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [made.name])
    }

    @Test func restoringBringsEverythingBackAndCanItselfBeTakenBack() throws {
        let snapshot = try keychain.makeSnapshot()
        try keychain.set(SecretBytes("two"), for: key)
        let other = ItemKey(service: "other", account: "")
        try keychain.set(SecretBytes("other"), for: other)
        let before = try keychain.restore(snapshot)
        #expect(before.reason == .restore)
        #expect(text(try keychain.secret(for: key)) == "one")
        #expect(try keychain.history(of: key).isEmpty)
        #expect(
            code { () throws(VestryError) in _ = try keychain.secret(for: other) }
                == .itemNotFound)
        try keychain.restore(before)
        #expect(text(try keychain.secret(for: key)) == "two")
        #expect(text(try keychain.secret(for: other)) == "other")
        #expect(try keychain.history(of: key).count == 1)
    }

    @Test func aWriterThatWaitedForARestoreWritesIntoIt() throws {
        let snapshot = try keychain.makeSnapshot()
        try keychain.restore(snapshot)
        try keychain.set(SecretBytes("after"), for: key)
        #expect(text(try keychain.secret(for: key)) == "after")
    }

    @Test func keysOfThePastAreRefused() throws {
        let snapshot = try keychain.makeSnapshot()
        try test.tamper("INSERT INTO class_epoch VALUES (2, 2)")
        #expect(
            code { () throws(VestryError) in try keychain.restore(snapshot) } == .notAvailable)
        #expect(text(try keychain.secret(for: key)) == "one")
    }

    @Test func aDamagedSnapshotChangesNothing() throws {
        let snapshot = try keychain.makeSnapshot()
        let file = folder + "/" + snapshot.name + "/items.sqlite"
        try FileManager.default.removeItem(atPath: file)
        #expect(
            FileManager.default.createFile(
                atPath: file, contents: Data("nothing".utf8),
                attributes: [.posixPermissions: 0o600]))
        #expect(code { () throws(VestryError) in try keychain.restore(snapshot) } == .damaged)
        #expect(text(try keychain.secret(for: key)) == "one")
    }

    @Test func aSnapshotThatIsGoneIsNotFound() throws {
        let snapshot = try keychain.makeSnapshot()
        try keychain.delete(snapshot)
        #expect(try keychain.snapshots().isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        #expect(code { () throws(VestryError) in try keychain.delete(snapshot) } == .itemNotFound)
        #expect(code { () throws(VestryError) in try keychain.restore(snapshot) } == .itemNotFound)
    }

    @Test func theFirstWriteOfADayKeepsTheDayBefore() throws {
        try keychain.set(SecretBytes("two"), for: key)
        #expect(try keychain.snapshots().isEmpty)
        age(days: 1)
        try keychain.set(SecretBytes("three"), for: key)
        try keychain.set(SecretBytes("four"), for: key)
        let snapshots = try keychain.snapshots()
        #expect(snapshots.map(\.reason) == [.daily])
        try keychain.restore(snapshots[0])
        #expect(text(try keychain.secret(for: key)) == "two")
    }

    @Test func aWriteWithoutItsSnapshotIsMade() throws {
        // As a disk that has room for one and not for the other.
        try FileManager.default.removeItem(atPath: folder)
        try Data().write(to: URL(filePath: folder))
        age(days: 1)
        try keychain.set(SecretBytes("two"), for: key)
        #expect(text(try keychain.secret(for: key)) == "two")
    }

    @Test func theOldestGoBeyondTheirNumber() throws {
        try FileManager.default.createDirectory(
            atPath: test.home.path + "/.config/vestry", withIntermediateDirectories: true)
        try Data("snapshots = 2".utf8).write(
            to: URL(filePath: test.home.path + "/.config/vestry/history"))
        let made = try (0..<4).map { _ in try keychain.makeSnapshot() }
        #expect(try keychain.snapshots() == [made[3], made[2]])
    }

    @Test func whatACrashHasLeftIsNoSnapshotAndIsRemoved() throws {
        try keychain.makeSnapshot()
        let left = folder + "/.new-abc"
        try FileManager.default.createDirectory(
            atPath: left, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data("part".utf8).write(to: URL(filePath: left + "/items.sqlite"))
        #expect(try keychain.snapshots().count == 1)
        try keychain.makeSnapshot()
        // Somebody may be making it.
        #expect(FileManager.default.fileExists(atPath: left))
        age(days: 1, left)
        try keychain.makeSnapshot()
        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(try keychain.snapshots().count == 3)
    }
}

@Suite struct SnapshotNameTests {
    @Test(arguments: [
        (Int64(0), 1, "19700101T000000Z-daily"), (951_782_400, 1, "20000229T000000Z-daily"),
        (1_798_761_599, 2, "20261231T235959Z-daily-2"),
        (4_107_542_400, 1, "21000301T000000Z-daily"),
    ])
    func aNameIsATime(_ date: Int64, _ number: Int, _ name: String) {
        #expect(Snapshot.name(at: date, .daily, number: number) == name)
        let snapshot = Snapshot(name: name)
        #expect(snapshot?.date == date)
        #expect(snapshot?.reason == .daily)
    }

    @Test(arguments: [
        "", "..", ".new-abc", "20261231T235959Z", "20261231T235959Z-weekly",
        "20261331T235959Z-daily", "20261231T235959Z-daily-1", "20261231T235959Z-daily-02",
        "20261231T235959Z-daily/", "+0261231T235959Z-daily", "20261231T235959Z-daily-2-2",
    ])
    func anythingElseIsNone(_ name: String) {
        #expect(Snapshot(name: name) == nil)
    }
}
