import TestSupport
import Testing

@testable import ItemStore

/// Old values and deleted items.
@Suite struct KeptRowTests {
    let home: TemporaryHome
    let limit = HistoryLimit(valueCount: 3, byteCount: 1000)

    init() throws { home = try TemporaryHome() }

    /// Gives item 1 a value after another, each kept when the next one comes.
    private func replaceValues(_ values: [[UInt8]], limit: HistoryLimit) throws {
        for (index, value) in values.enumerated() {
            let version = Int64(index + 1)
            try write(in: home) { store in
                if index == 0 {
                    try store.insert(row(1, value: value), tags: [tag(10)])
                } else {
                    var note = row(1, version: version - 1, value: nil)
                    note.metadata = [UInt8(index)]
                    try store.keepValue(of: note, limit: limit)
                    try store.update(row(1, version: version, value: value), tags: [tag(10)])
                }
            }
        }
    }

    private func oldValues() throws -> [OldValueRow] {
        try read(in: home) { try $0.oldValues(of: row(1), boxes: .metadataAndValue) }
    }

    @Test func oldValuesAreTheItemsBoxesTheNewestFirst() throws {
        try replaceValues([[1], [2], [3]], limit: limit)
        let values = try oldValues()
        #expect(values.map(\.row.value) == [[2], [1]])
        #expect(values.map(\.row.valueVersion) == [2, 1])
        #expect(values.map(\.row.metadata) == [[2], [1]])
        #expect(
            try read(in: home) { try $0.row(primaryTag: tag(1), boxes: .metadataAndValue)?.value }
                == [3])
    }

    @Test func theOldestGoBeyondEachLimit() throws {
        try replaceValues([[1], [2], [3], [4], [5]], limit: limit)
        #expect(try oldValues().map(\.row.value) == [[4], [3], [2]])
    }

    @Test func manyBytesTakeTheRoomOfOlderValues() throws {
        let large = [UInt8](repeating: 9, count: 600)
        try replaceValues([large, large, [3]], limit: limit)
        #expect(try oldValues().map(\.row.value) == [large])
    }

    @Test func whatIsTrimmedIsGoneFromTheFile() throws {
        let marker = Array("MARKER-OF-A-TRIMMED-VALUE".utf8)
        try replaceValues(
            [marker, [2], [3]], limit: HistoryLimit(valueCount: 1, byteCount: 1000))
        #expect(try !home.read("items.sqlite").contains(marker))
    }

    @Test func aDeletedItemComesBackWithItsTags() throws {
        try replaceValues([[1], [2]], limit: limit)
        let before = try read(in: home) {
            try $0.row(primaryTag: tag(1), boxes: .metadataAndValue)
        }
        try write(in: home) { store in
            let number = try #require(try store.number(primaryTag: tag(1)))
            try store.keepDeleted(number: number, until: 500)
        }
        #expect(try read(in: home) { try $0.rows(tag: tag(10)).count } == 0)
        let deleted = try read(in: home) { try $0.deletedItems(primaryTag: tag(1)) }
        #expect(deleted.map(\.gone) == [500])
        #expect(try read(in: home) { try $0.deletedItems(reference: row(2).reference).count } == 0)
        try write(in: home) { try $0.restoreDeleted(deleted[0].number) }
        #expect(
            try read(in: home) { try $0.row(primaryTag: tag(1), boxes: .metadataAndValue) }
                == before)
        #expect(try read(in: home) { try $0.rows(tag: tag(10)).count } == 1)
        #expect(try oldValues().map(\.row.value) == [[1]])
        #expect(try read(in: home) { try $0.deletedItems().count } == 0)
    }

    @Test func aTakenPlaceIsADuplicate() throws {
        try write(in: home) { try $0.insert(row(1), tags: []) }
        try write(in: home) { try $0.keepDeleted(number: 1, until: 500) }
        var other = row(2)
        other.primaryTag = tag(1)
        let present = other
        try write(in: home) { try $0.insert(present, tags: []) }
        #expect(throws: ItemStoreError.duplicate) {
            try write(in: home) { try $0.restoreDeleted(1) }
        }
    }

    @Test func whatIsOverIsGoneWithItsOldValues() throws {
        try replaceValues([[1], [2]], limit: limit)
        var ending = row(2)
        ending.expires = 300
        let item = ending
        try write(in: home) { store in
            try store.insert(item, tags: [])
            for byte: UInt8 in [1, 2] {
                let number = try #require(try store.number(primaryTag: tag(byte)))
                try store.keepDeleted(number: number, until: 500)
            }
        }
        // An item's own end counts too.
        #expect(try read(in: home) { try $0.deletedItems().map(\.gone) } == [300, 500])
        try write(in: home) { try $0.deleteGone(now: 300) }
        #expect(try read(in: home) { try $0.deletedItems().map(\.gone) } == [500])
        #expect(try oldValues().count == 1)
        try write(in: home) { try $0.deleteGone(now: 500) }
        #expect(try read(in: home) { try $0.deletedItems().count } == 0)
        #expect(try oldValues().count == 0)
    }

    @Test func anEndedItemTakesItsOldValuesAlong() throws {
        try replaceValues([[1], [2]], limit: limit)
        var ended = row(1, version: 3)
        ended.expires = 10
        let item = ended
        try write(in: home) { try $0.update(item, tags: []) }
        try write(in: home) { try $0.deleteExpired(now: 10) }
        #expect(try oldValues().count == 0)
    }

    @Test func theFirstDeletedGoBeyondEachLimit() throws {
        try write(in: home) { store in
            for byte: UInt8 in 1...4 {
                try store.insert(row(byte), tags: [])
                let number = try #require(try store.number(primaryTag: tag(byte)))
                try store.keepDeleted(number: number, until: 500)
            }
            try store.trimDeleted(to: DeletedLimit(itemCount: 3, byteCount: 1000))
        }
        #expect(
            try read(in: home) { try $0.deletedItems().map(\.row.primaryTag) }
                == [tag(4), tag(3), tag(2)])
        // Each has 5 bytes.
        try write(in: home) {
            try $0.trimDeleted(to: DeletedLimit(itemCount: 3, byteCount: 14))
        }
        #expect(try read(in: home) { try $0.deletedItems().count } == 2)
    }

    @Test func eachRemovalForGoodSaysHowMuchThereWas() throws {
        try replaceValues([[1], [2], [3]], limit: limit)
        var counts: [Int] = []
        try write(in: home) { store in
            counts.append(try store.deleteOldValues(of: row(2).reference))
            counts.append(try store.deleteAllOldValues())
            try store.keepDeleted(number: 1, until: 500)
            counts.append(try store.deleteAllDeleted())
            counts.append(try store.deleteAllDeleted())
        }
        #expect(counts == [0, 2, 1, 0])
    }

    @Test func leastEpochsNeverFall() throws {
        try write(in: home) { store in
            try store.setLeastEpoch(3, ofClass: 4)
            try store.setLeastEpoch(2, ofClass: 4)
            try store.setLeastEpoch(2, ofClass: 2)
        }
        #expect(try read(in: home) { try $0.leastEpochs() } == [4: 3, 2: 2])
    }

    @Test func everySealingIsListedOnce() throws {
        try replaceValues([[1], [2]], limit: limit)
        var other = row(2)
        other.accessControl = 1
        other.valueEpoch = 7
        let item = other
        try write(in: home) { store in
            try store.insert(item, tags: [])
            let number = try #require(try store.number(primaryTag: tag(2)))
            try store.keepDeleted(number: number, until: 500)
        }
        let sealings = try read(in: home) { try $0.sealings() }
        #expect(
            sealings == [
                RowSealing(accessibility: 2, accessControl: 0, epoch: 1, valueEpoch: 1),
                RowSealing(accessibility: 2, accessControl: 1, epoch: 1, valueEpoch: 7),
            ])
    }
}
