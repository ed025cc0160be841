internal import ItemStore
internal import KeyClasses
internal import Keybag

/// What an examination has found of one row.
struct RowVerdict {
    enum State: Equatable {
        case sound
        /// Its class is locked, or its key another machine's: it was not looked at.
        case locked
        /// Of a snapshot: a rotation has dropped the key since.
        case outdated
        /// Everything opens, and tags are missing or another item's.
        case tags
        case newer(reason: String)
        /// The keybag, which may be an older one, does not have its key.
        case withoutKey
        case damaged(reason: String)
        case unreadable(reason: String)
        /// Another row has its primary attributes, and was written later or is as good.
        case duplicate
        /// An old value whose item is not there, or not readable.
        case withoutItem
    }

    let number: Int64
    let place: RowPlace
    var state: State
    var reference: [UInt8]?
    /// As the row says it, sealed or not.
    var itemClass: UInt8?
    /// Of an old value, its number in the history of its item: from 1, the newest first.
    var oldSecretNumber: Int?
    /// Whether its secret takes an application password, which this examination does not have.
    var hasUnopenedSecret = false
    /// Where the metadata opens.
    var record: ItemRecord?
    /// The tag that the metadata asks for.
    var primaryTag: [UInt8]?
    /// The other tags that it asks for.
    var searchTags: [[UInt8]]?

    init(_ number: Int64, _ state: State, of place: RowPlace = .item, row: ItemRow? = nil) {
        self.number = number
        self.place = place
        self.state = state
        reference = row?.reference
        itemClass = row?.itemClass
    }

    /// The finding that this is; nil for a row of which there is nothing to say.
    var finding: CheckReport.Finding? {
        var kind: CheckReport.Finding.Kind
        let detail: String
        switch state {
        case .sound, .locked, .outdated: return nil
        case .tags: (kind, detail) = (.tags, "its tags are not those of its attributes")
        case .newer(let reason): (kind, detail) = (.newer, reason)
        case .withoutKey: (kind, detail) = (.newer, "the keybag is older than its key")
        case .damaged(let reason): (kind, detail) = (.item, reason)
        case .unreadable(let reason): (kind, detail) = (.unreadable, reason)
        case .duplicate: (kind, detail) = (.duplicate, "another item has the same attributes")
        case .withoutItem: (kind, detail) = (.oldSecret, "its item is not there")
        }
        if kind != .newer {
            switch place {
            case .item: break
            case .oldValue: kind = .oldSecret
            case .deleted: kind = .deletedItem
            }
        }
        var finding = CheckReport.Finding(
            kind: kind, detail: detail, record: record, reference: reference)
        finding.oldSecretNumber = oldSecretNumber
        return finding
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
    ///   - isSnapshot: Whether the file is one from before, whose keys can be gone.
    /// - Returns: A verdict for each row, in the order of the rows.
    /// - Throws: `VestryError` when the kernel keyring cannot be used.
    func verdicts(
        on file: borrowing ItemFileExamination, presence: PresenceKeyTable,
        isSnapshot: Bool = false
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
                var verdict = RowVerdict(number, .sound, row: row)
                try examine(
                    row, &verdict, tags, stored: file.tags(of: number), presence: presence,
                    isSnapshot: isSnapshot)
                verdicts.append(verdict)
            }
        }
        return Self.markingDuplicates(verdicts)
    }

    /// Opens everything of a row that is an item, or was one.
    func examine(
        _ row: ItemRow, _ verdict: inout RowVerdict, _ tags: borrowing ItemTags,
        stored: [[UInt8]]?, presence: PresenceKeyTable, isSnapshot: Bool
    ) throws(VestryError) {
        guard let (protection, key) = try key(of: row, &verdict, isSnapshot: isSnapshot) else {
            return
        }
        do throws(VestryError) {
            let metadata = try row.openMetadata(with: key, in: storeID)
            verdict.record = ItemRecord(row, protection, metadata, secret: nil)
            verdict.primaryTag = tags.primaryTag(of: metadata)
            try checkValue(
                of: row, protection, digest: metadata.valueDigest, &verdict, presence: presence)
            let wanted = tags.searchTags(of: metadata)
            verdict.searchTags = wanted
            if verdict.primaryTag != row.primaryTag || stored.map(Set.init) != Set(wanted) {
                verdict.state = .tags
            }
        } catch {
            verdict.state = RowVerdict.State(error)
        }
    }

    /// The key of a row's metadata or note, with what the row says of itself.
    ///
    /// - Returns: Nil where the verdict says why its boxes stay closed.
    /// - Throws: `VestryError` when the kernel keyring cannot be used.
    func key(
        of row: ItemRow, _ verdict: inout RowVerdict, isSnapshot: Bool
    ) throws(VestryError) -> (Protection, OperationKey)? {
        let protection: Protection
        do throws(VestryError) {
            protection = try Protection(row)
        } catch {
            verdict.state = .newer(reason: error.detail)
            return nil
        }
        // First, because a rotation that has just begun makes it read the keybag again.
        let key = try itemKey(protection.metadataClass, epoch: row.epoch)
        if isOlder(than: row.epoch, protection.metadataClass)
            || isOlder(than: row.valueEpoch, protection.valueClass)
        {
            verdict.state = .withoutKey
            return nil
        }
        guard let key else {
            verdict.state = .locked
            return nil
        }
        let isOutdated =
            key.epoch != row.epoch || !keybag.hasKey(protection.valueClass, epoch: row.valueEpoch)
        if isSnapshot && isOutdated {
            verdict.state = .outdated
            return nil
        }
        return (protection, key)
    }

    /// Whether the keybag was written before a class got the key of an epoch.
    private func isOlder(than epoch: UInt32, _ keyClass: KeyClass) -> Bool {
        epoch > keybag.epoch(of: keyClass) ?? 0
    }

    /// Opens the value, or as much of it as the keys allow.
    ///
    /// - Throws: `VestryError` with the code `locked` when its key is another machine's, or with one
    ///   that says something about the row.
    func checkValue(
        of row: ItemRow, _ protection: Protection, digest: [UInt8]?, _ verdict: inout RowVerdict,
        presence: PresenceKeyTable
    ) throws(VestryError) {
        guard row.value != nil else {
            throw VestryError(.itemDamaged, detail: "its value cannot be read")
        }
        if protection.needsPresence {
            // What a key of another epoch sealed is compared with its digest alone.
            guard let held = presence[protection.valueClass], held.key.epoch == row.valueEpoch
            else {
                return try row.checkDeposit(digest: digest)
            }
            _ = try row.openDeposit(with: held.key, digest: digest, in: storeID)
        } else {
            guard let key = try itemKey(protection.valueClass, epoch: row.valueEpoch) else {
                throw VestryError(.locked)
            }
            let value = try row.openValue(with: key, in: storeID)
            if protection.hasApplicationPassword {
                _ = try PasswordBox(parsing: value)
                verdict.hasUnopenedSecret = true
            }
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

extension RowVerdict.State {
    /// What an error of opening says of the row.
    init(_ error: VestryError) {
        switch error.code {
        case .locked: self = .locked
        case .newerFormat: self = .newer(reason: error.detail)
        default: self = .damaged(reason: error.detail)
        }
    }
}
