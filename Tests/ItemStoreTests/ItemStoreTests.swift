import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import ItemStore

let storeID = [UInt8](repeating: 7, count: 16)

func tag(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

func row(_ byte: UInt8, version: Int64 = 1, value: [UInt8]? = [1, 2, 3]) -> ItemRow {
    ItemRow(
        reference: [UInt8](repeating: byte, count: 16), itemClass: 1, accessibility: 2,
        accessControl: 0, epoch: 1, version: version, primaryTag: tag(byte),
        metadata: [byte, byte], value: value)
}

/// Opens for writing and runs `body` in the transaction.
func write(
    in home: TemporaryHome, _ body: (borrowing ItemStore) throws -> Void = { _ in }
) throws {
    let directory = try home.storeDirectory()
    let store = try ItemStore.openForWriting(in: directory, storeID: storeID, creating: true)
    guard let store else { throw TemporaryHome.Failure() }
    try body(store)
    try store.commit()
}

func read<Value>(
    in home: TemporaryHome, _ body: (borrowing ItemStore) throws -> Value
) throws -> Value {
    let directory = try home.storeDirectory()
    guard let store = try ItemStore.openForReading(in: directory, storeID: storeID) else {
        throw TemporaryHome.Failure()
    }
    return try body(store)
}

extension ItemStore {
    /// Removes the item with a tag, and says whether there was one.
    func delete(primaryTag: [UInt8]) throws -> Bool {
        guard let number = try number(primaryTag: primaryTag) else { return false }
        try delete(number: number)
        return true
    }

    /// Every item, or every item that has a tag; metadata only.
    func rows(tag: [UInt8]?) throws -> [ItemRow] {
        let numbers = try numbers(ItemSearch(tags: tag.map { [$0] } ?? []))
        let reader = try reader(of: .metadata)
        return try numbers.map { try reader.row($0) }
    }
}

@Suite struct ItemStoreTests {
    let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    @Test func anAbsentFileIsNeitherMadeNorAnError() throws {
        let directory = try home.storeDirectory()
        let isAbsent =
            try ItemStore.openForReading(in: directory, storeID: storeID) == nil
            && ItemStore.openForWriting(in: directory, storeID: storeID, creating: false) == nil
        #expect(isAbsent)
        #expect(home.storeEntries() == [])
    }

    @Test func theNewFileIsPrivateAndAlone() throws {
        try write(in: home)
        #expect(home.storeEntries() == ["items.sqlite"])
        var status = stat()
        #expect(unsafe stat(home.storePath + "/items.sqlite", &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        // "Vsty", so that file(1) and a newer program know what it is.
        #expect(try home.read("items.sqlite")[68..<72] == [0x56, 0x73, 0x74, 0x79])
    }

    @Test func keepsARowAsItIs() throws {
        try write(in: home) { try $0.insert(row(1), tags: [tag(10), tag(11)]) }
        #expect(
            try read(in: home) { try $0.row(primaryTag: tag(1), boxes: .metadataAndValue) }
                == row(1))
        #expect(
            try read(in: home) { try $0.row(primaryTag: tag(1), boxes: .metadata) }
                == row(1, value: nil))
        #expect(try read(in: home) { try $0.row(primaryTag: tag(2), boxes: .metadata) } == nil)
    }

    @Test func findsRowsByEachOfTheirTags() throws {
        try write(in: home) {
            try $0.insert(row(1), tags: [tag(10), tag(11)])
            try $0.insert(row(2), tags: [tag(10)])
        }
        let found = try read(in: home) { store in
            try [tag(10), tag(11), tag(12)].map { try store.rows(tag: $0).map(\.primaryTag) }
        }
        #expect(found[0].count == 2)
        #expect(found[1] == [tag(1)])
        #expect(found[2] == [])
        #expect(try read(in: home) { try $0.rows(tag: nil).count } == 2)
    }

    @Test func aSecondItemWithThePrimaryTagIsADuplicate() throws {
        try write(in: home) { try $0.insert(row(1), tags: []) }
        #expect(throws: ItemStoreError.duplicate) {
            try write(in: home) { try $0.insert(row(1), tags: []) }
        }
    }

    @Test func updateReplacesRowAndTags() throws {
        try write(in: home) { try $0.insert(row(1), tags: [tag(10)]) }
        let new = row(1, version: 2, value: [9])
        try write(in: home) { try $0.update(new, tags: [tag(11)]) }
        #expect(
            try read(in: home) { try $0.row(primaryTag: tag(1), boxes: .metadataAndValue) } == new)
        #expect(try read(in: home) { try $0.rows(tag: tag(10)).count } == 0)
        #expect(try read(in: home) { try $0.rows(tag: tag(11)).count } == 1)
    }

    @Test func anUpdateWithoutAValueLeavesIt() throws {
        try write(in: home) { try $0.insert(row(1, value: [7, 8]), tags: []) }
        try write(in: home) { try $0.update(row(1, version: 2, value: nil), tags: []) }
        #expect(
            try read(in: home) { try $0.row(primaryTag: tag(1), boxes: .metadataAndValue) }
                == row(1, version: 2, value: [7, 8]))
    }

    @Test func anUpdateToAnotherItemsPrimaryTagIsADuplicate() throws {
        try write(in: home) {
            try $0.insert(row(1), tags: [])
            try $0.insert(row(2), tags: [])
        }
        var moved = row(2)
        moved.primaryTag = tag(1)
        let update = moved
        #expect(throws: ItemStoreError.duplicate) {
            try write(in: home) { try $0.update(update, tags: []) }
        }
    }

    @Test func removesWhatHasEndedAndNothingElse() throws {
        var ended = row(1)
        ended.expires = 100
        var later = row(2)
        later.expires = 101
        let rows = [ended, later, row(3)]
        try write(in: home) { store in
            for row in rows { try store.insert(row, tags: [tag(10)]) }
        }
        try write(in: home) { try $0.deleteExpired(now: 100) }
        #expect(
            try read(in: home) { try $0.rows(tag: tag(10)).map(\.primaryTag) } == [tag(2), tag(3)])
        try write(in: home) { try $0.deleteExpired(now: .max) }
        #expect(try read(in: home) { try $0.rows(tag: nil).map(\.primaryTag) } == [tag(3)])
    }

    @Test func deletionTakesTheTagsAlong() throws {
        try write(in: home) { try $0.insert(row(1), tags: [tag(10)]) }
        var results: [Bool] = []
        for _ in 0..<2 {
            try write(in: home) { results.append(try $0.delete(primaryTag: tag(1))) }
        }
        #expect(results == [true, false])
        #expect(try read(in: home) { try $0.rows(tag: tag(10)).count } == 0)
    }

    @Test func whatIsNotCommittedDidNotHappen() throws {
        try write(in: home) { try $0.insert(row(1), tags: []) }
        struct Interruption: Error {}
        #expect(throws: Interruption.self) {
            try write(in: home) {
                _ = try $0.delete(primaryTag: tag(1))
                throw Interruption()
            }
        }
        #expect(try read(in: home) { try $0.rows(tag: nil).count } == 1)
        #expect(home.storeEntries() == ["items.sqlite"])
    }

    @Test func deletedBytesAreGoneFromTheFile() throws {
        let marker = Array("MARKER-OF-A-DELETED-BOX".utf8)
        try write(in: home) { try $0.insert(row(1, value: marker), tags: []) }
        #expect(try home.read("items.sqlite").contains(marker))
        try write(in: home) { _ = try $0.delete(primaryTag: tag(1)) }
        #expect(try !home.read("items.sqlite").contains(marker))
    }

    @Test func aReaderSeesOneStateUntilItEnds() throws {
        try write(in: home) { try $0.insert(row(1), tags: []) }
        var during = 0
        try write(in: home) { writer in
            try writer.insert(row(2), tags: [])
            during = try read(in: home) { try $0.rows(tag: nil).count }
        }
        #expect(during == 1)
        #expect(try read(in: home) { try $0.rows(tag: nil).count } == 2)
    }
}
