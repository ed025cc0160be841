internal import ItemStore
internal import KeyClasses

/// What is kept of one item, or under one name.
struct ItemHistory {
    /// The item itself, if it is there.
    var item: ItemRow?
    /// The newest first, without their boxes.
    var oldValues: [OldValueRow] = []
    /// The last deleted first.
    var deleted: [DeletedRow] = []
    /// Of both, in this order.
    var entries: [HistoryEntry] = []
}

extension ItemTransaction {
    /// Looks up what is kept.
    func history(_ address: Keychain.HistoryAddress) throws(VestryError) -> ItemHistory {
        var history = ItemHistory()
        switch address {
        case .name(let name):
            history.item = try row(name, boxes: .metadata)
            let tag = tags.primaryTag(.genericPassword, name.values)
            history.deleted = try deletedRows(primaryTag: tag)
        case .reference(let reference):
            let number = try mappingErrors { () throws(ItemStoreError) in
                try items.number(reference: reference)
            }
            if let number {
                let row = try reader(of: .metadata).publicRow(number)
                if !isExpired(row) { history.item = row }
            }
            history.deleted = try deletedRows(reference: reference)
        }
        if let item = history.item {
            history.oldValues = try mappingErrors { () throws(ItemStoreError) in
                try items.oldValues(of: item, boxes: .metadata)
            }
        }
        for value in history.oldValues {
            history.entries.append(try entry(history.entries.count + 1, value))
        }
        for deleted in history.deleted {
            history.entries.append(try entry(history.entries.count + 1, deleted))
        }
        return history
    }

    /// The deleted items whose time is not over.
    func deletedRows(
        primaryTag: [UInt8]? = nil, reference: [UInt8]? = nil
    ) throws(VestryError) -> [DeletedRow] {
        let rows = try mappingErrors { () throws(ItemStoreError) in
            try items.deletedItems(primaryTag: primaryTag, reference: reference)
        }
        let now = wholeSeconds(now)
        return rows.filter { $0.gone > now }
    }

    private func entry(_ number: Int, _ value: OldValueRow) throws(VestryError) -> HistoryEntry {
        let protection = try Protection(value.row)
        var note: OldValueNote?
        if let key = try store.itemKey(protection.metadataClass, epoch: value.row.epoch) {
            note = try? value.row.openNote(with: key, in: store.storeID)
        }
        return HistoryEntry(
            number: number, kind: .oldSecret,
            modificationDate: note.map { wholeSeconds($0.modified) },
            replacementDate: note.map { wholeSeconds($0.replaced) }, keptUntil: nil,
            accessibility: protection.accessibility, accessControl: protection.flags,
            persistentReference: value.row.reference)
    }

    private func entry(_ number: Int, _ deleted: DeletedRow) throws(VestryError) -> HistoryEntry {
        let protection = try Protection(deleted.row)
        let metadata = try? open(deleted.row).1
        return HistoryEntry(
            number: number, kind: .deletedItem,
            modificationDate: metadata.map { wholeSeconds($0.modificationDate) },
            replacementDate: nil, keptUntil: deleted.gone,
            accessibility: protection.accessibility, accessControl: protection.flags,
            persistentReference: deleted.row.reference)
    }

    /// Gives an item an old value back; the value that it had becomes an old one.
    ///
    /// The box moves as it is: neither its key nor the person is needed for that.
    ///
    /// - Parameters:
    ///   - number: The old value's.
    ///   - item: The item's row.
    ///   - settings: How much of the past is kept; nil for nothing of the present value.
    /// - Throws: `VestryError`.
    func restore(
        _ number: Int64, of item: ItemRow, keeping settings: HistorySettings?
    ) throws(VestryError) {
        let (protection, metadata) = try open(item)
        let values = try mappingErrors { () throws(ItemStoreError) in
            try items.oldValues(of: item, boxes: .metadataAndValue)
        }
        guard let value = values.first(where: { $0.number == number }) else {
            throw VestryError(.itemNotFound)
        }
        let oldProtection = try Protection(value.row)
        let keyClass = oldProtection.metadataClass
        guard let key = try store.itemKey(keyClass, epoch: value.row.epoch) else {
            throw VestryError(.locked)
        }
        let note = try value.row.openNote(with: key, in: store.storeID)

        var pending = try prepare(item, protection, metadata, ItemChanges())
        try oldProtection.check(isSynchronizable: metadata.values[.synchronizable] == true)
        pending.protection = oldProtection
        pending.row.accessibility = value.row.accessibility
        pending.row.accessControl = value.row.accessControl
        pending.row.valueEpoch = value.row.valueEpoch
        pending.row.valueVersion = value.row.valueVersion
        pending.row.value = value.row.value
        pending.metadata.valueDigest = note.valueDigest
        pending.replacesSecret = true
        // Before the present value comes in its place: there may be room for no more.
        try mappingErrors { () throws(ItemStoreError) in try items.deleteOldValue(number) }
        try update(pending, keeping: settings)
    }

    /// Puts a deleted item back; one that has taken its place becomes a deleted one.
    ///
    /// - Parameters:
    ///   - deleted: The deleted item.
    ///   - settings: How much of the past is kept; nil for nothing.
    /// - Throws: `VestryError`.
    func restore(_ deleted: DeletedRow, keeping settings: HistorySettings?) throws(VestryError) {
        let present = try mappingErrors { () throws(ItemStoreError) in
            try items.number(primaryTag: deleted.row.primaryTag)
        }
        if let present {
            guard let settings, let gone = Self.end(of: now, days: settings.deletedDays) else {
                throw VestryError(.duplicateItem)
            }
            try mappingErrors { () throws(ItemStoreError) in
                try items.keepDeleted(number: present, until: gone)
            }
        }
        try mappingErrors { () throws(ItemStoreError) in
            try items.restoreDeleted(deleted.number)
            try items.trimDeleted(to: HistorySettings.deletedLimit)
        }
    }
}
