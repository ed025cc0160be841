import CItemFile
import CSQLite
import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import ItemStore

/// The locks of the item file: of each connection its own, and SQLite's own all the same.
@Suite struct FileLockTests {
    let home: TemporaryHome
    var path: String { home.storePath + "/" + ItemStore.fileName }

    init() throws {
        home = try TemporaryHome()
        try write(in: home) { try $0.insert(row(1), tags: [tag(9)]) }
    }

    /// Which of SQLite's ways to a file a connection takes.
    enum FileSystem: String, CaseIterable, Sendable {
        case vestry
        case unix
    }

    /// A connection that never waits.
    @safe
    final class Plain {
        let handle: OpaquePointer

        init(_ path: String, _ system: FileSystem) throws {
            try #require(unsafe vestry_item_file_vfs() != nil)
            var opened: OpaquePointer?
            let status = unsafe sqlite3_open_v2(
                path, &opened, SQLITE_OPEN_READWRITE, system.rawValue)
            unsafe handle = try #require(unsafe opened)
            try #require(status == SQLITE_OK)
        }

        deinit { unsafe sqlite3_close(handle) }

        func run(_ sql: String) -> CInt { unsafe sqlite3_exec(handle, sql, nil, nil, nil) }
    }

    func writer(_ file: ItemFile) throws -> ItemStore {
        let store = try ItemStore.openForWriting(
            in: home.storeDirectory(), storeID: storeID, creating: false, file: file)
        guard let store else { throw TemporaryHome.Failure() }
        return store
    }

    func reader(_ file: ItemFile) throws -> ItemStore {
        let store = try ItemStore.openForReading(
            in: home.storeDirectory(), storeID: storeID, file: file)
        guard let store else { throw TemporaryHome.Failure() }
        return store
    }

    /// Whether anybody, this process included, has locked one of the bytes that SQLite locks.
    func isLocked() throws -> Bool {
        let file = try FileDescriptor(opening: path, in: AT_FDCWD, flags: O_RDWR)
        return try !file.tryLock(from: 0x4000_0000, count: 512)
    }

    @Test func closingADescriptorOfTheFileDropsNoLock() throws {
        let items = try writer(ItemFile(isKeptOpen: false))
        try items.insert(row(2), tags: [])
        #expect(try isLocked())
        // That look has closed one; so does a connection that ends, and a copy of the file.
        #expect(try isLocked())
        let other = try Plain(path, .vestry)
        #expect(other.run("SELECT * FROM item") == SQLITE_OK)
        _ = consume other
        _ = try home.read(ItemStore.fileName)
        #expect(try isLocked())
        #expect(try Plain(path, .vestry).run("BEGIN IMMEDIATE") == SQLITE_BUSY)
        try items.commit()
        #expect(try !isLocked())
    }

    /// Threads that read all the time would keep a writer of another process waiting for ever.
    @Test func aReaderWaitsForAWriterWhoWaitsThoughItsProcessReads() throws {
        let first = try Plain(path, .vestry)
        #expect(first.run("BEGIN; SELECT * FROM item") == SQLITE_OK)
        // What a writer locks that waits for readers.
        let writer = try FileDescriptor(opening: path, in: AT_FDCWD, flags: O_RDWR)
        #expect(try writer.tryLock(from: 0x4000_0000, count: 1))
        let second = try Plain(path, .vestry)
        #expect(second.run("SELECT * FROM item") == SQLITE_BUSY)
        #expect(first.run("SELECT * FROM item; COMMIT") == SQLITE_OK)
        writer.unlock()
        #expect(second.run("SELECT * FROM item") == SQLITE_OK)
    }

    @Test(arguments: FileSystem.allCases, FileSystem.allCases)
    func connectionsOfBothKindsKeepOutOfEachOthersWay(
        _ system: FileSystem, _ otherSystem: FileSystem
    ) throws {
        let holder = try Plain(path, system)
        let other = try Plain(path, otherSystem)
        #expect(holder.run("BEGIN; SELECT * FROM item") == SQLITE_OK)
        #expect(other.run("SELECT * FROM item") == SQLITE_OK)
        #expect(other.run("BEGIN EXCLUSIVE") == SQLITE_BUSY)
        #expect(holder.run("COMMIT; BEGIN IMMEDIATE") == SQLITE_OK)
        #expect(other.run("SELECT * FROM item") == SQLITE_OK)
        #expect(other.run("BEGIN IMMEDIATE") == SQLITE_BUSY)
        #expect(holder.run("UPDATE item SET version = 2; COMMIT; BEGIN EXCLUSIVE") == SQLITE_OK)
        #expect(other.run("SELECT * FROM item") == SQLITE_BUSY)
        #expect(other.run("BEGIN IMMEDIATE") == SQLITE_BUSY)
        #expect(holder.run("ROLLBACK") == SQLITE_OK)
        #expect(try !isLocked())
        #expect(other.run("UPDATE item SET version = 3") == SQLITE_OK)
        #expect(holder.run("SELECT * FROM item WHERE version = 3") == SQLITE_OK)
        #expect(try !isLocked())
    }

    /// A commit that readers have kept waiting is undone, and keeps nobody out.
    @Test func aCommitThatFailsLeavesNoLock() throws {
        let reader = try Plain(path, .unix)
        #expect(reader.run("BEGIN; SELECT * FROM item") == SQLITE_OK)
        let connection = try Connection(.file(path: path))
        try connection.execute("BEGIN IMMEDIATE")
        try connection.execute("DELETE FROM item")
        #expect(throws: ItemStoreError.busy) { try connection.execute("COMMIT") }
        #expect(connection.end())
        #expect(reader.run("COMMIT") == SQLITE_OK)
        #expect(try !isLocked())
        #expect(reader.run("BEGIN EXCLUSIVE; ROLLBACK") == SQLITE_OK)
        let items = try self.reader(ItemFile(isKeptOpen: false))
        #expect(try items.rows(tag: tag(9)).map(\.primaryTag) == [tag(1)])
    }

    @Test func aDescriptorThatBecameAnotherFilesIsNeitherWrittenToNorClosed() throws {
        let connection = try Plain(path, .vestry)
        #expect(connection.run("BEGIN IMMEDIATE; UPDATE item SET version = 2") == SQLITE_OK)
        let number = try #require(descriptors().first)
        let before = try home.read(ItemStore.fileName)
        let victimPath = home.path + "/victim"
        let victim = try FileDescriptor(
            opening: victimPath, in: AT_FDCWD, flags: O_RDWR | O_CREAT, mode: 0o600)
        try victim.write([1, 2, 3])
        try #require(dup2(victim.rawValue, number) == number)
        #expect(connection.run("COMMIT") != SQLITE_OK)
        _ = consume connection
        #expect(try victim.status().st_size == 3)
        #expect(fcntl(number, F_GETFD) >= 0)
        close(number)
        #expect(try home.read(ItemStore.fileName) == before)
    }

    /// The numbers under which this process has the item file open.
    func descriptors() -> [CInt] {
        (CInt(0)..<256).filter { number in
            var (open, named) = (stat(), stat())
            guard unsafe fstat(number, &open) == 0, unsafe stat(path, &named) == 0 else {
                return false
            }
            return open.st_dev == named.st_dev && open.st_ino == named.st_ino
        }
    }

    /// Also by a connection that began as a reader's.
    @Test(arguments: ["read", "wrote"]) func anItemTakesItsTagsAlong(_ before: String) throws {
        let file = ItemFile(isKeptOpen: true)
        if before == "read" {
            let items = try self.reader(file)
            #expect(try items.rows(tag: nil).count == 1)
        }
        for _ in 0..<2 {
            let items = try writer(file)
            #expect(try items.delete(primaryTag: tag(1)))
            // It gets the number of the one that went.
            try items.insert(row(1), tags: [tag(9)])
            try items.commit()
        }
    }
}
