import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import ItemStore

/// An item file that stays open between transactions.
@Suite struct KeptFileTests {
    let home: TemporaryHome
    let file = ItemFile(isKeptOpen: true)

    init() throws { home = try TemporaryHome() }

    func write(_ body: (borrowing ItemStore) throws -> Void) throws {
        let store = try ItemStore.openForWriting(
            in: home.storeDirectory(), storeID: storeID, creating: true, file: file)
        guard let store else { throw TemporaryHome.Failure() }
        try body(store)
        try store.commit()
    }

    func primaryTags(storeID: [UInt8] = storeID) throws -> [[UInt8]] {
        let store = try ItemStore.openForReading(
            in: home.storeDirectory(), storeID: storeID, file: file)
        guard let store else { return [] }
        return try store.rows(tag: nil).map(\.primaryTag)
    }

    func known(_ byte: UInt8) throws -> ItemRow? {
        let store = try ItemStore.openForReading(
            in: home.storeDirectory(), storeID: storeID, isForOneRow: true, file: file)
        guard let store else { return nil }
        return try store.row(primaryTag: tag(byte), boxes: .metadataAndValue)
    }

    @Test func oneTransactionFollowsTheOther() throws {
        try write { try $0.insert(row(1), tags: [tag(9)]) }
        #expect(try primaryTags() == [tag(1)])
        try write { try $0.insert(row(2), tags: [tag(9)]) }
        #expect(try primaryTags() == [tag(1), tag(2)])
        #expect(try known(1) == row(1))
        #expect(try known(1) == row(1))
        try write { _ = try $0.delete(primaryTag: tag(1)) }
        #expect(try known(1) == nil)
        #expect(try primaryTags() == [tag(2)])
    }

    @Test func whatIsNotCommittedIsUndone() throws {
        try write { try $0.insert(row(1), tags: []) }
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try write {
                try $0.insert(row(2), tags: [])
                // What a writer reads may come to nothing.
                let read = try $0.row(primaryTag: tag(2), boxes: .metadataAndValue)
                #expect(read == row(2))
                throw Stop()
            }
        }
        #expect(try known(2) == nil)
        #expect(throws: ItemStoreError.duplicate) {
            try write { try $0.insert(row(1), tags: []) }
        }
        try write { try $0.insert(row(3), tags: []) }
        #expect(try primaryTags() == [tag(1), tag(3)])
    }

    /// A statement that still reads belongs to the transaction.
    @Test func aReaderOutlivesItsStore() throws {
        try write { try $0.insert(row(1), tags: []) }
        func reader() throws -> ItemRowReader {
            let store = try ItemStore.openForReading(
                in: home.storeDirectory(), storeID: storeID, file: file)
            guard let store else { throw TemporaryHome.Failure() }
            return try store.reader(of: .metadataAndValue)
        }
        let reader = try reader()
        #expect(try reader.row(1) == row(1))
        _ = consume reader
        try write { try $0.insert(row(2), tags: []) }
    }

    @Test func aFileThatIsReplacedWhileItIsWrittenIsOpenedAnew() throws {
        try write { try $0.insert(row(1), tags: []) }
        let before = try home.read("items.sqlite")
        try write {
            try $0.insert(row(2), tags: [])
            try home.write(before, to: "items.sqlite")
        }
        #expect(try primaryTags() == [tag(1)])
        try write { try $0.insert(row(3), tags: []) }
        #expect(try primaryTags() == [tag(1), tag(3)])
    }

    @Test func theFileOfAnotherStoreIsRefusedWithoutBeingReadAgain() throws {
        try write { try $0.insert(row(1), tags: []) }
        #expect(try known(1) == row(1))
        let other = [UInt8](repeating: 8, count: 16)
        #expect(throws: ItemStoreError.foreignStore) { try primaryTags(storeID: other) }
        #expect(try known(1) == row(1))
    }

    @Test func aRowIsKnownWhileTheHeaderIsTheSame() throws {
        var header = [UInt8](repeating: 0, count: RecentRows.Header.byteCount)
        #expect(RecentRows.Header(header) == nil)
        (header[0], header[1]) = (1, 1)
        let old = try #require(RecentRows.Header(header))
        var rows = RecentRows()
        rows.insert(row(1), old)
        #expect(rows.isCurrent(old))
        #expect(rows.row(primaryTag: tag(1)) == row(1))
        for offset in header.indices {
            var changed = header
            changed[offset] ^= 2
            #expect(!rows.isCurrent(RecentRows.Header(changed)))
        }
        header[9] = 1
        let new = try #require(RecentRows.Header(header))
        rows.insert(row(2), new)
        #expect(rows.row(primaryTag: tag(1)) == nil)
        rows.insert(row(3, value: [UInt8](repeating: 0, count: 8192)), new)
        rows.insert(row(4, value: nil), new)
        #expect(rows.row(primaryTag: tag(3)) == nil)
        #expect(rows.row(primaryTag: tag(4)) == nil)
        for byte in UInt8(5)..<200 { rows.insert(row(byte), new) }
        #expect(rows.row(primaryTag: tag(2)) == nil)
        #expect(rows.row(primaryTag: tag(199)) == row(199))
    }
}
