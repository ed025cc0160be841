/// What ``Keychain/repair(isDryRun:)`` has done, or would do.
public struct RepairReport: Sendable {
    /// One thing that was repaired or put aside.
    public struct Step: Sendable {
        /// The raw values are the words of the command line and of JSON output; they never change.
        public enum Kind: String, Sendable {
            /// `keybag.previous`, or the keybag of a snapshot, took the place of a damaged or missing
            /// `keybag`.
            case keybag = "keybag-restored"
            /// A new item file with everything that opens took the place of the damaged one.
            case file = "file-rebuilt"
            /// The item is found by its attributes again.
            case tags = "item-tags-rebuilt"
            /// The item is back as it was in a snapshot.
            case restored = "item-restored"
            /// What there is of the item is in the quarantine file.
            case quarantine = "item-quarantined"
            /// What there is of an old secret or a deleted item is in the quarantine file; the item that
            /// it was of is kept.
            case pastQuarantine = "past-quarantined"
            /// A deleted item has its own tags again.
            case pastTags = "past-tags-rebuilt"
            /// A file stays under another name.
            case kept = "file-kept"
        }

        public let kind: Kind
        /// The cause, for people; of a kept file, its name.
        public let detail: String
        /// The item, without its secret, where its attributes open.
        public let record: ItemRecord?
        /// 16 bytes that name the item, where they can be read.
        public let reference: [UInt8]?
        /// Of an old secret: its number in the history of its item, as ``HistoryEntry/number``.
        public internal(set) var oldSecretNumber: Int?
    }

    public internal(set) var steps: [Step] = []
    /// How many items are whole, those included whose tags were rebuilt.
    public internal(set) var savedCount = 0
    /// How many items were kept as they are: their class is locked, a newer release wrote them, or
    /// the keybag that is there now is older than their keys.
    public internal(set) var unknownCount = 0
    /// Whether the item file was left as it is, because everything is locked.
    public internal(set) var isLocked = false

    /// How many steps are of one kind.
    public func count(_ kind: Step.Kind) -> Int { steps.count { $0.kind == kind } }

    mutating func add(_ kind: Step.Kind, _ detail: String, _ verdict: RowVerdict? = nil) {
        var step = Step(
            kind: kind, detail: detail, record: verdict?.record, reference: verdict?.reference)
        step.oldSecretNumber = verdict?.oldSecretNumber
        steps.append(step)
    }
}
