internal import ItemStore

extension Keychain {
    /// Puts the items of a backup into this keychain: all of them, or none where something fails.
    ///
    /// A snapshot of the present state is made first. The items keep their attributes, dates, access
    /// groups, access control and ends, and their references where no other item has them. Nobody is
    /// asked: items that ask for the user can be written without.
    ///
    /// - Parameters:
    ///   - backup: As it was opened.
    ///   - options: What becomes of items that the keychain has already.
    /// - Returns: What became of each item.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/backupDamaged``, and
    ///   ``VestryError/Code/locked`` when the class key of an item, or of one that it would replace, is not
    ///   in the kernel; and the codes of ``set(_:for:label:accessibility:accessControl:)`` for the
    ///   keychain. Nothing was changed then.
    public func restore(
        _ backup: borrowing Backup, options: MergeOptions = MergeOptions()
    ) throws(VestryError) -> MergeReport {
        // Before the transaction: a damaged file must not keep writers waiting, nor make a store.
        _ = try backup.contents()
        let reader = try BackupReader(backup)
        return try merge(options) { () throws(VestryError) in
            guard let item = try reader.next(of: backup) else { return nil }
            return IncomingItem(item)
        }
    }

    /// Puts items into the keychain, in one transaction.
    ///
    /// - Parameters:
    ///   - options: How.
    ///   - next: Gives one after the other, and nil at the end.
    /// - Returns: What became of each.
    /// - Throws: `VestryError`, of `next` too.
    func merge(
        _ options: MergeOptions, next: () throws(VestryError) -> IncomingItem?
    ) throws(VestryError) -> MergeReport {
        let group = try firstAccessGroup()
        let store = try openStore()
        let tags = try store.tags()
        guard let items = try itemsForWriting(in: store, creating: true) else {
            throw VestryError(.inputOutput, detail: "no item file")
        }
        let settings = try historySettings()
        // Nobody else can write meanwhile: this transaction is the writer already.
        if !options.isDryRun { _ = try makeSnapshot(of: store.directory, .restore) }
        let transaction = ItemTransaction(store, tags, items)
        try transaction.sweep()
        var report = MergeReport()
        var names: Set<[UInt8]> = []
        while let item = try next() {
            let decision = options.decisions[report.entries.count]
            report.entries.append(
                try transaction.merge(
                    item, group: group, decision, options, after: &names, keeping: settings))
        }
        // Without it, all of this is undone: a dry run takes the same way to its end.
        if !options.isDryRun { try transaction.commit() }
        return report
    }
}
