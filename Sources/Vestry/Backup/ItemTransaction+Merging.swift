internal import ItemStore
internal import SecureMemory

extension ItemTransaction {
    /// An item of the store in whose place another one would come.
    private struct Stored {
        let row: ItemRow
        let protection: Protection
        let metadata: ItemMetadata
    }

    /// Puts an item into the store, by a rule where there is one of the same name.
    ///
    /// - Parameters:
    ///   - item: As it comes.
    ///   - group: The access group of an item that names none.
    ///   - rule: What is to be done where there is another one; nil where nobody has said it of this
    ///     item alone.
    ///   - options: The rule for all others, and what new items get.
    ///   - names: The tags of the items that the store has now from those that came before it, to
    ///     which its own is added.
    ///   - settings: How much is kept of what it replaces.
    /// - Returns: What became of it.
    /// - Throws: `VestryError`.
    func merge(
        _ item: borrowing IncomingItem, group: String, _ rule: MergeRule?, _ options: MergeOptions,
        after names: inout Set<[UInt8]>, keeping settings: HistorySettings?
    ) throws(VestryError) -> MergeReport.Entry {
        if let end = item.changes.expires, end <= wholeSeconds(now) {
            return entry(item, item.changes.values, .expired)
        }
        var values = item.itemClass.defaultValues
        values[.accessGroup] = .string(group)
        values[.synchronizable] = false
        values.merge(item.changes.values)
        let tag = tags.primaryTag(item.itemClass, values)
        guard let stored = try stored(tag, item) else {
            let isFree = try item.reference.map { (reference) throws(VestryError) in
                try itemClass(of: reference) == nil
            }
            var changes = item.changes
            if changes.accessibility == nil { changes.accessibility = options.accessibility }
            let reference = try insert(
                item.itemClass, changes, group: group, secret: item.secret,
                reference: isFree == true ? item.reference : nil)
            names.insert(tag)
            return entry(item, values, .added, reference: reference)
        }
        guard try !isSame(stored, item, item.values(over: stored.metadata)) else {
            names.insert(tag)
            return entry(item, stored.metadata.values, .unchanged, reference: stored.row.reference)
        }
        // What replaced the one before it would be the loss of a password that nobody has seen: that
        // one is not the keychain's, and the file is removed when all of it seems to be here.
        let rule = rule ?? (names.contains(tag) ? .both : options.rule)
        let entry = try resolve(item, values, stored, group: group, rule, settings)
        if entry.result == .replaced { names.insert(tag) }
        return entry
    }

    private func resolve(
        _ item: borrowing IncomingItem, _ values: AttributeList,
        _ stored: Stored, group: String, _ rule: MergeRule, _ settings: HistorySettings?
    ) throws(VestryError) -> MergeReport.Entry {
        var isReplacing: Bool
        switch rule {
        case .stored: isReplacing = false
        case .incoming: isReplacing = true
        case .both:
            if values[.account] != nil {
                return try addBeside(item, values, stored, group: group)
            }
            fallthrough
        case .newest:
            isReplacing = (item.modificationDate ?? now) > stored.metadata.modificationDate
        }
        // Its secret takes a password that nobody has here.
        if stored.protection.hasApplicationPassword, item.changes.flags == nil {
            isReplacing = false
        }
        guard isReplacing else {
            return entry(
                item, values, .kept, over: stored, reference: stored.row.reference)
        }
        try replace(stored, with: item, settings)
        return entry(
            item, item.values(over: stored.metadata), .replaced, over: stored,
            reference: stored.row.reference)
    }

    private func replace(
        _ stored: Stored, with item: borrowing IncomingItem, _ settings: HistorySettings?
    ) throws(VestryError) {
        var pending = try prepare(stored.row, stored.protection, stored.metadata, item.changes)
        pending.metadata.values = item.values(over: stored.metadata)
        if item.modificationDate == nil {
            pending.metadata.values[.modificationDate] = .date(
                max(now, stored.metadata.modificationDate))
        }
        try seal(item.secret, in: &pending, PresenceKeys(prompt: nil))
        try update(pending, keeping: settings)
    }

    /// Adds an item under the first account that is free, or finds it under such a one.
    private func addBeside(
        _ item: borrowing IncomingItem, _ values: AttributeList,
        _ stored: Stored, group: String
    ) throws(VestryError) -> MergeReport.Entry {
        let account = values[.account]?.string ?? ""
        for number in 1...9_999 {
            var values = values
            var changes = item.changes
            // Its own is free where the other one is the same item under another name.
            changes.values[.account] = .string(number == 1 ? account : "\(account) (\(number))")
            values[.account] = changes.values[.account]
            guard
                let other = try self.stored(tags.primaryTag(item.itemClass, values), item.itemClass)
            else {
                if !item.isComplete, changes.accessibility == nil {
                    changes.accessibility = stored.protection.accessibility
                }
                let reference = try insert(
                    item.itemClass, changes, group: group, secret: item.secret)
                return entry(item, values, .addedBeside, over: stored, reference: reference)
            }
            var expected = item.isComplete ? changes.values : other.metadata.values
            if !item.isComplete { expected.merge(changes.values) }
            if try isSame(other, item, expected) {
                return entry(item, values, .unchanged, reference: other.row.reference)
            }
        }
        throw VestryError(.duplicateItem)
    }

    /// The item with a name, or with the reference of an item that comes in.
    private func stored(
        _ tag: [UInt8], _ item: borrowing IncomingItem
    ) throws(VestryError) -> Stored? {
        if let stored = try stored(tag, item.itemClass) { return stored }
        guard let reference = item.reference, try itemClass(of: reference) == item.itemClass else {
            return nil
        }
        let number = try mappingErrors { () throws(ItemStoreError) in
            try items.number(reference: reference)
        }
        guard let number else { return nil }
        return try opened(reader(of: .metadataAndValue).publicRow(number))
    }

    private func stored(_ tag: [UInt8], _ itemClass: ItemClass) throws(VestryError) -> Stored? {
        guard let row = try row(primaryTag: tag), row.itemClass == itemClass.number else {
            return nil
        }
        return try opened(row)
    }

    private func opened(_ row: ItemRow) throws(VestryError) -> Stored {
        let (protection, metadata) = try open(row)
        return Stored(row: row, protection: protection, metadata: metadata)
    }

    /// Whether an item has these attributes already, but for the dates of the keychain, and the secret.
    ///
    /// A secret that asks for somebody is taken for the same where all attributes are, the dates too.
    private func isSame(
        _ stored: Stored, _ item: borrowing IncomingItem, _ values: AttributeList
    ) throws(VestryError) -> Bool {
        let changes = item.changes
        guard
            changes.accessibility ?? stored.protection.accessibility
                == stored.protection.accessibility,
            changes.flags ?? stored.protection.flags == stored.protection.flags,
            changes.expires ?? stored.row.expires == stored.row.expires
        else { return false }
        var (left, right) = (stored.metadata.values, values)
        if stored.protection.needsPresence || stored.protection.hasApplicationPassword {
            return item.isComplete && left == right
        }
        for date in [ItemAttribute.creationDate, .modificationDate] {
            left[date] = nil
            right[date] = nil
        }
        guard left == right else { return false }
        let secret = try openSecret(
            of: stored.row, stored.protection, stored.metadata, presence: PresenceKeys(prompt: nil))
        return secret.constantTimeEquals(item.secret)
    }

    private func entry(
        _ item: borrowing IncomingItem, _ values: AttributeList,
        _ result: MergeResult, over stored: Stored? = nil, reference: [UInt8]? = nil
    ) -> MergeReport.Entry {
        MergeReport.Entry(
            item: ItemRecord(
                itemClass: item.itemClass, attributes: values.dictionary,
                persistentReference: reference ?? item.reference ?? [],
                accessibility: item.changes.accessibility ?? item.itemClass.defaultAccessibility,
                accessControl: item.changes.flags ?? [], secret: nil),
            result: result, storedModificationDate: stored?.metadata.modificationDate)
    }
}
