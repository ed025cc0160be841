/// What becomes of an item that comes in where the keychain has one of the same name already, with
/// other contents.
///
/// The name is what makes an item unique: of a password service or server and account, with the access
/// group and the others that ``ItemAttribute/isPrimary(in:)`` names. An item of a backup is also the
/// one with the same ``ItemAttribute/persistentReference``, whatever it is called now.
///
/// Of two that come in together with the same name and other contents, both stay whatever the rule is,
/// as with ``both``.
public enum MergeRule: String, CaseIterable, Sendable {
    /// The one that was modified last stays; of two as old, that of the keychain.
    case newest
    /// That of the keychain stays.
    case stored
    /// The one that comes in takes the other's place.
    case incoming
    /// Both stay: the account of the one that comes in gets a number, as in "alice (2)". Certificates
    /// and keys have no account: of those, the newest stays.
    case both = "keep-both"
}

/// What became of an item that came in, or would.
public enum MergeResult: String, CaseIterable, Sendable {
    /// It is new.
    case added
    /// It took the place of another one.
    case replaced
    /// It was added beside the other one, with another account.
    case addedBeside = "added-beside"
    /// The other one stayed.
    case kept
    /// The keychain had it, with the same contents.
    case unchanged
    /// It was past its end, and was passed over.
    case expired
}

/// What a merge did, or would do, item by item.
public struct MergeReport: Sendable {
    /// One item that came in.
    public struct Entry: Sendable {
        /// As it is after the merge, without its secret; where it was not written, as it came.
        public let item: ItemRecord
        public let result: MergeResult
        /// When the other one of this name was modified that the keychain had, in seconds since 1970;
        /// nil where there was none, or the same.
        public let storedModificationDate: Double?

        /// Whether the rule had to say what becomes of it.
        public var isConflict: Bool { storedModificationDate != nil }
    }

    /// In the order in which they came.
    public internal(set) var entries: [Entry] = []

    /// How many items had a result.
    public func count(of result: MergeResult) -> Int {
        entries.count { $0.result == result }
    }
}

/// How items are merged.
public struct MergeOptions: Sendable {
    public var rule = MergeRule.newest
    /// In place of the rule for single items, by their place among all, from 0.
    public var decisions: [Int: MergeRule] = [:]
    /// When new items can be read that name no accessibility.
    public var accessibility = Accessibility.afterFirstUnlock
    /// Nothing is changed; the report says what would be.
    public var isDryRun = false

    public init(rule: MergeRule = .newest) { self.rule = rule }
}
