internal import ItemStore
public import SecureMemory

/// An item that another program kept, on its way into the keychain (``Keychain/merge(_:options:)``).
///
/// Copies share the secret, which is zeroed when the last one goes.
public struct ImportedItem: Sendable {
    // A secret has one owner.
    private final class Secret: Sendable {
        let bytes: SecretBytes

        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }

    public let itemClass: ItemClass
    /// As for ``Keychain/add(_:attributes:secret:)``, and besides ``ItemAttribute/creationDate`` and
    /// ``ItemAttribute/modificationDate`` where they are known, and
    /// ``ItemAttribute/persistentReference``.
    public var attributes: [ItemAttribute: AttributeValue]
    private let secret: Secret

    /// Takes ownership of the secret.
    public init(
        _ itemClass: ItemClass, attributes: [ItemAttribute: AttributeValue],
        secret: consuming SecretBytes
    ) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.secret = Secret(secret)
    }

    /// A certificate, DER, with what it says about itself.
    ///
    /// - Parameters:
    ///   - der: The certificate.
    ///   - attributes: What it does not say.
    /// - Returns: The item.
    /// - Throws: ``VestryError``, as ``Keychain/addCertificate(der:attributes:)``.
    public static func certificate(
        der: [UInt8], attributes: [ItemAttribute: AttributeValue]
    ) throws(VestryError) -> ImportedItem {
        ImportedItem(
            .certificate,
            // The label is a person's.
            attributes: try Keychain.attributes(ofCertificate: der).merging(attributes) { $1 },
            secret: SecretBytes(copying: der.span))
    }

    /// Lends the secret to `body`.
    package func withSecret<Result: ~Copyable, Failure: Error>(
        _ body: (borrowing SecretBytes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(secret.bytes)
    }

    /// Checks what can be checked without a store.
    ///
    /// - Throws: `VestryError` with the code `parameter`, `readOnlyAttribute` or `dataTooLarge`.
    func incoming() throws(VestryError) -> IncomingItem {
        guard itemClass != .identity else {
            throw VestryError(.parameter, detail: "an identity is a certificate and a key")
        }
        try Keychain.check(secret.bytes)
        var given = attributes
        let reference = given.removeValue(forKey: .persistentReference)?.data
        guard reference == nil || reference?.count == ItemRow.referenceByteCount else {
            throw VestryError(.parameter, detail: "a reference has another size")
        }
        var created = given.removeValue(forKey: .creationDate)?.date
        let modified = given.removeValue(forKey: .modificationDate)?.date
        var changes = try ItemChanges(
            given, of: itemClass, accessGroups: given[.accessGroup]?.string.map { [$0] } ?? [],
            isUpdate: false)
        // Metadata with a modification before the creation is damaged; clocks differ.
        if let modified {
            created = min(created ?? modified, modified)
        } else if let seconds = created {
            created = min(seconds, currentTime())
        }
        for (attribute, date) in [
            (ItemAttribute.creationDate, created), (.modificationDate, modified),
        ] {
            guard let date else { continue }
            guard date.isFinite else {
                throw VestryError(.parameter, detail: "\(attribute.rawValue) is no date")
            }
            changes.values[attribute] = .date(date + 0)
        }
        return IncomingItem(
            itemClass, changes, reference: reference,
            secret: secret.bytes.withBytes { SecretBytes(copying: $0) })
    }
}

extension Keychain {
    /// Puts items of another program into this keychain: all of them, or none where something fails.
    ///
    /// An item that names no accessibility gets ``MergeOptions/accessibility`` where it is new. What an
    /// item does not name stays as it is where the keychain has one of the same name.
    ///
    /// - Parameters:
    ///   - items: The items, of any access group.
    ///   - options: What becomes of items that the keychain has already; an item without a
    ///     modification date counts as the newest.
    /// - Returns: What became of each item.
    /// - Throws: ``VestryError``, with the codes of ``restore(_:options:)`` and
    ///   ``add(_:attributes:secret:)``. Nothing was changed then.
    public func merge(
        _ items: [ImportedItem], options: MergeOptions = MergeOptions()
    ) throws(VestryError) -> MergeReport {
        // Before the transaction, as far as that goes.
        for item in items { _ = try item.incoming() }
        var rest = items[...]
        return try merge(options) { () throws(VestryError) in
            guard let item = rest.popFirst() else { return nil }
            return try item.incoming()
        }
    }

    /// Lends all items of every class and access group with their secrets, one after the other.
    ///
    /// Items of this device alone, and those with an application password, stay behind, as they do
    /// in a backup. Writers wait meanwhile.
    ///
    /// - Parameters:
    ///   - isOnlyReadable: Whether items that cannot be read now are left out and counted, instead
    ///     of being an error.
    ///   - body: Gets each.
    /// - Returns: How many there were, and were left.
    /// - Throws: ``VestryError``, with the codes of ``backup(toFile:secret:isReplacing:isOnlyReadable:)``,
    ///   and what `body` throws.
    public func export(
        isOnlyReadable: Bool = false, _ body: (ItemRecord) throws(VestryError) -> Void
    ) throws(VestryError) -> BackupReport {
        try asking(.allow, "all items that ask for it") { (presence) throws(VestryError) in
            let store = try openStore()
            let tags = try store.tags()
            guard let items = try store.itemsForReading() else {
                return BackupReport(itemCount: 0, left: LeftItems())
            }
            let transaction = ItemTransaction(store, tags, items)
            var movable = try MovableItems(
                in: transaction, isOnlyReadable: isOnlyReadable, presence)
            let count = try movable.forEach(
                in: transaction, isOnlyReadable: isOnlyReadable, presence
            ) { (row, protection, metadata, secret) throws(VestryError) in
                try body(ItemRecord(row, protection, metadata, secret: secret))
            }
            return BackupReport(itemCount: count, left: movable.left)
        }
    }
}
