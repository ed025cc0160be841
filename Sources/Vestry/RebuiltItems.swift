internal import ItemStore
internal import KeyClasses
internal import LinuxSystem

/// The new item file of a repair, and the quarantine of what does not go into it.
struct RebuiltItems: ~Copyable {
    private let items: NewItemFile
    private var quarantine: QuarantineFile
    private var savedReferences: Set<[UInt8]>
    private let lostReferences: Set<[UInt8]>
    /// Of rows of which nothing else can be read.
    private let lostNumbers: Set<Int64>

    /// Sorts the rows of a file.
    ///
    /// - Parameters:
    ///   - verdicts: On all rows.
    ///   - file: The damaged file.
    ///   - store: Whose index class is open.
    ///   - report: Gets a step for each item that is not as it was.
    /// - Throws: `ItemStoreError` when there is not enough memory.
    init(
        _ verdicts: [RowVerdict], of file: borrowing ItemFileExamination,
        in store: borrowing OpenStore, _ report: inout RepairReport
    ) throws(ItemStoreError) {
        let items = try NewItemFile(storeID: store.storeID.bytes)
        var quarantine = try QuarantineFile()
        var saved: Set<[UInt8]> = []
        var lost: Set<[UInt8]> = []
        var lostNumbers: Set<Int64> = []
        for verdict in verdicts {
            var read: ItemRow?
            if case .row(let row) = file.reading(verdict.number) { read = row }
            if let row = read, let reason = verdict.quarantineReason {
                try quarantine.insert(row, of: .item, number: verdict.number, reason: reason)
                report.add(.quarantine, reason, verdict)
                if verdict.state != .duplicate { lost.insert(row.reference) }
                continue
            }
            guard let row = read else {
                let reason = verdict.quarantineReason ?? "it cannot be read"
                try quarantine.insert(nil, of: .item, number: verdict.number, reason: reason)
                lostNumbers.insert(verdict.number)
                report.add(.quarantine, reason, verdict)
                continue
            }
            do throws(ItemStoreError) {
                try Self.copy(row, verdict, of: file, to: items, in: store)
                saved.insert(row.reference)
                if verdict.state == .tags { report.add(.tags, "found again", verdict) }
            } catch .duplicate {
                // Of a locked class, or with a reference that is there twice.
                let reason = "another item has the same reference or tag"
                try quarantine.insert(row, of: .item, number: verdict.number, reason: reason)
                report.add(.quarantine, reason, verdict)
            }
        }
        try items.copyLeastEpochs(of: file)
        self.items = items
        self.quarantine = quarantine
        savedReferences = saved
        lostReferences = lost
        self.lostNumbers = lostNumbers
    }

    /// Adds what is lost as it was in a snapshot.
    ///
    /// - Parameters:
    ///   - verdicts: On all rows of the snapshot.
    ///   - copy: Its file.
    ///   - name: The snapshot's.
    ///   - everything: Whether all of it is lost, and not single items.
    ///   - store: Whose index class is open.
    ///   - report: Gets a step for each item.
    /// - Throws: `ItemStoreError` when there is not enough memory.
    mutating func restore(
        _ verdicts: [RowVerdict], of copy: borrowing ItemFileExamination, named name: String,
        everything: Bool, in store: borrowing OpenStore, _ report: inout RepairReport
    ) throws(ItemStoreError) {
        for verdict in verdicts {
            guard case .row(let row) = copy.reading(verdict.number),
                !savedReferences.contains(row.reference),
                everything || lostReferences.contains(row.reference)
                    || lostNumbers.contains(verdict.number)
            else { continue }
            do throws(ItemStoreError) {
                try Self.copy(row, verdict, of: copy, to: items, in: store)
                savedReferences.insert(row.reference)
                report.add(.restored, "as it was in snapshot \(name)", verdict)
            } catch .duplicate {
                // Its place was taken since.
            }
        }
    }

    /// Adds the deleted items and the old values; comes last, since an old value goes only where its item
    /// is.
    ///
    /// - Parameters:
    ///   - verdicts: On all of them, the deleted items first.
    ///   - file: The damaged file.
    ///   - report: Gets a step for each that is not as it was.
    /// - Throws: `ItemStoreError` when there is not enough memory.
    mutating func addPast(
        _ verdicts: [RowVerdict], of file: borrowing ItemFileExamination,
        _ report: inout RepairReport
    ) throws(ItemStoreError) {
        for verdict in verdicts {
            var reason = verdict.quarantineReason
            if reason == nil { reason = copyPast(verdict, of: file) }
            guard let reason else {
                if verdict.state == .tags { report.add(.pastTags, "found again", verdict) }
                continue
            }
            let reading =
                verdict.place == .deleted
                ? file.deleted(verdict.number)
                : file.oldValue(verdict.number) { _ in verdict.itemClass ?? 0 }
            var read: ItemRow?
            if case .row(let row) = reading { read = row }
            try quarantine.insert(
                read, of: verdict.place, number: verdict.number, reason: reason)
            report.add(.pastQuarantine, reason, verdict)
        }
    }

    /// Copies a deleted item or an old value.
    ///
    /// - Returns: Why it could not be copied; nil when it was.
    private func copyPast(
        _ verdict: RowVerdict, of file: borrowing ItemFileExamination
    ) -> String? {
        do throws(ItemStoreError) {
            if verdict.place == .deleted {
                try items.copyDeleted(
                    verdict.number, of: file,
                    primaryTag: verdict.searchTags == nil ? nil : verdict.primaryTag,
                    tags: verdict.searchTags)
                return nil
            }
            let isCopied = try items.copyOldValue(verdict.number, of: file)
            return isCopied ? nil : "its item is not there"
        } catch {
            return "it cannot be read"
        }
    }

    /// Copies a row; with new tags where its attributes are open.
    private static func copy(
        _ row: ItemRow, _ verdict: RowVerdict, of file: borrowing ItemFileExamination,
        to items: borrowing NewItemFile, in store: borrowing OpenStore
    ) throws(ItemStoreError) {
        var row = row
        var tags = file.tags(of: verdict.number) ?? []
        if let searchTags = verdict.searchTags, let primaryTag = verdict.primaryTag {
            row.primaryTag = primaryTag
            tags = searchTags
        }
        // A damaged index can show one twice.
        try items.insert(row, tags: Set(tags).sorted { $0.lexicographicallyPrecedes($1) })
    }

    /// Writes both where there is no item file, the quarantine first.
    consuming func create(
        in directory: borrowing StoreDirectory, _ names: KeptNames, _ report: inout RepairReport
    ) throws(ItemStoreError) {
        try writeQuarantine(in: directory, names, &report)
        try items.create(
            in: directory, keepingOldAs: names.free(ItemStore.fileName, in: directory))
    }

    private func writeQuarantine(
        in directory: borrowing StoreDirectory, _ names: KeptNames, _ report: inout RepairReport
    ) throws(ItemStoreError) {
        guard quarantine.count > 0 else { return }
        let name = names.free(ItemStore.fileName, "quarantine", in: directory)
        try quarantine.write(as: name, in: directory)
        report.add(.kept, name)
    }

    /// Writes both, the quarantine first: at every moment each row is in a file that stays.
    consuming func place(
        in directory: borrowing StoreDirectory, insteadOf file: borrowing ItemFileExamination,
        _ names: KeptNames, _ report: inout RepairReport
    ) throws(ItemStoreError) {
        try writeQuarantine(in: directory, names, &report)
        let oldName = names.free(ItemStore.fileName, in: directory)
        try items.replace(in: directory, whileHolding: file, keepingOldAs: oldName)
        report.add(.kept, oldName)
    }
}

extension RowVerdict {
    /// Why the row cannot be kept; nil where it can.
    fileprivate var quarantineReason: String? {
        switch state {
        case .sound, .locked, .outdated, .tags, .newer, .withoutKey: nil
        // Its item may come back from a snapshot.
        case .withoutItem: nil
        case .damaged(let reason), .unreadable(let reason): reason
        case .duplicate: "another item has the same attributes"
        }
    }
}
