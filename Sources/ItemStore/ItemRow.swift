/// One item as it is stored: sealed boxes, and what must be known before they can be opened.
public struct ItemRow: Equatable, Sendable {
    public static let referenceByteCount = 16
    public static let tagByteCount = 32
    /// 256 KiB of attributes, sealed.
    public static let maximumMetadataByteCount = 256 * 1024 + 40
    /// A secret of 8 MiB, sealed, with room for a header.
    public static let maximumValueByteCount = 8 * 1024 * 1024 + 1024
    /// The end of an item that does not end.
    public static let never = Int64.max

    /// The item's random name, 16 bytes, for as long as it lives.
    public let reference: [UInt8]
    public var itemClass: UInt8
    /// The raw value of the accessibility class.
    public var accessibility: UInt8
    public var accessControl: UInt32
    /// From when on the item is as good as gone, in seconds since 1970; `never` otherwise.
    public var expires: Int64
    /// Of the class key that seals the metadata.
    public var epoch: UInt32
    /// Counts the writes of this row, from 1.
    public var version: Int64
    /// Of the class key that seals the value.
    public var valueEpoch: UInt32
    /// The version with which the value was written.
    public var valueVersion: Int64
    /// 32 bytes that stand for the attributes that make the item unique.
    public var primaryTag: [UInt8]
    public var metadata: [UInt8]
    /// Nil where it was not asked for, and in an update that leaves it as it is.
    public var value: [UInt8]?

    public init(
        reference: [UInt8], itemClass: UInt8, accessibility: UInt8, accessControl: UInt32,
        expires: Int64 = never, epoch: UInt32, version: Int64, valueEpoch: UInt32? = nil,
        valueVersion: Int64? = nil, primaryTag: [UInt8], metadata: [UInt8], value: [UInt8]?
    ) {
        self.reference = reference
        self.itemClass = itemClass
        self.accessibility = accessibility
        self.accessControl = accessControl
        self.expires = expires
        self.epoch = epoch
        self.version = version
        self.valueEpoch = valueEpoch ?? epoch
        self.valueVersion = valueVersion ?? version
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

    /// Finds an item by its number, for ``ItemRow``.
    var itemQuery: StaticString {
        switch self {
        case .metadata:
            """
            SELECT reference, item_class, accessibility, access_control, expires, epoch,
                version, value_epoch, value_version, primary_tag, metadata
            FROM item WHERE row = ?1
            """
        case .metadataAndValue:
            """
            SELECT reference, item_class, accessibility, access_control, expires, epoch,
                version, value_epoch, value_version, primary_tag, metadata, value
            FROM item WHERE row = ?1
            """
        }
    }

    /// Finds a deleted item by its number.
    var deletedQuery: StaticString {
        switch self {
        case .metadata:
            """
            SELECT reference, item_class, accessibility, access_control, expires, epoch,
                version, value_epoch, value_version, primary_tag, metadata
            FROM deleted WHERE row = ?1
            """
        case .metadataAndValue:
            """
            SELECT reference, item_class, accessibility, access_control, expires, epoch,
                version, value_epoch, value_version, primary_tag, metadata, value
            FROM deleted WHERE row = ?1
            """
        }
    }
}
