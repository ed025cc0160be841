import KeyClasses
import SecureMemory
import Testing

@testable import Vestry

@Suite struct TagsAndContextTests {
    static func indexKey(_ byte: UInt8) throws -> ClassKey {
        let seed = SecretBytes(copying: [UInt8](repeating: byte, count: 32).span)
        guard let key = ClassKey(.index, epoch: 1, seed: seed) else { throw MissingKey() }
        return key
    }

    struct MissingKey: Error {}

    @Test func noTwoKeysShareATag() throws {
        let tags = ItemTags(indexKey: try Self.indexKey(1))
        let keys = [
            ("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", ""), ("a\u{0}", "bc"), ("é", "c"),
            ("e\u{301}", "c"), ("AB", "c"), ("ab", "c\n"),
        ].map { ItemKey(service: $0.0, account: $0.1) }
        var seen: Set<[UInt8]> = []
        for key in keys { seen.insert(tags.primaryTag(of: key)) }
        #expect(seen.count == keys.count)
        #expect(seen.allSatisfy { $0.count == 32 })
    }

    @Test func aServiceIsNotTaggedAsAnAccountOrALabel() throws {
        let tags = ItemTags(indexKey: try Self.indexKey(1))
        let metadata = ItemMetadata(
            key: ItemKey(service: "x", account: "x"), label: "x", creationDate: 0,
            modificationDate: 0)
        let all = tags.searchTags(of: metadata)
        #expect(all.count == 3)
        #expect(Set(all).count == 3)
        #expect(all.first == tags.serviceTag("x"))
    }

    @Test func anotherStoresTagsDiffer() throws {
        let one = ItemTags(indexKey: try Self.indexKey(1)).serviceTag("x")
        let other = ItemTags(indexKey: try Self.indexKey(2)).serviceTag("x")
        #expect(one != other)
    }

    @Test func keysAreEqualByBytes() {
        let composed = ItemKey(service: "é", account: "")
        let decomposed = ItemKey(service: "e\u{301}", account: "")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        // "e" is 0x65, "é" begins with 0xC3.
        #expect(decomposed < composed)
    }

    @Test func everyFieldOfTheContextCounts() throws {
        let store = try #require(StoreID([UInt8](repeating: 1, count: 16)))
        let other = try #require(StoreID([UInt8](repeating: 2, count: 16)))
        func context(
            _ storeID: StoreID, reference: UInt8 = 0, itemClass: UInt8 = 1,
            accessibility: UInt8 = 2, accessControl: UInt8 = 0, epoch: UInt32 = 1,
            version: Int64 = 1
        ) -> BoxContext {
            BoxContext(
                storeID: storeID, reference: [UInt8](repeating: reference, count: 16),
                itemClass: itemClass, accessibility: accessibility, accessControl: accessControl,
                epoch: epoch, version: version)
        }
        let contexts = [
            context(store), context(other), context(store, reference: 1),
            context(store, itemClass: 2), context(store, accessibility: 4),
            context(store, accessControl: 1), context(store, epoch: 2), context(store, version: 2),
            context(store, version: 1 << 40),
        ]
        let encodings = contexts.flatMap { [$0.bytes(of: .metadata), $0.bytes(of: .value)] }
        #expect(Set(encodings).count == 2 * contexts.count)
        #expect(encodings.allSatisfy { $0.count == 56 })
    }
}
