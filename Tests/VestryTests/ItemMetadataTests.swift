import SecureMemory
import Testing

@testable import Vestry

@Suite struct ItemMetadataTests {
    static let metadata = ItemMetadata(
        key: ItemKey(service: "s\u{0}", account: ""), label: "é", creationDate: -1,
        modificationDate: 0x0102)

    /// Written by hand from the table in the documentation of `ItemMetadata`.
    static let encoded: [UInt8] =
        [1, 5] + [1, 2, 0, 0, 0, 0x73, 0] + [2, 0, 0, 0, 0] + [3, 2, 0, 0, 0, 0xC3, 0xA9]
        + [4, 8, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8)
        + [5, 8, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0]

    static func bytes(_ metadata: ItemMetadata) -> [UInt8] {
        metadata.encoded().withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    @Test func encodesAsDocumented() {
        #expect(Self.bytes(Self.metadata) == Self.encoded)
    }

    /// The worked example of the article on the item store's format.
    @Test func encodesTheExampleOfTheArticle() {
        let metadata = ItemMetadata(
            key: ItemKey(service: "db", account: "app"), label: nil, creationDate: 1_767_225_600,
            modificationDate: 1_767_225_600)
        let date: [UInt8] = [8, 0, 0, 0, 0x00, 0xB9, 0x55, 0x69, 0, 0, 0, 0]
        #expect(
            Self.bytes(metadata) == [1, 4, 1, 2, 0, 0, 0, 0x64, 0x62, 2, 3, 0, 0, 0] + [0x61, 0x70]
                + [0x70, 4] + date + [5] + date)
    }

    @Test func readsBackWhatItWrote() throws {
        let limit = ItemMetadata.maximumTextByteCount
        for label in [nil, "", "label", String(repeating: "x", count: limit)] {
            let metadata = ItemMetadata(
                key: ItemKey(service: "漢\n", account: "../../x"), label: label, creationDate: 1,
                modificationDate: 2)
            #expect(try ItemMetadata(parsing: Self.bytes(metadata).span) == metadata)
        }
    }

    @Test(arguments: encoded.indices)
    func rejectsEveryTruncation(to count: Int) {
        #expect(throws: MetadataError.malformed) {
            try ItemMetadata(parsing: Array(Self.encoded.prefix(count)).span)
        }
    }

    /// Whatever is accepted is what this program would write for the same values.
    @Test func acceptsOnlyTheCanonicalEncoding() {
        for offset in Self.encoded.indices {
            for value in UInt8.min...UInt8.max where value != Self.encoded[offset] {
                var bytes = Self.encoded
                bytes[offset] = value
                guard let metadata = try? ItemMetadata(parsing: bytes.span) else { continue }
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

    static let dates: [UInt8] =
        [4, 8, 0, 0, 0] + [UInt8](repeating: 0, count: 8)
        + [5, 8, 0, 0, 0] + [UInt8](repeating: 0, count: 8)

    static let rejections = [
        Rejection("a version from the future", [2] + encoded.dropFirst(), .unsupportedVersion(2)),
        Rejection("version 0", [0] + encoded.dropFirst(), .unsupportedVersion(0)),
        Rejection("a byte more", encoded + [0]),
        Rejection("no service", [1, 3, 2, 0, 0, 0, 0] + dates),
        Rejection("account before service", [1, 4, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0] + dates),
        Rejection(
            "service twice", [1, 5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0] + dates),
        Rejection("bytes that are no UTF-8", [1, 4, 1, 1, 0, 0, 0, 0xFF, 2, 0, 0, 0, 0] + dates),
        Rejection(
            "a surrogate in UTF-8",
            [1, 4, 1, 3, 0, 0, 0, 0xED, 0xA0, 0x80, 2, 0, 0, 0, 0] + dates),
        Rejection(
            "a size of 4 GiB", [1, 4, 1, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 0, 0, 0] + dates),
        Rejection(
            "an unknown attribute", [1, 5, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0] + dates + [6, 0, 0, 0, 0]),
        Rejection(
            "modified before created",
            [1, 4, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 4, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
                + dates.dropFirst(13)),
    ]

    @Test(arguments: rejections)
    func rejects(_ rejection: Rejection) {
        #expect(throws: rejection.expected) { try ItemMetadata(parsing: rejection.bytes.span) }
    }
}
