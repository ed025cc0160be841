import CSQLite
import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import ItemStore

/// A file of version 1 becomes one of this version when it is written to.
@Suite struct MigrationTests {
    let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        try write(in: home) { try $0.insert(row(1), tags: [tag(10)]) }
        // What version 1 had is what version 2 has less three tables.
        try run(
            """
            DROP TABLE old_value; DROP TABLE deleted; DROP TABLE class_epoch;
            PRAGMA user_version = 1
            """)
    }

    private func run(_ sql: String) throws {
        var database: OpaquePointer?
        defer { unsafe sqlite3_close(database) }
        let path = home.storePath + "/items.sqlite"
        try #require(unsafe sqlite3_open(path, &database) == SQLITE_OK)
        try #require(unsafe sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
    }

    @Test func readingChangesNothing() throws {
        let bytes = try home.read("items.sqlite")
        let found = try read(in: home) { store in
            try (
                store.needsMigration(), store.rows(tag: tag(10)).count,
                store.oldValues(of: row(1), boxes: .metadata).count, store.deletedItems().count
            )
        }
        #expect(found == (true, 1, 0, 0))
        #expect(try home.read("items.sqlite") == bytes)
    }

    @Test func migrationKeepsEveryRow() throws {
        try write(in: home) { try $0.migrate() }
        let isOld = try read(in: home) { try $0.needsMigration() }
        #expect(!isOld)
        #expect(
            try read(in: home) { try $0.row(primaryTag: tag(1), boxes: .metadataAndValue) }
                == row(1))
        try write(in: home) { store in
            try store.migrate()
            try store.keepDeleted(number: 1, until: 500)
        }
        #expect(try read(in: home) { try $0.deletedItems().count } == 1)
    }

    @Test func theSchemasOfANewFileAndOfAMigratedOneAreTheSame() throws {
        try write(in: home) { try $0.migrate() }
        let other = try TemporaryHome()
        try write(in: other)
        #expect(try schema(in: home) == schema(in: other))
    }

    private func schema(in home: TemporaryHome) throws -> [String] {
        var database: OpaquePointer?
        defer { unsafe sqlite3_close(database) }
        try #require(unsafe sqlite3_open(home.storePath + "/items.sqlite", &database) == SQLITE_OK)
        var statement: OpaquePointer?
        defer { unsafe sqlite3_finalize(statement) }
        let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
        try #require(
            unsafe sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK)
        var texts: [String] = []
        while unsafe sqlite3_step(statement) == SQLITE_ROW {
            texts.append(unsafe String(cString: sqlite3_column_text(statement, 0)))
        }
        return texts
    }

    @Test func aMigrationThatIsNotCommittedDidNotHappen() throws {
        struct Interruption: Error {}
        #expect(throws: Interruption.self) {
            try write(in: home) { store in
                try store.migrate()
                throw Interruption()
            }
        }
        let isOld = try read(in: home) { try $0.needsMigration() }
        #expect(isOld)
    }
}

/// Copies of the whole file, and what is put back from them.
@Suite struct CopyTests {
    let home: TemporaryHome
    let other: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        other = try TemporaryHome()
        try write(in: home) { try $0.insert(row(1), tags: [tag(10)]) }
    }

    private func copy() throws -> Bool {
        let source = try home.storeDirectory()
        let destination = try other.storeDirectory()
        return try ItemStore.copyFile(from: source, to: destination)
    }

    @Test func aCopyIsPrivateAndHasEveryRow() throws {
        let isThere = try copy()
        #expect(isThere)
        #expect(other.storeEntries() == ["items.sqlite"])
        var status = stat()
        #expect(unsafe stat(other.storePath + "/items.sqlite", &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        #expect(
            try read(in: other) { try $0.row(primaryTag: tag(1), boxes: .metadataAndValue) }
                == row(1))
    }

    @Test func aCopyInAWritersTransactionIsTheStateBeforeIt() throws {
        try write(in: home) { store in
            #expect(try copy())
            try store.insert(row(2), tags: [])
        }
        #expect(try read(in: other) { try $0.rows(tag: nil).count } == 1)
        #expect(try read(in: home) { try $0.rows(tag: nil).count } == 2)
    }

    @Test func nothingIsReplacedByACopy() throws {
        _ = try copy()
        let bytes = try other.read("items.sqlite")
        try write(in: home) { try $0.insert(row(2), tags: []) }
        #expect(
            throws: ItemStoreError.file(.system(SystemCallError("openat", errno: EEXIST)))
        ) { try copy() }
        #expect(try other.read("items.sqlite") == bytes)
    }

    @Test func withoutAFileThereIsNoCopy() throws {
        let empty = try TemporaryHome()
        let source = try empty.storeDirectory()
        let destination = try other.storeDirectory()
        let isThere = try ItemStore.copyFile(from: source, to: destination)
        #expect(!isThere)
        #expect(other.storeEntries() == [])
    }

    @Test func everythingIsReplacedInOneStep() throws {
        _ = try copy()
        try write(in: home) { store in
            try store.keepDeleted(number: 1, until: 500)
            try store.insert(row(2), tags: [tag(10)])
            try store.setLeastEpoch(2, ofClass: 4)
        }
        let directory = try other.storeDirectory()
        try write(in: home) { store in
            try store.replaceEverything(fromCopyIn: directory, storeID: storeID)
            // Whoever reads meanwhile sees the old state.
            #expect(try read(in: home) { try $0.rows(tag: tag(10)).map(\.primaryTag) } == [tag(2)])
        }
        #expect(try read(in: home) { try $0.rows(tag: tag(10)).map(\.primaryTag) } == [tag(1)])
        #expect(try read(in: home) { try $0.deletedItems().count } == 0)
        #expect(try read(in: home) { try $0.leastEpochs() } == [4: 2])
    }

    @Test func anotherStoresCopyIsRefused() throws {
        _ = try copy()
        let directory = try other.storeDirectory()
        #expect(throws: ItemStoreError.foreignStore) {
            try write(in: home) { store in
                try store.replaceEverything(
                    fromCopyIn: directory, storeID: [UInt8](repeating: 8, count: 16))
            }
        }
        #expect(try read(in: home) { try $0.rows(tag: nil).count } == 1)
    }

    @Test func aDamagedCopyChangesNothing() throws {
        _ = try copy()
        let bytes = try other.read("items.sqlite")
        try other.write(Array(bytes.prefix(8192)), to: "items.sqlite")
        let directory = try other.storeDirectory()
        #expect(throws: (any Error).self) {
            try write(in: home) { store in
                try store.replaceEverything(fromCopyIn: directory, storeID: storeID)
            }
        }
        #expect(try read(in: home) { try $0.rows(tag: nil).count } == 1)
    }
}
