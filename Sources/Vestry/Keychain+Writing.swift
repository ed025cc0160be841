internal import ItemStore
internal import Keybag
internal import KeyClasses
public import SecureMemory

// Generic passwords by service and account: the items of the first access group that are not
// synchronizable.
extension Keychain {
    /// Stores a secret, in place of the one that has this key or as a new item.
    ///
    /// Old and new secret are exchanged in one step: whoever reads meanwhile, or after a crash,
    /// finds one of them. A change of accessibility seals the item anew under the other class key,
    /// and leaves nothing under the old one. The old secret is kept for ``undo(_:)``.
    ///
    /// - Parameters:
    ///   - secret: At most ``maximumSecretByteCount`` bytes; an empty secret is a secret.
    ///   - key: Service and account, each at most ``maximumTextByteCount`` bytes.
    ///   - label: A name for people, at most ``maximumTextByteCount`` bytes; nil leaves the label
    ///     as it is.
    ///   - accessibility: When the item can be read; nil leaves it as it is, and makes a new item
    ///     ``Accessibility/afterFirstUnlock``.
    ///   - accessControl: What each read asks for; nil leaves it as it is, and asks for nothing in
    ///     a new item. Writing never asks.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/dataTooLarge`` or
    ///   ``VestryError/Code/parameter`` before anything is written, the latter also for an item that
    ///   takes an application password, which is for ``update(_:set:secret:)``;
    ///   ``VestryError/Code/locked`` when the class key of the old or the new item is not in the kernel;
    ///   ``VestryError/Code/diskFull``, ``VestryError/Code/readOnly`` or ``VestryError/Code/busy``,
    ///   after which the old item is unchanged; and the codes of ``secret(for:prompt:)`` for the keychain.
    public func set(
        _ secret: borrowing SecretBytes, for key: ItemKey, label: String? = nil,
        accessibility: Accessibility? = nil, accessControl: AccessControl.Flags? = nil
    ) throws(VestryError) {
        try Self.check(secret)
        let name = try SimpleName(key, in: self)
        var changes = try name.changes(label: label)
        changes.accessibility = accessibility
        changes.flags = accessControl

        let store = try openStore()
        let tags = try store.tags()
        // Before the file is made: a locked class must not leave an empty one behind.
        if let accessibility { _ = try store.unlockedItemKey(accessibility) }
        guard let items = try itemsForWriting(in: store, creating: true) else {
            throw VestryError(.inputOutput, detail: "no item file")
        }
        let transaction = ItemTransaction(store, tags, items)
        try transaction.sweep()
        if let row = try transaction.row(name, boxes: .metadata) {
            let (protection, metadata) = try transaction.open(row)
            var pending = try transaction.prepare(row, protection, metadata, changes)
            try transaction.seal(secret, in: &pending, PresenceKeys(prompt: nil))
            try transaction.update(pending, keeping: historySettings())
        } else {
            if accessibility == nil { changes.accessibility = .afterFirstUnlock }
            _ = try transaction.insert(
                .genericPassword, changes, group: name.group, secret: secret)
        }
        try transaction.commit()
    }

    /// Stores a secret as a new item.
    ///
    /// - Parameters:
    ///   - secret: As for ``set(_:for:label:accessibility:accessControl:)``.
    ///   - key: As for ``set(_:for:label:accessibility:accessControl:)``.
    ///   - label: A name for people, or nil.
    ///   - accessibility: When the item can be read.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/duplicateItem`` when an item has
    ///   this key, locked or not; and the codes of ``set(_:for:label:accessibility:accessControl:)``.
    public func add(
        _ secret: borrowing SecretBytes, for key: ItemKey, label: String? = nil,
        accessibility: Accessibility = .afterFirstUnlock
    ) throws(VestryError) {
        try Self.check(secret)
        let name = try SimpleName(key, in: self)
        var changes = try name.changes(label: label)
        changes.accessibility = accessibility
        _ = try add(.genericPassword, changes, group: name.group, secret: secret)
    }

    /// Removes the item with `key`.
    ///
    /// It is kept for a while, for ``undo(_:)``; where the user's settings or ``keepsHistory`` say not
    /// to, its bytes are overwritten in the file.
    ///
    /// A locked item can be removed too, as Apple's Keychain Services allow: only the index class
    /// key is needed.
    ///
    /// - Parameter key: The exact service and account.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/itemNotFound`` when nothing has
    ///   this key, ``VestryError/Code/locked`` when the index class key is not in the kernel, and
    ///   the codes of ``set(_:for:label:accessibility:accessControl:)``.
    public func delete(_ key: ItemKey) throws(VestryError) {
        let name = try SimpleName(key, in: self)
        let store = try openStore()
        let tags = try store.tags()
        guard let items = try itemsForWriting(in: store, creating: false) else {
            throw VestryError(.itemNotFound)
        }
        let transaction = ItemTransaction(store, tags, items)
        try transaction.sweep()
        guard let number = try transaction.number(name) else { throw VestryError(.itemNotFound) }
        try transaction.delete([number], keeping: historySettings())
        try transaction.commit()
    }
}

/// What makes up the primary key of an item that service and account address.
struct SimpleName {
    let group: String
    let values: AttributeList

    init(_ key: ItemKey, in keychain: Keychain) throws(VestryError) {
        let group = try keychain.firstAccessGroup()
        self.group = group
        values = try [
            .service: ItemAttribute.service.checked(.string(key.service), in: .genericPassword),
            .account: ItemAttribute.account.checked(.string(key.account), in: .genericPassword),
            .accessGroup: .string(group),
        ]
    }

    func changes(label: String?) throws(VestryError) -> ItemChanges {
        var changes = ItemChanges()
        changes.values = values
        if let label {
            changes.values[.label] = try ItemAttribute.label.checked(
                .string(label), in: .genericPassword)
        }
        return changes
    }
}

extension ItemTransaction {
    /// The item with a name, unless it is past its end.
    func row(_ name: SimpleName, boxes: ItemBoxes) throws(VestryError) -> ItemRow? {
        let tag = tags.primaryTag(.genericPassword, name.values)
        func read() throws(VestryError) -> ItemRow? {
            try mappingErrors { () throws(ItemStoreError) in
                try items.row(primaryTag: tag, boxes: boxes)
            }
        }
        var row = try read()
        if items.isWithoutLock, let known = row, try !isOfPresentEpochs(known) {
            // The way to its key can be gone by now, and that to the key of the row as it is.
            try mappingErrors { () throws(ItemStoreError) in try items.beginReading() }
            row = try read()
        }
        guard let row, !isExpired(row) else { return nil }
        return row
    }

    /// Whether the keys that are in the kernel now are those of the row, without a bridge and without a
    /// question.
    private func isOfPresentEpochs(_ row: ItemRow) throws(VestryError) -> Bool {
        let protection = try Protection(row)
        guard !protection.needsPresence, !protection.hasApplicationPassword else { return false }
        guard let key = try store.itemKey(protection.metadataClass),
            let valueKey = try store.itemKey(protection.valueClass)
        else { return true }
        return key.epoch == row.epoch && valueKey.epoch == row.valueEpoch
    }

    /// The number of the item with a name, if there is one.
    func number(_ name: SimpleName) throws(VestryError) -> Int64? {
        let tag = tags.primaryTag(.genericPassword, name.values)
        return try mappingErrors { () throws(ItemStoreError) in
            try items.number(primaryTag: tag)
        }
    }

    /// Opens the metadata of a row.
    ///
    /// - Throws: `VestryError` with the code `locked` among others.
    func open(_ row: ItemRow) throws(VestryError) -> (Protection, ItemMetadata) {
        let protection = try Protection(row)
        guard let key = try store.itemKey(protection.metadataClass, epoch: row.epoch) else {
            throw store.lockedError(protection.metadataClass, epoch: row.epoch)
        }
        return (protection, try row.openMetadata(with: key, tags: tags, in: store.storeID))
    }
}
