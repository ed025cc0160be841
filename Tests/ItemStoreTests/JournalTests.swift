import CItemFile
import CSQLite
import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import ItemStore

/// The rollback journal, whose bytes are held back until they must be in the file: whatever SQLite does
/// with it, it does as with a journal of its own.
@Suite struct JournalTests {
    let home: TemporaryHome
    var path: String { home.storePath + "/journal.sqlite" }

    init() throws {
        home = try TemporaryHome()
        _ = try home.storeDirectory()
    }

    /// A database with a memory so small that pages of a long change reach the file before it ends.
    @safe
    final class Plain {
        let handle: OpaquePointer

        init(_ path: String, _ system: String) throws {
            try #require(unsafe vestry_item_file_vfs() != nil)
            var opened: OpaquePointer?
            let status = unsafe sqlite3_open_v2(
                path, &opened, SQLITE_OPEN_READWRITE, system)
            unsafe handle = try #require(unsafe opened)
            try #require(status == SQLITE_OK)
            try #require(run("PRAGMA cache_size = 5") == SQLITE_OK)
        }

        deinit { unsafe sqlite3_close(handle) }

        func run(_ sql: String) -> CInt { unsafe sqlite3_exec(handle, sql, nil, nil, nil) }

        /// A number that stands for all rows; -1 where they cannot be read.
        func sum() -> Int64 {
            var statement: OpaquePointer?
            defer { unsafe sqlite3_finalize(statement) }
            let sql = "SELECT sum(number * (1 + length(text))) FROM t"
            guard unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
                unsafe sqlite3_step(statement) == SQLITE_ROW
            else { return -1 }
            return unsafe sqlite3_column_int64(statement, 0)
        }

        func isIntact() -> Bool {
            var statement: OpaquePointer?
            defer { unsafe sqlite3_finalize(statement) }
            guard
                unsafe sqlite3_prepare_v2(handle, "PRAGMA quick_check", -1, &statement, nil)
                    == SQLITE_OK, unsafe sqlite3_step(statement) == SQLITE_ROW,
                let text = unsafe sqlite3_column_text(statement, 0)
            else { return false }
            return unsafe String(cString: text) == "ok"
        }
    }

    /// With rows on several hundred pages.
    func filled() throws -> Plain {
        // An empty file is a database; none would be made.
        try home.write([], to: "journal.sqlite")
        let database = try Plain(path, "vestry")
        #expect(database.run("CREATE TABLE t (number INTEGER PRIMARY KEY, text TEXT)") == SQLITE_OK)
        #expect(database.run(Self.rows) == SQLITE_OK)
        return database
    }

    static let rows = """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO t SELECT i, printf('%.*c', 500 + i % 300, 'x') FROM n
        """

    @Test func aLongChangeIsUndoneAsAWhole() throws {
        let database = try filled()
        let sum = database.sum()
        #expect(database.run("BEGIN; UPDATE t SET text = text || 'longer'") == SQLITE_OK)
        #expect(database.run("DELETE FROM t WHERE number % 3 = 0") == SQLITE_OK)
        #expect(database.sum() != sum)
        #expect(database.run("ROLLBACK") == SQLITE_OK)
        #expect(database.sum() == sum)
        #expect(database.isIntact())
        #expect(home.storeEntries() == ["journal.sqlite"])
    }

    @Test func aPartOfAChangeIsUndoneByItself() throws {
        let database = try filled()
        #expect(database.run("BEGIN; UPDATE t SET text = 'first'; SAVEPOINT s") == SQLITE_OK)
        let sum = database.sum()
        for _ in 0..<3 {
            #expect(database.run("UPDATE t SET text = printf('%.*c', 700, 'y')") == SQLITE_OK)
            #expect(database.run("DELETE FROM t WHERE number > 100; ROLLBACK TO s") == SQLITE_OK)
            #expect(database.sum() == sum)
        }
        #expect(database.run("COMMIT") == SQLITE_OK)
        #expect(database.sum() == sum)
        #expect(database.isIntact())
    }

    /// As a crash leaves them, item file and journal lead any SQLite back to what was before.
    @Test(arguments: [5, 400, 2000]) func aCrashIsUndoneBySQLitesOwnFileSystem(
        _ changed: Int
    ) throws {
        let database = try filled()
        let sum = database.sum()
        #expect(
            database.run("BEGIN; UPDATE t SET text = 'z' WHERE number <= \(changed)") == SQLITE_OK)
        let copied = "copy.sqlite"
        try home.write(try home.read("journal.sqlite"), to: copied)
        try home.write(try home.read("journal.sqlite-journal"), to: copied + "-journal")
        #expect(database.run("COMMIT") == SQLITE_OK)
        #expect(database.sum() != sum)
        for system in ["unix", "vestry"] {
            let other = try Plain(home.storePath + "/" + copied, system)
            #expect(other.sum() == sum)
            #expect(other.isIntact())
        }
    }

    /// Where the disk takes no more of the journal, nothing has changed, for the same connection either.
    @Test func whatADiskDoesNotTakeIsUndone() throws {
        let database = try filled()
        let sum = database.sum()
        let outcome = try inChild {
            guard let database = try? Plain(path, "vestry"),
                database.run("PRAGMA cache_size = 9999") == SQLITE_OK
            else { return 1 }
            setSizeLimit(300_000)
            let status = database.run("BEGIN; UPDATE t SET text = 'w'; COMMIT")
            guard status & 0xFF == SQLITE_IOERR else { return 2 }
            guard database.sum() == sum else { return 3 }
            setSizeLimit(nil)
            guard database.run("UPDATE t SET text = 'v' WHERE number = 1") == SQLITE_OK else {
                return 4
            }
            return database.isIntact() ? 0 : 5
        }
        #expect(outcome == 0)
        #expect(database.sum() == sum - 502 + 2)
        #expect(try Plain(path, "unix").isIntact())
    }

    /// Files cannot grow beyond this, as on a full disk; nil takes it back.
    private func setSizeLimit(_ count: rlim_t?) {
        signal(SIGXFSZ, SIG_IGN)
        let file = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        var limit = rlimit()
        _ = unsafe getrlimit(file, &limit)
        limit.rlim_cur = count ?? limit.rlim_max
        _ = unsafe setrlimit(file, &limit)
    }
}
