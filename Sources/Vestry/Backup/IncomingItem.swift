internal import ItemStore
internal import SecureMemory

/// An item on its way into a store, from a backup or from another program.
struct IncomingItem: ~Copyable {
    let itemClass: ItemClass
    /// Its values can have the dates of the keychain, which no other change has.
    var changes: ItemChanges
    /// Nil where it comes from elsewhere.
    let reference: [UInt8]?
    /// Whether what it does not name is absent, and not unknown.
    let isComplete: Bool
    let secret: SecretBytes

    init(_ item: consuming BackupItem) {
        itemClass = item.metadata.itemClass
        changes = ItemChanges()
        changes.values = item.metadata.values
        changes.accessibility = item.protection.accessibility
        changes.flags = item.protection.flags
        changes.expires = item.expires
        reference = item.reference
        isComplete = true
        secret = item.takeSecret()
    }

    init(
        _ itemClass: ItemClass, _ changes: ItemChanges, reference: [UInt8]?,
        secret: consuming SecretBytes
    ) {
        self.itemClass = itemClass
        self.changes = changes
        self.reference = reference
        isComplete = false
        self.secret = secret
    }

    /// When it was modified; nil where that is not known, which counts as now.
    var modificationDate: Double? { changes.values[.modificationDate]?.date }

    /// What it would make of an item's attributes.
    func values(over old: ItemMetadata?) -> [ItemAttribute: AttributeValue] {
        guard let old, !isComplete else { return changes.values }
        return old.values.merging(changes.values) { $1 }
    }
}
