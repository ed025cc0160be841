import ItemStore
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

    static func password(
        _ service: String, _ account: String, label: String? = nil
    ) -> ItemMetadata {
        var metadata = ItemMetadata(
            .genericPassword,
            [
                .service: .string(service), .account: .string(account), .accessGroup: "g",
                .synchronizable: false, .creationDate: .date(0), .modificationDate: .date(0),
            ])
        if let label { metadata.values[.label] = .string(label) }
        return metadata
    }

    @Test func noTwoKeysShareATag() throws {
        let tags = ItemTags(indexKey: try Self.indexKey(1))
        let keys = [
            ("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", ""), ("a\u{0}", "bc"), ("é", "c"),
            ("e\u{301}", "c"), ("AB", "c"), ("ab", "c\n"),
        ]
        var seen: Set<[UInt8]> = []
        for key in keys { seen.insert(tags.primaryTag(of: Self.password(key.0, key.1))) }
        #expect(seen.count == keys.count)
        #expect(seen.allSatisfy { $0.count == 32 })
    }

    /// One after the other, each primary attribute of each class is changed.
    @Test(arguments: [ItemClass.genericPassword, .internetPassword, .certificate, .key])
    func everyPrimaryAttributeCountsAndNoOther(_ itemClass: ItemClass) throws {
        let tags = ItemTags(indexKey: try Self.indexKey(1))
        let plain = tags.primaryTag(itemClass, [:])
        for attribute in ItemAttribute.allCases where attribute.belongs(to: itemClass) {
            let changed = tags.primaryTag(itemClass, [attribute: attribute.kind.sample])
            #expect(
                (changed != plain) == attribute.isPrimary(in: itemClass), "\(attribute.rawValue)")
        }
        for other in ItemClass.allCases where other != itemClass {
            #expect(tags.primaryTag(other, [:]) != plain)
        }
    }

    @Test func inAPrimaryKeyEmptyIsAbsent() throws {
        let tags = ItemTags(indexKey: try Self.indexKey(1))
        let empty: AttributeList = [
            .keyClass: 0, .applicationTag: .data([]), .startDate: .date(0), .synchronizable: false,
        ]
        #expect(tags.primaryTag(.key, empty) == tags.primaryTag(.key, [:]))
    }

    @Test func aServiceIsNotTaggedAsAnAccountOrALabel() throws {
        let tags = ItemTags(indexKey: try Self.indexKey(1))
        let all = tags.searchTags(of: Self.password("x", "x", label: "x"))
        // Identity, scope and three attributes.
        #expect(all.count == 5)
        #expect(Set(all).count == 5)
        let serviceTag = tags.tag(.service, "x", in: .genericPassword) ?? []
        #expect(all.contains(serviceTag))
    }

    @Test func theKeychainsDatesAndWhatStandsInTheRowHaveNoTag() throws {
        let tags = ItemTags(indexKey: try Self.indexKey(1))
        let untagged = ItemAttribute.allCases.filter {
            tags.tag($0, $0.kind.sample, in: .genericPassword) == nil
        }
        #expect(
            Set(untagged) == [
                .accessible, .accessControl, .persistentReference, .expirationDate, .tombstone,
                .creationDate, .modificationDate, .accessGroup, .synchronizable,
            ])
    }

    @Test func anotherStoresTagsDiffer() throws {
        let one = ItemTags(indexKey: try Self.indexKey(1)).primaryTag(of: Self.password("x", "y"))
        let other = ItemTags(indexKey: try Self.indexKey(2)).primaryTag(of: Self.password("x", "y"))
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
        func row(
            reference: UInt8 = 0, itemClass: UInt8 = 1, accessibility: UInt8 = 2,
            accessControl: UInt32 = 0, expires: Int64 = .max, epoch: UInt32 = 1,
            version: Int64 = 1, valueEpoch: UInt32 = 1, valueVersion: Int64 = 1
        ) -> ItemRow {
            ItemRow(
                reference: [UInt8](repeating: reference, count: 16), itemClass: itemClass,
                accessibility: accessibility, accessControl: accessControl, expires: expires,
                epoch: epoch, version: version, valueEpoch: valueEpoch,
                valueVersion: valueVersion, primaryTag: [], metadata: [], value: nil)
        }
        // What both boxes are bound to, then what the metadata is, then what the value is.
        let both = [
            row(), row(reference: 1), row(itemClass: 2), row(accessibility: 4),
            row(accessControl: 1), row(accessControl: 1 << 31), row(valueVersion: 1 << 40),
        ]
        let onlyMetadata = [row(expires: 5), row(epoch: 2), row(version: 2)]
        let onlyValue = [row(valueEpoch: 2)]
        func encodings(_ rows: [ItemRow], _ box: BoxContext.Box) -> [[UInt8]] {
            rows.map { BoxContext(storeID: store, row: $0).bytes(of: box) }
        }
        let elsewhere = BoxContext(storeID: other, row: row())
        var all = encodings(both + onlyMetadata, .metadata) + encodings(both + onlyValue, .value)
        all += [elsewhere.bytes(of: .metadata), elsewhere.bytes(of: .value)]
        #expect(Set(all).count == all.count)
        #expect(all.allSatisfy { $0.count == 76 })
        #expect(encodings(onlyMetadata, .value).allSatisfy { $0 == encodings([row()], .value)[0] })
        #expect(encodings(onlyValue, .metadata) == encodings([row()], .metadata))
    }
}

extension AttributeValue.Kind {
    /// A value that is not empty.
    var sample: AttributeValue {
        switch self {
        case .string: "x"
        case .data: .data([1])
        case .number: 1
        case .bool: true
        case .date: .date(1)
        }
    }
}
