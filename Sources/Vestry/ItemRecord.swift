internal import ItemStore
public import SecureMemory

/// An item as a search returns it.
public struct ItemRecord: Sendable {
    public let itemClass: ItemClass
    /// Every attribute that the item has, the keychain's own included.
    public let attributes: [ItemAttribute: AttributeValue]
    /// 16 bytes that name the item for as long as it lives.
    public let persistentReference: [UInt8]
    public let accessibility: Accessibility
    public let accessControl: AccessControl.Flags

    private let secret: Secret?

    // A secret has one owner; copies of the record share it.
    private final class Secret: Sendable {
        let bytes: SecretBytes

        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }

    /// Whether the search was asked for secrets.
    public var hasSecret: Bool { secret != nil }

    /// Lends the secret to `body`; it is zeroed when the last copy of this record goes.
    ///
    /// - Parameter body: Gets the secret for the length of the call.
    /// - Returns: What `body` returns; nil when the search was not asked for secrets.
    /// - Throws: What `body` throws.
    public func withSecret<Result: ~Copyable, Failure: Error>(
        _ body: (borrowing SecretBytes) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let secret else { return nil }
        return try body(secret.bytes)
    }

    init(
        itemClass: ItemClass, attributes: [ItemAttribute: AttributeValue],
        persistentReference: [UInt8], accessibility: Accessibility,
        accessControl: AccessControl.Flags, secret: consuming SecretBytes?
    ) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.persistentReference = persistentReference
        self.accessibility = accessibility
        self.accessControl = accessControl
        switch consume secret {
        case .some(let bytes): self.secret = Secret(bytes)
        case nil: self.secret = nil
        }
    }

    /// An item with what stands in its row and what its metadata says.
    init(
        _ row: ItemRow, _ protection: Protection, _ metadata: ItemMetadata,
        secret: consuming SecretBytes?
    ) {
        self.init(
            itemClass: metadata.itemClass,
            attributes: metadata.values.dictionary.merging(Self.rowAttributes(row, protection)) {
                $1
            },
            persistentReference: row.reference, accessibility: protection.accessibility,
            accessControl: protection.flags, secret: secret)
    }

    /// The attributes that stand in the row.
    static func rowAttributes(
        _ row: ItemRow, _ protection: Protection
    ) -> [ItemAttribute: AttributeValue] {
        var attributes: [ItemAttribute: AttributeValue] = [
            .accessible: .string(protection.accessibility.appleName),
            .persistentReference: .data(row.reference),
        ]
        if !protection.flags.isEmpty {
            attributes[.accessControl] = .data(
                AccessControl(protection.accessibility, protection.flags).encoded)
        }
        if row.expires != ItemRow.never {
            attributes[.expirationDate] = .date(Double(row.expires))
        }
        return attributes
    }

    /// The value of an attribute, or nil where the item does not have it.
    public subscript(attribute: ItemAttribute) -> AttributeValue? { attributes[attribute] }
}

/// What a search found.
public struct ItemMatches: Sendable {
    /// In the order in which the items were added, the oldest first; an update changes no place.
    public let records: [ItemRecord]
    /// How many more match, or may match, and are locked; only with
    /// ``ItemQuery/isOnlyReadable``, as otherwise they are an error.
    public let lockedCount: Int
    /// How many more do not open although their class is unlocked; only with
    /// ``ItemQuery/isOnlyReadable``, as otherwise they are an error.
    public let damagedCount: Int
}
