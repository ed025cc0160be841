internal import Glibc
internal import ItemStore
internal import Keybag
internal import KeyClasses
internal import Sealing
public import SecureMemory

extension Keychain {
    /// Stores a secret, in place of the one that has this key or as a new item.
    ///
    /// Old and new secret are exchanged in one step: whoever reads meanwhile, or after a crash,
    /// finds one of them. A change of accessibility seals the item anew under the other class key,
    /// and leaves nothing under the old one.
    ///
    /// - Parameters:
    ///   - secret: At most ``maximumSecretByteCount`` bytes; an empty secret is a secret.
    ///   - key: Service and account, each at most ``maximumTextByteCount`` bytes.
    ///   - label: A name for people, at most ``maximumTextByteCount`` bytes; nil leaves the label
    ///     as it is.
    ///   - accessibility: When the item can be read; nil leaves it as it is, and makes a new item
    ///     ``Accessibility/afterFirstUnlock``.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/dataTooLarge`` or
    ///   ``VestryError/Code/parameter`` before anything is written; ``VestryError/Code/locked`` when
    ///   the class key of the old or the new item is not in the kernel;
    ///   ``VestryError/Code/diskFull``, ``VestryError/Code/readOnly`` or ``VestryError/Code/busy``,
    ///   after which the old item is unchanged; and the codes of ``secret(for:)`` for the keychain.
    public func set(
        _ secret: borrowing SecretBytes, for key: ItemKey, label: String? = nil,
        accessibility: Accessibility? = nil
    ) throws(VestryError) {
        try store(secret, for: key, label: label, accessibility: accessibility, replacing: true)
    }

    /// Stores a secret as a new item.
    ///
    /// - Parameters:
    ///   - secret: As for ``set(_:for:label:accessibility:)``.
    ///   - key: As for ``set(_:for:label:accessibility:)``.
    ///   - label: A name for people, or nil.
    ///   - accessibility: When the item can be read.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/duplicateItem`` when an item has
    ///   this key, locked or not; and the codes of ``set(_:for:label:accessibility:)``.
    public func add(
        _ secret: borrowing SecretBytes, for key: ItemKey, label: String? = nil,
        accessibility: Accessibility = .afterFirstUnlock
    ) throws(VestryError) {
        try store(secret, for: key, label: label, accessibility: accessibility, replacing: false)
    }

    /// Removes the item with `key`, and overwrites its bytes in the file.
    ///
    /// A locked item can be removed too, as Apple's Keychain Services allow: only the index class
    /// key is needed.
    ///
    /// - Parameter key: The exact service and account.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/itemNotFound`` when nothing has
    ///   this key, ``VestryError/Code/locked`` when the index class key is not in the kernel, and
    ///   the codes of ``set(_:for:label:accessibility:)``.
    public func delete(_ key: ItemKey) throws(VestryError) {
        try ItemMetadata.check(key, label: nil)
        let store = try openStore()
        let tag = try store.tags().primaryTag(of: key)
        guard let items = try store.itemsForWriting(creating: false) else {
            throw VestryError(.itemNotFound)
        }
        let isDeleted = try mappingErrors { () throws(ItemStoreError) in
            try items.delete(primaryTag: tag)
        }
        guard isDeleted else { throw VestryError(.itemNotFound) }
        try items.commitMappingErrors()
    }

    private func store(
        _ secret: borrowing SecretBytes, for key: ItemKey, label: String?,
        accessibility: Accessibility?, replacing: Bool
    ) throws(VestryError) {
        guard secret.count <= Self.maximumSecretByteCount else {
            throw VestryError(
                .dataTooLarge, detail: "the limit is \(Self.maximumSecretByteCount) bytes")
        }
        try ItemMetadata.check(key, label: label)
        let store = try openStore()
        let tags = try store.tags()
        let primaryTag = tags.primaryTag(of: key)
        // Before the file is made: a locked class must not leave an empty one behind.
        if let accessibility { _ = try store.unlockedKey(accessibility.keyClass) }
        guard let items = try store.itemsForWriting(creating: true) else {
            throw VestryError(.inputOutput, detail: "no item file")
        }

        let old = try mappingErrors { () throws(ItemStoreError) in
            try items.row(primaryTag: primaryTag, boxes: .metadata)
        }
        let now = Int64(time(nil))
        let row: ItemRow
        let metadata: ItemMetadata
        if let old {
            guard replacing else { throw VestryError(.duplicateItem) }
            let oldAccessibility = try old.knownAccessibility()
            let oldKey = try store.unlockedKey(oldAccessibility.keyClass)
            let oldMetadata = try check(old, has: key, oldKey, in: store)
            guard old.version < .max else {
                throw VestryError(.itemDamaged, detail: "its version is out of range")
            }
            metadata = ItemMetadata(
                key: key, label: label ?? oldMetadata.label,
                creationDate: oldMetadata.creationDate,
                // The clock may have been put back since.
                modificationDate: max(now, oldMetadata.modificationDate))
            row = ItemRow.sealing(
                metadata, secret,
                key: try store.unlockedKey((accessibility ?? oldAccessibility).keyClass),
                primaryTag: primaryTag, reference: old.reference, version: old.version + 1,
                in: store.keybag.storeID)
        } else {
            metadata = ItemMetadata(
                key: key, label: label, creationDate: now, modificationDate: now)
            row = ItemRow.sealing(
                metadata, secret,
                key: try store.unlockedKey((accessibility ?? .afterFirstUnlock).keyClass),
                primaryTag: primaryTag,
                reference: randomBytes(count: ItemRow.referenceByteCount), version: 1,
                in: store.keybag.storeID)
        }
        let searchTags = tags.searchTags(of: metadata)
        try mappingErrors { () throws(ItemStoreError) in
            if old == nil {
                try items.insert(row, tags: searchTags)
            } else {
                try items.update(row, tags: searchTags)
            }
        }
        try items.commitMappingErrors()
    }
}

extension ItemStore {
    /// ``ItemStore/commit()`` with public errors: a closure cannot consume.
    consuming func commitMappingErrors() throws(VestryError) {
        do {
            try commit()
        } catch {
            throw error.publicError
        }
    }
}
