internal import ItemStore
internal import KeyClasses
internal import SecureMemory

// What becomes of replaced values and deleted items.
extension ItemTransaction {
    /// Whether a secret is the one that an item has already; where somebody would have to be asked, it
    /// counts as another one.
    func isSecret(
        _ secret: borrowing SecretBytes, of old: PendingUpdate.Old
    ) throws(VestryError) -> Bool {
        guard !old.protection.needsPresence, !old.protection.hasApplicationPassword,
            let row = try row(primaryTag: old.row.primaryTag),
            let key = try store.itemKey(old.protection.valueClass, epoch: row.valueEpoch),
            // A damaged value is not the same.
            let present = try? row.openValue(with: key, in: store.storeID)
        else { return false }
        return present.constantTimeEquals(secret)
    }

    /// Keeps the value that a change replaces, and lets no old value be read more easily than the item.
    ///
    /// - Parameters:
    ///   - pending: The change, not written yet.
    ///   - settings: How much is kept; nil for nothing of this change.
    /// - Throws: `VestryError`.
    func keepOldValue(
        _ pending: PendingUpdate, _ settings: HistorySettings?
    ) throws(VestryError) {
        let old = pending.old
        if pending.replacesSecret, let settings, settings.oldValueCount > 0 {
            let note = OldValueNote(
                modified: old.metadata.modificationDate, replaced: now,
                valueDigest: old.metadata.valueDigest)
            let key = try store.unlockedItemKey(old.protection.accessibility)
            var row = old.row
            row.seal(note: note, with: key, in: store.storeID)
            let sealed = row
            let limit = HistoryLimit(
                valueCount: settings.oldValueCount, byteCount: HistorySettings.oldValueByteLimit)
            try mappingErrors { () throws(ItemStoreError) in
                try items.keepValue(of: sealed, limit: limit)
            }
        }
        guard pending.protection != old.protection else { return }
        try protectOldValues(of: old.row, as: pending.protection)
    }

    /// Seals the old values of an item as strictly as the item itself will be.
    ///
    /// One that is at least as strict stays as it is. One whose secret asks for somebody, and one that
    /// does not open, is removed.
    private func protectOldValues(
        of item: ItemRow, as protection: Protection
    ) throws(VestryError) {
        let values = try mappingErrors { () throws(ItemStoreError) in
            try items.oldValues(of: item, boxes: .metadataAndValue)
        }
        for value in values {
            let old = try? Protection(value.row)
            if let old, old.isAtLeastAsStrict(as: protection) { continue }
            let resealed = try old.flatMap { (old) throws(VestryError) in
                try reseal(value, old, as: protection)
            }
            try mappingErrors { () throws(ItemStoreError) in
                if let resealed {
                    try items.replaceOldValue(resealed)
                } else {
                    try items.deleteOldValue(value.number)
                }
            }
        }
    }

    private func reseal(
        _ value: OldValueRow, _ old: Protection, as protection: Protection
    ) throws(VestryError) -> OldValueRow? {
        guard !old.needsPresence, !old.hasApplicationPassword, !protection.hasApplicationPassword,
            let noteKey = try store.itemKey(old.metadataClass, epoch: value.row.epoch),
            let valueKey = try store.itemKey(old.valueClass, epoch: value.row.valueEpoch),
            var note = try? value.row.openNote(with: noteKey, in: store.storeID),
            let secret = try? value.row.openValue(with: valueKey, in: store.storeID)
        else { return nil }
        var resealed = value
        resealed.row.accessibility = protection.metadataClass.rawValue
        resealed.row.accessControl = protection.flags.rawValue
        resealed.row.version = value.row.valueVersion
        note.valueDigest = try seal(value: secret, as: protection, in: &resealed.row)
        let key = try store.unlockedItemKey(protection.accessibility)
        resealed.row.seal(note: note, with: key, in: store.storeID)
        return resealed
    }

    /// Removes items.
    ///
    /// - Parameters:
    ///   - numbers: Theirs.
    ///   - settings: How long they are kept; nil for not at all.
    /// - Throws: `VestryError`.
    func delete(_ numbers: [Int64], keeping settings: HistorySettings?) throws(VestryError) {
        let gone = settings.flatMap { Self.end(of: now, days: $0.deletedDays) }
        let reader = try reader(of: .metadata)
        for number in numbers {
            guard let gone else {
                let row = try reader.publicRow(number)
                try mappingErrors { () throws(ItemStoreError) in
                    try items.deleteOldValues(of: row.reference)
                    try items.delete(number: number)
                }
                continue
            }
            try mappingErrors { () throws(ItemStoreError) in
                try items.keepDeleted(number: number, until: gone)
            }
        }
        guard gone != nil else { return }
        try mappingErrors { () throws(ItemStoreError) in
            try items.trimDeleted(to: HistorySettings.deletedLimit)
        }
    }

    /// Until when something is kept for so many days: to the end of a day, so that the file does not
    /// tell at what time an item was deleted.
    static func end(of now: Double, days: Int) -> Int64? {
        guard days > 0 else { return nil }
        let day: Int64 = 86_400
        let last = wholeSeconds(now).addingReportingOverflow(Int64(days) * day)
        guard !last.overflow else { return nil }
        return last.partialValue / day * day + day
    }
}

extension Protection {
    /// Whether whoever can read something so protected can read it under the other protection too.
    func isAtLeastAsStrict(as other: Protection) -> Bool {
        accessibility.strictness >= other.accessibility.strictness
            && (accessibility.isThisDeviceOnly || !other.accessibility.isThisDeviceOnly)
            && (needsPresence || !other.needsPresence)
            && (hasApplicationPassword || !other.hasApplicationPassword)
    }
}

extension Accessibility {
    /// Ascends with what must be the case for a read.
    fileprivate var strictness: Int {
        switch self {
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: 0
        case .whenUnlocked, .whenUnlockedThisDeviceOnly: 1
        case .whenPasscodeSetThisDeviceOnly: 2
        }
    }
}

extension Keychain {
    /// Opens the items to change them: makes the day's snapshot, and brings a file of an older version
    /// to this one.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - creating: Whether a missing file is made.
    /// - Returns: Nil when there is no item file and none was to be made.
    /// - Throws: `VestryError`; a file whose snapshot cannot be made is not brought to another version.
    func itemsForWriting(
        in store: borrowing OpenStore, creating: Bool
    ) throws(VestryError) -> ItemStore? {
        makeDailySnapshot(of: store.directory)
        guard let items = try store.itemsForWriting(creating: creating) else { return nil }
        let isOld = try mappingErrors { () throws(ItemStoreError) in try items.needsMigration() }
        guard isOld else { return items }
        // Nobody else can write meanwhile: this transaction is the writer already.
        do throws(VestryError) {
            _ = try makeSnapshot(of: store.directory, .migration)
        } catch {
            throw VestryError(
                error.code,
                detail: "no snapshot before the change of its format: \(error.detail)")
        }
        do throws(ItemStoreError) {
            try items.migrate()
            try items.commit()
        } catch {
            throw error.publicError
        }
        return try store.itemsForWriting(creating: creating)
    }

    /// How much of what is replaced and deleted is kept; nil for nothing.
    func historySettings() throws(VestryError) -> HistorySettings? {
        keepsHistory ? try HistorySettings.read(of: account) : nil
    }
}
