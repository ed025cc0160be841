internal import ItemStore
internal import KeyClasses

extension OpenStore {
    /// Examines the old values and the deleted items of an item file.
    ///
    /// - Parameters:
    ///   - file: Of this store.
    ///   - items: The verdicts on its items.
    ///   - presence: As for the items.
    ///   - isSnapshot: Whether the file is one from before, whose keys can be gone.
    /// - Returns: A verdict for each, the deleted items first.
    /// - Throws: `VestryError` when the kernel keyring cannot be used.
    func pastVerdicts(
        on file: borrowing ItemFileExamination, items: [RowVerdict], presence: PresenceKeyTable,
        isSnapshot: Bool = false
    ) throws(VestryError) -> [RowVerdict] {
        let deleted = file.pastNumbers(of: .deleted)
        let oldValues = file.pastNumbers(of: .oldValue)
        guard !deleted.isEmpty || !oldValues.isEmpty else { return [] }
        guard let index = try key(.index) else {
            return deleted.map { RowVerdict($0, .locked, of: .deleted) }
                + oldValues.map { RowVerdict($0, .locked, of: .oldValue) }
        }
        let tags = ItemTags(indexKey: index)
        var verdicts: [RowVerdict] = []
        for number in deleted {
            switch file.deleted(number) {
            case .absent: break
            case .unreadable(let reason):
                verdicts.append(RowVerdict(number, .unreadable(reason: reason), of: .deleted))
            case .row(let row):
                var verdict = RowVerdict(number, .sound, of: .deleted, row: row)
                try examine(
                    row, &verdict, tags, stored: file.deletedTags(of: number),
                    presence: presence, isSnapshot: isSnapshot)
                verdicts.append(verdict)
            }
        }
        var owners: [[UInt8]: RowVerdict] = [:]
        for verdict in items + verdicts {
            if let reference = verdict.reference { owners[reference] = verdict }
        }
        return verdicts
            + (try self.verdicts(
                onOldValues: oldValues, of: file, owners, presence: presence,
                isSnapshot: isSnapshot))
    }

    private func verdicts(
        onOldValues numbers: [Int64], of file: borrowing ItemFileExamination,
        _ owners: [[UInt8]: RowVerdict], presence: PresenceKeyTable, isSnapshot: Bool
    ) throws(VestryError) -> [RowVerdict] {
        var verdicts: [RowVerdict] = []
        var counts: [[UInt8]: Int] = [:]
        // As a history counts them: the newest is the first.
        for number in numbers.reversed() {
            let reading = file.oldValue(number) { owners[$0]?.itemClass ?? 0 }
            switch reading {
            case .absent: break
            case .unreadable(let reason):
                verdicts.append(RowVerdict(number, .unreadable(reason: reason), of: .oldValue))
            case .row(let row):
                var verdict = RowVerdict(number, .sound, of: .oldValue, row: row)
                counts[row.reference, default: 0] += 1
                verdict.oldSecretNumber = counts[row.reference]
                verdict.record = owners[row.reference]?.record
                if owners[row.reference] == nil {
                    verdict.state = .withoutItem
                } else {
                    try examine(
                        oldValue: row, &verdict, presence: presence, isSnapshot: isSnapshot)
                }
                verdicts.append(verdict)
            }
        }
        return verdicts.reversed()
    }

    /// Opens the note and the box of an old value.
    private func examine(
        oldValue row: ItemRow, _ verdict: inout RowVerdict, presence: PresenceKeyTable,
        isSnapshot: Bool
    ) throws(VestryError) {
        guard let (protection, key) = try key(of: row, &verdict, isSnapshot: isSnapshot) else {
            return
        }
        do throws(VestryError) {
            let note = try row.openNote(with: key, in: storeID)
            try checkValue(
                of: row, protection, digest: note.valueDigest, &verdict, presence: presence)
        } catch {
            verdict.state = RowVerdict.State(error)
        }
    }
}
