import CSQLite
import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import ItemStore

@Suite struct ItemStoreRefusalTests {
    let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        try write(in: home) { try $0.insert(row(1), tags: [tag(10)]) }
    }

    struct Contents: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: @Sendable ([UInt8]) -> [UInt8]

        init(_ name: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) {
            testDescription = name
            self.change = change
        }
    }

    static let damages = [
        Contents("no bytes", { _ in [] }),
        Contents("18 bytes", { Array($0.prefix(18)) }),
        Contents("text", { _ in Array("[section]\nkey=value\n".utf8) }),
        Contents("one page", { Array($0.prefix(4096)) }),
        Contents("another application's database", { $0.replacing(at: 68, with: [0, 0, 0, 0]) }),
        Contents("schema version 0", { $0.replacing(at: 60, with: [0, 0, 0, 0]) }),
        Contents(
            "overwritten schema",
            { $0.replacing(at: 100, with: [UInt8](repeating: 0xFF, count: 3996)) }),
    ]

    @Test(arguments: damages)
    func neverReplacesADamagedFile(_ damage: Contents) throws {
        let bytes = damage.change(try home.read("items.sqlite"))
        try home.write(bytes, to: "items.sqlite")
        #expect(isDamaged { try read(in: home) { try $0.rows(tag: nil).count } })
        #expect(isDamaged { try write(in: home) { try $0.insert(row(2), tags: []) } })
        #expect(try home.read("items.sqlite") == bytes)
    }

    @Test func refusesANewerFormat() throws {
        let bytes = try home.read("items.sqlite").replacing(at: 60, with: [0, 0, 0, 3])
        try home.write(bytes, to: "items.sqlite")
        #expect(throws: ItemStoreError.newerFormat(version: 3)) {
            try read(in: home) { try $0.rows(tag: nil).count }
        }
        #expect(throws: ItemStoreError.newerFormat(version: 3)) { try write(in: home) }
        #expect(try home.read("items.sqlite") == bytes)
    }

    @Test func refusesTheItemsOfAnotherStore() throws {
        let directory = try home.storeDirectory()
        let other = [UInt8](repeating: 8, count: 16)
        #expect(throws: ItemStoreError.foreignStore) {
            _ = try ItemStore.openForReading(in: directory, storeID: other) == nil
        }
    }

    @Test func refusesWhatOthersCanRead() throws {
        unsafe chmod(home.storePath + "/items.sqlite", 0o640)
        #expect(throws: ItemStoreError.file(.tooPermissive(mode: 0o640))) { try write(in: home) }
    }

    @Test(arguments: ["items.sqlite", "items.sqlite-journal"])
    func refusesASymbolicLinkAndAFIFO(_ name: String) throws {
        let path = home.storePath + "/" + name
        unsafe unlink(path)
        unsafe symlink("/etc/passwd", path)
        #expect(throws: ItemStoreError.file(.wrongType)) { try write(in: home) }
        unsafe unlink(path)
        unsafe mkfifo(path, 0o600)
        #expect(throws: ItemStoreError.file(.wrongType)) { try write(in: home) }
    }

    @Test func noSingleByteChangeTraps() throws {
        let bytes = try home.read("items.sqlite")
        // Every byte of the header and the schema page, and a sample of the others.
        for offset in Array(0..<200) + Array(stride(from: 200, to: bytes.count, by: 97)) {
            try home.write(
                bytes.replacing(at: offset, with: [bytes[offset] ^ 0x5A]), to: "items.sqlite")
            _ = try? read(in: home) { store in
                _ = try? store.rows(tag: nil)
                _ = try? store.row(primaryTag: tag(1), boxes: .metadataAndValue)
            }
        }
    }

    @Test func mapsEveryKindOfResultCode() {
        let table: [(CInt, CInt, ItemStoreError)] = [
            (SQLITE_BUSY, 0, .busy), (SQLITE_FULL, 0, .noSpace), (SQLITE_READONLY, 0, .readOnly),
            (SQLITE_CORRUPT, 0, .damaged(reason: "SQLite result 11")),
            (SQLITE_NOTADB, 0, .damaged(reason: "SQLite result 26")), (2067, 0, .duplicate),
            (275, 0, .damaged(reason: "SQLite result 275")),
            (SQLITE_IOERR, ENOSPC, .noSpace), (SQLITE_IOERR, EDQUOT, .noSpace),
            (SQLITE_CANTOPEN, EROFS, .readOnly),
            (SQLITE_CANTOPEN, EACCES, .file(.system(SystemCallError("open", errno: EACCES)))),
            (SQLITE_IOERR, EIO, .inputOutput(code: SQLITE_IOERR, errno: EIO)),
            (SQLITE_NOMEM, 0, .inputOutput(code: SQLITE_NOMEM, errno: 0)),
        ]
        for (status, errno, expected) in table {
            #expect(ItemStoreError(sqlite: status, errno: errno) == expected)
        }
    }

    private func isDamaged(_ body: () throws -> some Any) -> Bool {
        do {
            _ = try body()
            return false
        } catch ItemStoreError.damaged {
            return true
        } catch {
            return false
        }
    }
}

extension [UInt8] {
    func replacing(at offset: Int, with bytes: [UInt8]) -> [UInt8] {
        var copy = self
        copy.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        return copy
    }
}
