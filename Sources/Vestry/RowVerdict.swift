internal import ItemStore
internal import KeyClasses
internal import Keybag

/// What an examination has found of one row.
struct RowVerdict {
    enum State: Equatable {
        case sound
        /// Its class is locked: it was not looked at.
        case locked
        /// Everything opens, and tags are missing or another item's.
        case tags
        case newer(reason: String)
        /// The keybag, which may be an older one, does not have its key.
        case withoutKey
        case damaged(reason: String)
        case unreadable(reason: String)
        /// Another row has its primary attributes, and was written later or is as good.
        case duplicate
    }

    let number: Int64
    var state: State
    var reference: [UInt8]?
    /// Where the metadata opens.
    var record: ItemRecord?
    /// The tag that the metadata asks for.
    var primaryTag: [UInt8]?
    /// The other tags that it asks for.
    var searchTags: [[UInt8]]?

    init(_ number: Int64, _ state: State, reference: [UInt8]? = nil) {
        self.number = number
        self.state = state
        self.reference = reference
    }

    /// The finding that this is; nil for a row of which there is nothing to say.
    var finding: CheckReport.Finding? {
        let (kind, detail): (CheckReport.Finding.Kind, String)
        switch state {
        case .sound, .locked: return nil
        case .tags: (kind, detail) = (.tags, "its tags are not those of its attributes")
        case .newer(let reason): (kind, detail) = (.newer, reason)
        case .withoutKey: (kind, detail) = (.newer, "the keybag is older than its key")
        case .damaged(let reason): (kind, detail) = (.item, reason)
        case .unreadable(let reason): (kind, detail) = (.unreadable, reason)
        case .duplicate: (kind, detail) = (.duplicate, "another item has the same attributes")
        }
        return CheckReport.Finding(
            kind: kind, detail: detail, record: record, reference: reference)
    }
}

/// Keys of presence classes, for an examination that opens those values too.
typealias PresenceKeyTable = [KeyClass: PresenceKeys.Held]

extension OpenStore {
    /// Examines all rows of an item file.
    ///
    /// - Parameters:
    ///   - file: Of this store.
    ///   - presence: Values of classes without a key here are compared with their digests alone,
    ///     which the attributes hold.
    /// - Returns: A verdict for each row, in the order of the rows.
    /// - Throws: `VestryError` when the kernel keyring cannot be used.
    func verdicts(
        on file: borrowing ItemFileExamination, presence: PresenceKeyTable
    ) throws(VestryError) -> [RowVerdict] {
        let numbers = file.numbers()
        guard let index = try key(.index) else {
            // It is opened with the first of the other classes.
            return numbers.map { RowVerdict($0, .locked) }
        }
        let tags = ItemTags(indexKey: index)
        var verdicts: [RowVerdict] = []
        for number in numbers {
            switch file.reading(number) {
            case .absent:
                verdicts.append(RowVerdict(number, .unreadable(reason: "its row is gone")))
            case .unreadable(let reason):
                verdicts.append(RowVerdict(number, .unreadable(reason: reason)))
            case .row(let row):
                verdicts.append(
                    try verdict(
                        on: row, number, tags, stored: file.tags(of: number), presence: presence))
            }
        }
        return Self.markingDuplicates(verdicts)
    }

    private func verdict(
        on row: ItemRow, _ number: Int64, _ tags: borrowing ItemTags, stored: [[UInt8]]?,
        presence: PresenceKeyTable
    ) throws(VestryError) -> RowVerdict {
        var verdict = RowVerdict(number, .sound, reference: row.reference)
        let protection: Protection
        do throws(VestryError) {
            protection = try Protection(row)
        } catch {
            verdict.state = .newer(reason: error.detail)
            return verdict
        }
        // First, because a rotation that has just begun makes it read the keybag again.
        let key = try itemKey(protection.metadataClass, epoch: row.epoch)
        if isOlder(than: row.epoch, protection.metadataClass)
            || isOlder(than: row.valueEpoch, protection.valueClass)
        {
            verdict.state = .withoutKey
            return verdict
        }
        guard let key else {
            verdict.state = .locked
            return verdict
        }
        do throws(VestryError) {
            let metadata = try row.openMetadata(with: key, in: storeID)
            verdict.record = ItemRecord(row, protection, metadata, secret: nil)
            verdict.primaryTag = tags.primaryTag(of: metadata)
            try check(row, protection, metadata, key, presence: presence)
            let wanted = tags.searchTags(of: metadata)
            verdict.searchTags = wanted
            if verdict.primaryTag != row.primaryTag || stored.map(Set.init) != Set(wanted) {
                verdict.state = .tags
            }
        } catch  where error.code == .newerFormat {
            verdict.state = .newer(reason: error.detail)
        } catch {
            verdict.state = .damaged(reason: error.detail)
        }
        return verdict
    }

    /// Whether the keybag was written before a class got the key of an epoch.
    private func isOlder(than epoch: UInt32, _ keyClass: KeyClass) -> Bool {
        epoch > keybag.epoch(of: keyClass) ?? 0
    }

    /// Opens the value, or as much of it as the keys allow.
    private func check(
        _ row: ItemRow, _ protection: Protection, _ metadata: ItemMetadata, _ key: OperationKey,
        presence: PresenceKeyTable
    ) throws(VestryError) {
        guard row.value != nil else {
            throw VestryError(.itemDamaged, detail: "its value cannot be read")
        }
        if protection.needsPresence {
            // What a key of another epoch sealed is compared with its digest alone.
            guard let held = presence[protection.valueClass], held.key.epoch == row.valueEpoch
            else {
                return try row.checkDeposit(digest: metadata.valueDigest)
            }
            _ = try row.openDeposit(
                with: held.key, digest: metadata.valueDigest, in: storeID)
        } else {
            let valueKey = try itemKey(protection.valueClass, epoch: row.valueEpoch) ?? key
            let value = try row.openValue(with: valueKey, in: storeID)
            if protection.hasApplicationPassword { _ = try PasswordBox(parsing: value) }
        }
    }

    /// Of rows that have the same primary attributes, the one that was modified last stays.
    private static func markingDuplicates(_ verdicts: [RowVerdict]) -> [RowVerdict] {
        var verdicts = verdicts
        var last: [[UInt8]: Int] = [:]
        for (index, verdict) in verdicts.enumerated() {
            guard verdict.state == .sound || verdict.state == .tags, let tag = verdict.primaryTag
            else { continue }
            guard let other = last[tag] else {
                last[tag] = index
                continue
            }
            func modified(_ verdict: RowVerdict) -> Double {
                verdict.record?[.modificationDate]?.date ?? 0
            }
            let isLater = modified(verdict) > modified(verdicts[other])
            verdicts[isLater ? other : index].state = .duplicate
            if isLater { last[tag] = index }
        }
        return verdicts
    }
}
