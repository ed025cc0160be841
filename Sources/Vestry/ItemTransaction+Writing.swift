internal import ItemStore
internal import Keybag
internal import KeyClasses
internal import Sealing
internal import SecureMemory

extension ItemTransaction {
    /// Removes what is past its end; the first step of every change.
    func sweep() throws(VestryError) {
        let now = wholeSeconds(now)
        try mappingErrors { () throws(ItemStoreError) in try items.deleteExpired(now: now) }
    }

    /// Adds an item.
    ///
    /// - Parameters:
    ///   - itemClass: The class.
    ///   - changes: What the caller gives.
    ///   - group: The access group of an item that names none.
    ///   - secret: Of a checked size.
    /// - Returns: The new item's reference.
    /// - Throws: `VestryError`.
    func insert(
        _ itemClass: ItemClass, _ changes: ItemChanges, group: String,
        secret: borrowing SecretBytes
    ) throws(VestryError) -> [UInt8] {
        var metadata = ItemMetadata(itemClass, itemClass.defaultValues)
        metadata.values[.accessGroup] = .string(group)
        metadata.values[.synchronizable] = false
        metadata.values.merge(changes.values) { $1 }
        metadata.values[.creationDate] = .date(now)
        metadata.values[.modificationDate] = .date(now)
        let protection = Protection(
            accessibility: changes.accessibility ?? itemClass.defaultAccessibility,
            flags: changes.flags ?? [])
        try protection.check(isSynchronizable: metadata.values[.synchronizable] == true)

        let reference = randomBytes(count: ItemRow.referenceByteCount)
        var row = ItemRow(
            new: reference, itemClass, protection, expires: changes.expires ?? ItemRow.never)
        metadata.valueDigest = try seal(secret, as: protection, in: &row)
        try seal(metadata, as: protection, in: &row)
        let searchTags = tags.searchTags(of: metadata)
        let sealed = row
        try mappingErrors { () throws(ItemStoreError) in
            try items.insert(sealed, tags: searchTags)
        }
        return reference
    }

    /// Prepares the change of an item.
    ///
    /// - Parameters:
    ///   - row: Without its value.
    ///   - protection: As the row is now.
    ///   - old: The row's metadata.
    ///   - changes: What the caller gives.
    /// - Returns: What ``update(_:)`` writes, once its value is sealed where it must be.
    /// - Throws: `VestryError`.
    func prepare(
        _ row: ItemRow, _ protection: Protection, _ old: ItemMetadata, _ changes: ItemChanges
    ) throws(VestryError) -> PendingUpdate {
        guard row.version < .max else {
            throw VestryError(.itemDamaged, detail: "its version is out of range")
        }
        var metadata = old
        metadata.values.merge(changes.values) { $1 }
        // The clock may have been put back since.
        metadata.values[.modificationDate] = .date(max(now, old.modificationDate))
        let newProtection = Protection(
            accessibility: changes.accessibility ?? protection.accessibility,
            flags: changes.flags ?? protection.flags)
        try newProtection.check(isSynchronizable: metadata.values[.synchronizable] == true)

        var new = row
        new.version += 1
        new.value = nil
        new.accessibility = newProtection.metadataClass.rawValue
        new.accessControl = newProtection.flags.rawValue
        new.expires = changes.expires ?? row.expires
        return PendingUpdate(
            row: new, metadata: metadata, protection: newProtection,
            needsOldSecret: newProtection != protection)
    }

    /// Seals a new secret as the value of a pending update.
    func seal(
        _ secret: borrowing SecretBytes, in pending: inout PendingUpdate
    ) throws(VestryError) {
        pending.metadata.valueDigest = try seal(
            secret, as: pending.protection, in: &pending.row)
    }

    /// Writes a change.
    func update(_ pending: PendingUpdate) throws(VestryError) {
        var row = pending.row
        try seal(pending.metadata, as: pending.protection, in: &row)
        let searchTags = tags.searchTags(of: pending.metadata)
        let sealed = row
        try mappingErrors { () throws(ItemStoreError) in
            try items.update(sealed, tags: searchTags)
        }
    }

    /// Seals a secret as the row's value.
    ///
    /// - Returns: The digest for the metadata, where the value was deposited.
    private func seal(
        _ secret: borrowing SecretBytes, as protection: Protection, in row: inout ItemRow
    ) throws(VestryError) -> [UInt8]? {
        guard !protection.needsPresence else {
            return try row.deposit(
                value: secret, under: protection.valueClass, of: store.keybag)
        }
        let key = try store.unlockedItemKey(protection.accessibility)
        row.seal(value: secret, with: key, in: store.storeID)
        return nil
    }

    private func seal(
        _ metadata: ItemMetadata, as protection: Protection, in row: inout ItemRow
    ) throws(VestryError) {
        let plaintext = metadata.encoded()
        guard plaintext.count <= ItemMetadata.maximumByteCount else {
            throw VestryError(
                .parameter,
                detail: "the attributes have more than \(ItemMetadata.maximumByteCount) bytes")
        }
        let key = try store.unlockedItemKey(protection.accessibility)
        row.seal(
            metadata: plaintext, with: key, primaryTag: tags.primaryTag(of: metadata),
            in: store.storeID)
    }
}

/// The change of an item, before it is written.
struct PendingUpdate {
    var row: ItemRow
    var metadata: ItemMetadata
    let protection: Protection
    /// Whether the value must be sealed anew even where its secret stays: its class key, or what
    /// its box is bound to, changes.
    let needsOldSecret: Bool
}
