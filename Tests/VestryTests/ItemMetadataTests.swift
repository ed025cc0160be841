import SecureMemory
import TestSupport
import Testing

@testable import Vestry

@Suite struct ItemMetadataTests {
    static let metadata = ItemMetadata(
        .genericPassword,
        [
            .service: "s\u{0}", .account: "", .label: "é", .creationDate: .date(-1),
            .modificationDate: .date(0.5), .accessGroup: "g", .synchronizable: true,
            .creator: .number(-2), .generic: .data([0xFF]),
        ])

    /// Written by hand from the table in the documentation of `ItemMetadata`.
    static let encoded: [UInt8] =
        [1, 9] + [1, 2, 0, 0, 0, 0x73, 0] + [2, 0, 0, 0, 0] + [3, 2, 0, 0, 0, 0xC3, 0xA9]
        + [4, 8, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0xF0, 0xBF]
        + [5, 8, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0xE0, 0x3F]
        + [6, 1, 0, 0, 0, 0x67] + [7, 1, 0, 0, 0, 1]
        + [10, 8, 0, 0, 0, 0xFE] + [UInt8](repeating: 0xFF, count: 7) + [14, 1, 0, 0, 0, 0xFF]

    static func bytes(_ metadata: ItemMetadata) -> [UInt8] { metadata.encoded().exposed }

    static func parse(_ bytes: [UInt8]) throws -> ItemMetadata {
        try ItemMetadata(parsing: bytes.span, of: .genericPassword)
    }

    @Test func encodesAsDocumented() {
        #expect(Self.bytes(Self.metadata) == Self.encoded)
    }

    /// The worked example of the article on the item store's format.
    @Test func encodesTheExampleOfTheArticle() {
        let metadata = ItemMetadata(
            .genericPassword,
            [
                .service: "db", .account: "app", .accessGroup: "default", .synchronizable: false,
                .creationDate: .date(1_767_225_600), .modificationDate: .date(1_767_225_600),
            ])
        let date: [UInt8] = [8, 0, 0, 0, 0, 0, 0, 0x40, 0x6E, 0x55, 0xDA, 0x41]
        let service: [UInt8] = [1, 2, 0, 0, 0, 0x64, 0x62]
        let account: [UInt8] = [2, 3, 0, 0, 0, 0x61, 0x70, 0x70]
        let group: [UInt8] = [6, 7, 0, 0, 0] + Array("default".utf8)
        #expect(
            Self.bytes(metadata) == [1, 6] + service + account + [4] + date + [5] + date + group
                + [7, 1, 0, 0, 0, 0])
    }

    /// Each attribute of each class, alone beside what an item cannot be without.
    @Test(arguments: [ItemClass.genericPassword, .internetPassword, .certificate, .key])
    func readsBackEveryAttribute(_ itemClass: ItemClass) throws {
        let long = String(repeating: "x", count: ItemMetadata.maximumValueByteCount)
        let samples: [AttributeValue.Kind: [AttributeValue]] = [
            .string: ["", "漢\n", "../../x", .string(long)], .data: [.data([]), .data([0, 0xFF])],
            .number: [0, -1, .number(.max), .number(.min)], .bool: [true, false],
            .date: [.date(0), .date(1e300), .date(-0.25)],
        ]
        var required = itemClass.defaultValues
        required[.accessGroup] = "g"
        required[.synchronizable] = false
        required[.creationDate] = .date(-1e301)
        required[.modificationDate] = .date(1e301)
        for attribute in ItemAttribute.allCases
        where attribute.belongs(to: itemClass) && attribute.rule.number != nil
            && !attribute.isReadOnly
        {
            for value in samples[attribute.kind] ?? [] {
                var values = required
                values[attribute] = value
                let metadata = ItemMetadata(itemClass, values)
                let parsed = try ItemMetadata(parsing: Self.bytes(metadata).span, of: itemClass)
                #expect(parsed == metadata, "\(attribute.rawValue)")
            }
        }
    }

    @Test func readsBackTheDigest() throws {
        var metadata = Self.metadata
        metadata.valueDigest = [UInt8](repeating: 9, count: 32)
        #expect(try Self.parse(Self.bytes(metadata)) == metadata)
    }

    @Test(arguments: encoded.indices)
    func rejectsEveryTruncation(to count: Int) {
        #expect(throws: MetadataError.malformed) {
            try Self.parse(Array(Self.encoded.prefix(count)))
        }
    }

    /// Whatever is accepted is what this program would write for the same values.
    @Test func acceptsOnlyTheCanonicalEncoding() {
        for offset in Self.encoded.indices {
            for value in UInt8.min...UInt8.max where value != Self.encoded[offset] {
                var bytes = Self.encoded
                bytes[offset] = value
                guard let metadata = try? Self.parse(bytes) else { continue }
                #expect(Self.bytes(metadata) == bytes, "offset \(offset), value \(value)")
            }
        }
    }

    struct Rejection: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]
        let expected: MetadataError

        init(_ name: String, _ bytes: [UInt8], _ expected: MetadataError = .malformed) {
            testDescription = name
            self.bytes = bytes
            self.expected = expected
        }
    }

    static let names: [UInt8] = [1, 0, 0, 0, 0, 2, 0, 0, 0, 0]
    static let zero = [UInt8](repeating: 0, count: 8)
    static let dates: [UInt8] = [4, 8, 0, 0, 0] + zero + [5, 8, 0, 0, 0] + zero
    static let scope: [UInt8] = [6, 0, 0, 0, 0, 7, 1, 0, 0, 0, 0]
    static let least: [UInt8] = [1, 6] + names + dates + scope

    static let rejections = [
        Rejection("a version from the future", [2] + encoded.dropFirst(), .unsupportedVersion(2)),
        Rejection("version 0", [0] + encoded.dropFirst(), .unsupportedVersion(0)),
        Rejection("a byte more", encoded + [0]),
        Rejection("no service", [1, 5, 2, 0, 0, 0, 0] + dates + scope),
        Rejection(
            "account before service", [1, 6, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0] + dates + scope),
        Rejection("service twice", [1, 7, 1, 0, 0, 0, 0] + names + dates + scope),
        Rejection("no dates", [1, 4] + names + scope),
        Rejection("no access group", [1, 5] + names + dates + [7, 1, 0, 0, 0, 0]),
        Rejection("no synchronizability", [1, 5] + names + dates + [6, 0, 0, 0, 0]),
        Rejection(
            "bytes that are no UTF-8",
            [1, 6, 1, 1, 0, 0, 0, 0xFF, 2, 0, 0, 0, 0] + dates + scope),
        Rejection(
            "a surrogate in UTF-8",
            [1, 6, 1, 3, 0, 0, 0, 0xED, 0xA0, 0x80, 2, 0, 0, 0, 0] + dates + scope),
        Rejection(
            "a size of 4 GiB",
            [1, 6, 1, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 0, 0, 0] + dates + scope),
        Rejection("a truth value of 2", [1, 6] + names + dates + scope.dropLast() + [2]),
        Rejection("an unknown attribute", [1, 7] + names + dates + scope + [58, 0, 0, 0, 0]),
        Rejection(
            "an attribute of another class", [1, 7] + names + dates + scope + [15, 0, 0, 0, 0]),
        Rejection("a short digest", [1, 7] + names + dates + scope + [255, 1, 0, 0, 0, 0]),
        Rejection("a short number", [1, 7] + names + dates + scope + [10, 1, 0, 0, 0, 0]),
        Rejection(
            "a negative zero",
            [1, 6] + names + [4, 8, 0, 0, 0] + zero.dropLast() + [0x80] + dates.dropFirst(13)
                + scope),
        Rejection(
            "an infinite date",
            [1, 6] + names + dates.dropLast(8) + [0, 0, 0, 0, 0, 0, 0xF0, 0x7F] + scope),
        Rejection(
            "modified before created",
            [1, 6] + names + [4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F] + dates.dropFirst(13)
                + scope),
    ]

    @Test func acceptsTheLeast() throws {
        #expect(try Self.bytes(Self.parse(Self.least)) == Self.least)
    }

    @Test(arguments: rejections)
    func rejects(_ rejection: Rejection) {
        #expect(throws: rejection.expected) { try Self.parse(rejection.bytes) }
    }
}
