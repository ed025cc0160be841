internal import ItemStore
internal import KeyClasses
internal import SecureMemory

// Old secrets of items, and deleted items.
extension Keychain {
    /// What an operation on history is about.
    enum HistoryAddress {
        case name(SimpleName)
        case reference([UInt8])
    }

    /// Returns what can be brought back for service and account.
    ///
    /// - Parameter key: The exact service and account.
    /// - Returns: None where nothing is kept, also for an item that is not there.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/locked`` when the index class key is not
    ///   in the kernel, and the codes of ``item(for:)`` for the keychain as a whole.
    public func history(of key: ItemKey) throws(VestryError) -> [HistoryEntry] {
        try history(.name(SimpleName(key, in: self)))
    }

    /// Returns what can be brought back for an item that is there, or that was deleted.
    ///
    /// - Parameter reference: Its persistent reference.
    /// - Returns: As ``history(of:)-(ItemKey)``.
    /// - Throws: ``VestryError``, with the codes of ``history(of:)-(ItemKey)``.
    public func history(of reference: [UInt8]) throws(VestryError) -> [HistoryEntry] {
        try history(.reference(reference))
    }

    private func history(_ address: HistoryAddress) throws(VestryError) -> [HistoryEntry] {
        let store = try openStore()
        let tags = try store.tags()
        guard let items = try store.itemsForReading() else { return [] }
        return try ItemTransaction(store, tags, items).history(address).entries
    }

    /// Brings back the secret that the item of service and account had before, or, where no old secret
    /// is kept, the item that was deleted last.
    ///
    /// What is replaced by that is kept in turn, so that a second call takes the first one back; an
    /// item in the place of a deleted one becomes a deleted one. Everything is one step. The old secret
    /// comes with its accessibility and its access control, and nobody is asked for anything.
    ///
    /// - Parameters:
    ///   - key: The exact service and account.
    ///   - number: That of an entry of ``history(of:)-(ItemKey)``.
    /// - Returns: The entry, which is none any more.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/itemNotFound`` when nothing is kept
    ///   under that number; ``VestryError/Code/locked`` when the class key of the old secret is not in
    ///   the kernel; ``VestryError/Code/duplicateItem`` when an item is in the place of a deleted one
    ///   and nothing that is deleted is kept; and the codes of
    ///   ``set(_:for:label:accessibility:accessControl:)``.
    @discardableResult
    public func undo(_ key: ItemKey, number: Int = 1) throws(VestryError) -> HistoryEntry {
        try undo(.name(SimpleName(key, in: self)), number)
    }

    /// Brings back the secret that an item had before, or the item, as ``undo(_:number:)-(ItemKey,_)``.
    ///
    /// - Parameters:
    ///   - reference: The item's persistent reference, or that of a deleted one.
    ///   - number: That of an entry of ``history(of:)-([UInt8])``.
    /// - Returns: The entry, which is none any more.
    /// - Throws: ``VestryError``, with the codes of ``undo(_:number:)-(ItemKey,_)``.
    @discardableResult
    public func undo(_ reference: [UInt8], number: Int = 1) throws(VestryError) -> HistoryEntry {
        try undo(.reference(reference), number)
    }

    private func undo(
        _ address: HistoryAddress, _ number: Int
    ) throws(VestryError) -> HistoryEntry {
        try changingHistory(VestryError(.itemNotFound, detail: "nothing is kept of it")) {
            (transaction) throws(VestryError) in
            let history = try transaction.history(address)
            guard let entry = history.entries.first(where: { $0.number == number }) else {
                throw VestryError(.itemNotFound, detail: "nothing is kept of it")
            }
            let settings = try historySettings()
            if number <= history.oldValues.count, let item = history.item {
                try transaction.restore(
                    history.oldValues[number - 1].number, of: item, keeping: settings)
            } else {
                try transaction.restore(
                    history.deleted[number - 1 - history.oldValues.count], keeping: settings)
            }
            return entry
        }
    }

    /// Returns the deleted items that are kept.
    ///
    /// - Returns: Those of ``accessGroups`` that can be read now, and how many more there are.
    /// - Throws: ``VestryError``, with the codes of ``items(service:)``.
    public func deletedItems() throws(VestryError) -> DeletedItems {
        let groups = try usableAccessGroups()
        let store = try openStore()
        let tags = try store.tags()
        guard let items = try store.itemsForReading() else {
            return DeletedItems(items: [], lockedCount: 0, damagedCount: 0)
        }
        let transaction = ItemTransaction(store, tags, items)
        var found: [DeletedItem] = []
        var (lockedCount, damagedCount) = (0, 0)
        for deleted in try transaction.deletedRows() {
            do throws(VestryError) {
                let (protection, metadata) = try transaction.open(deleted.row)
                guard let group = metadata.values[.accessGroup]?.string,
                    groups.containsBytes(of: group)
                else { continue }
                let record = ItemRecord(deleted.row, protection, metadata, secret: nil)
                found.append(DeletedItem(record: record, keptUntil: deleted.gone))
            } catch .locked {
                lockedCount += 1
            } catch  where error.isOfOneItem {
                damagedCount += 1
            }
        }
        return DeletedItems(items: found, lockedCount: lockedCount, damagedCount: damagedCount)
    }

    /// Removes the old secrets of the item of service and account, and its deleted namesakes, for
    /// good; their bytes are overwritten in the file.
    ///
    /// Snapshots hold what they held.
    ///
    /// - Parameter key: The exact service and account.
    /// - Returns: How many entries there were.
    /// - Throws: ``VestryError``, with the codes of ``delete(_:)-(ItemKey)``.
    @discardableResult
    public func eraseHistory(of key: ItemKey) throws(VestryError) -> Int {
        try eraseHistory(.name(SimpleName(key, in: self)))
    }

    /// Removes the old secrets of an item, or a deleted item, for good.
    ///
    /// - Parameter reference: Its persistent reference.
    /// - Returns: How many entries there were.
    /// - Throws: ``VestryError``, with the codes of ``eraseHistory(of:)-(ItemKey)``.
    @discardableResult
    public func eraseHistory(of reference: [UInt8]) throws(VestryError) -> Int {
        try eraseHistory(.reference(reference))
    }

    private func eraseHistory(_ address: HistoryAddress) throws(VestryError) -> Int {
        try erasing { (transaction) throws(VestryError) in
            let history = try transaction.history(address)
            try mappingErrors { () throws(ItemStoreError) in
                if let item = history.item {
                    try transaction.items.deleteOldValues(of: item.reference)
                }
                for deleted in history.deleted {
                    try transaction.items.deleteOldValues(of: deleted.row.reference)
                    try transaction.items.deleteDeleted(deleted.number)
                }
            }
            return history.entries.count
        }
    }

    /// Removes the old secrets of all items for good, those of deleted items too.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``VestryError``, with the codes of ``delete(_:)-(ItemKey)``.
    @discardableResult
    public func eraseOldSecrets() throws(VestryError) -> Int {
        try erasing { (transaction) throws(VestryError) in
            try mappingErrors { () throws(ItemStoreError) in
                try transaction.items.deleteAllOldValues()
            }
        }
    }

    /// Removes all deleted items for good.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``VestryError``, with the codes of ``delete(_:)-(ItemKey)``.
    @discardableResult
    public func eraseDeletedItems() throws(VestryError) -> Int {
        try erasing { (transaction) throws(VestryError) in
            try mappingErrors { () throws(ItemStoreError) in
                try transaction.items.deleteAllDeleted()
            }
        }
    }

    private func erasing(
        _ body: (borrowing ItemTransaction) throws(VestryError) -> Int
    ) throws(VestryError) -> Int {
        do throws(VestryError) {
            return try changingHistory(VestryError(.itemNotFound), body)
        } catch .itemNotFound {
            return 0
        }
    }

    private func changingHistory<Value>(
        _ withoutItems: VestryError,
        _ body: (borrowing ItemTransaction) throws(VestryError) -> Value
    ) throws(VestryError) -> Value {
        let store = try openStore()
        let tags = try store.tags()
        guard let items = try itemsForWriting(in: store, creating: false) else {
            throw withoutItems
        }
        let transaction = ItemTransaction(store, tags, items)
        try transaction.sweep()
        let value = try body(transaction)
        try transaction.commit()
        return value
    }
}
