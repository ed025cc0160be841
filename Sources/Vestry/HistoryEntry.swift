/// What can be brought back: a secret that an item had, or an item that was deleted.
public struct HistoryEntry: Equatable, Sendable {
    /// What an entry is.
    public enum Kind: String, Sendable {
        case oldSecret
        case deletedItem
    }

    /// From 1 on: old secrets, the newest first, then deleted items of that name, the last deleted
    /// first.
    public let number: Int
    public let kind: Kind
    /// When the item was changed last with this secret, in seconds since 1970; nil when its class is
    /// locked, or when it does not open.
    public let modificationDate: Int64?
    /// When the secret was replaced, in seconds since 1970; nil for a deleted item, and as
    /// ``modificationDate``.
    public let replacementDate: Int64?
    /// Until when it is kept, in seconds since 1970; nil for an old secret, which stays as long as its
    /// item, or until newer ones take its place.
    public let keptUntil: Int64?
    public let accessibility: Accessibility
    public let accessControl: AccessControl.Flags
    /// Of the item: 16 bytes.
    public let persistentReference: [UInt8]
}

/// An item that was deleted and is kept for a while.
public struct DeletedItem: Sendable {
    /// Its attributes, without its secret.
    public let record: ItemRecord
    /// In seconds since 1970.
    public let keptUntil: Int64
}

/// The deleted items.
public struct DeletedItems: Sendable {
    /// The last deleted first.
    public let items: [DeletedItem]
    /// How many more there are whose class is locked.
    public let lockedCount: Int
    /// How many do not open although their class is unlocked.
    public let damagedCount: Int
}
