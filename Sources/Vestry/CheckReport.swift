/// What ``Keychain/check(password:)`` has found.
public struct CheckReport: Sendable {
    /// One thing that is not as it was written.
    public struct Finding: Sendable {
        /// The raw values are the words of the command line and of JSON output; they never change.
        public enum Kind: String, Sendable {
            /// The file `keybag` is missing, or not what was written.
            case keybag = "keybag-damaged"
            /// The item file as a whole, one of its pages or its indexes.
            case file = "file-damaged"
            /// An item's attributes or its secret do not open.
            case item = "item-damaged"
            /// Of an item nothing can be read any more.
            case unreadable = "item-unreadable"
            /// The item is whole, and searches may not find it.
            case tags = "item-tags"
            /// Two items have what only one can have.
            case duplicate = "item-duplicate"
            /// A newer release wrote the item, or its key is in a newer keybag; nothing can be said of it
            /// here.
            case newer = "item-newer"
            /// A secret that an item had before does not open, or its item is gone.
            case oldSecret = "old-secret-damaged"
            /// A deleted item that is kept does not open.
            case deletedItem = "deleted-item-damaged"
            /// A snapshot, or something in it; the keychain itself is not concerned.
            case snapshot = "snapshot-damaged"
        }

        public let kind: Kind
        /// The cause, for people; nothing of the item's own is in it.
        public let detail: String
        /// The item, without its secret, where its attributes open.
        public let record: ItemRecord?
        /// 16 bytes that name the item, where they can be read.
        public let reference: [UInt8]?
        /// Of an old secret: its number in the history of its item, as ``HistoryEntry/number``.
        public internal(set) var oldSecretNumber: Int?
        /// The name of the snapshot that it is in; nil for what is in the keychain itself.
        public internal(set) var snapshot: String?
    }

    /// How many of one kind are what.
    public struct Counts: Sendable {
        /// Whole in every part.
        public internal(set) var sound = 0
        /// With a finding that is damage.
        public internal(set) var damaged = 0
        /// Not looked at, or not all of them, because a class is locked.
        public internal(set) var locked = 0
        /// Sealed with keys that a rotation has dropped, which only snapshots can be: nothing can be
        /// said of them, and they cannot be restored.
        public internal(set) var outdated = 0
    }

    public internal(set) var findings: [Finding] = []
    /// How many items are whole in every part.
    public internal(set) var soundCount = 0
    /// How many items were not looked at, because their class is locked.
    public internal(set) var lockedCount = 0
    /// The old secrets and the deleted items that are kept.
    public internal(set) var past = Counts()
    /// The snapshots.
    public internal(set) var snapshots = Counts()
    /// How many secrets take an application password, which is not known here: their outer boxes were
    /// opened and are whole, the inner ones were not.
    public internal(set) var unopenedSecretCount = 0
    /// Whether the items could not be looked at because there is no whole keybag.
    public internal(set) var isWithoutKeybag = false

    /// Whether something is damaged; what only a newer release or keybag can judge is not.
    public var isDamaged: Bool { findings.contains { $0.kind != .newer } }

    /// Whether what is damaged is in snapshots alone.
    public var isDamagedInSnapshotsOnly: Bool {
        isDamaged && !findings.contains { $0.kind != .newer && $0.kind != .snapshot }
    }

    /// How many findings are of one kind.
    public func count(_ kind: Finding.Kind) -> Int { findings.count { $0.kind == kind } }
}
