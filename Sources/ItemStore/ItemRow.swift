/// One item as it is stored: sealed boxes, and what must be known before they can be opened.
public struct ItemRow: Equatable, Sendable {
    public static let referenceByteCount = 16
    public static let tagByteCount = 32
    /// Three texts of 65,536 bytes, two dates and their framing, sealed.
    public static let maximumMetadataByteCount = 200_000
    /// A secret of 8 MiB, sealed, with room for a header.
    public static let maximumValueByteCount = 8 * 1024 * 1024 + 1024

    /// The item's random name, 16 bytes, for as long as it lives.
    public let reference: [UInt8]
    public let itemClass: UInt8
    /// The raw value of the accessibility class whose key seals the boxes.
    public let accessibility: UInt8
    public let accessControl: UInt8
    /// The epoch of that class key.
    public let epoch: UInt32
    /// Counts the writes of this row, from 1.
    public let version: Int64
    /// 32 bytes that stand for the attributes that make the item unique.
    public let primaryTag: [UInt8]
    public let metadata: [UInt8]
    /// Nil where it was not asked for.
    public let value: [UInt8]?

    public init(
        reference: [UInt8], itemClass: UInt8, accessibility: UInt8, accessControl: UInt8,
        epoch: UInt32, version: Int64, primaryTag: [UInt8], metadata: [UInt8], value: [UInt8]?
    ) {
        self.reference = reference
        self.itemClass = itemClass
        self.accessibility = accessibility
        self.accessControl = accessControl
        self.epoch = epoch
        self.version = version
        self.primaryTag = primaryTag
        self.metadata = metadata
        self.value = value
    }
}

/// Which boxes of a row are read.
public enum ItemBoxes: Sendable {
    /// Without the value: the secret's pages are not even read from the disk.
    case metadata
    case metadataAndValue
}
