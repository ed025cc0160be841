internal import ItemStore
internal import Keybag
internal import KeyClasses
internal import Sealing
internal import SecureMemory

extension ItemTransaction {
    /// Removes what is past its end, and looks for a rotation; the first step of every change.
    func sweep() throws(VestryError) {
        let now = wholeSeconds(now)
        try mappingErrors { () throws(ItemStoreError) in
            try items.deleteExpired(now: now)
            try items.deleteGone(now: now)
        }
        // Whoever waited for its turn may have keys from before a rotation.
        let least = try mappingErrors { () throws(ItemStoreError) in try items.leastEpochs() }
        try store.note(leastEpochs: least)
    }

    /// Adds an item.
    ///
    /// - Parameters:
    ///   - itemClass: The class.
    ///   - changes: What the caller gives.
    ///   - group: The access group of an item that names none.
    ///   - secret: Of a checked size.
    ///   - password: The key of the item's application password, where it takes one.
    ///   - reference: What the item is to be called for life; nil for a new one.
    /// - Returns: The new item's reference.
    /// - Throws: `VestryError`.
    func insert(
        _ itemClass: ItemClass, _ changes: ItemChanges, group: String,
        secret: borrowing SecretBytes, password: PasswordKey? = nil, reference: [UInt8]? = nil
    ) throws(VestryError) -> [UInt8] {
        var metadata = ItemMetadata(itemClass, itemClass.defaultValues)
        metadata.values[.accessGroup] = .string(group)
        metadata.values[.synchronizable] = false
        metadata.values[.creationDate] = .date(now)
        metadata.values[.modificationDate] = .date(now)
        // Those of a restored item have its dates.
        metadata.values.merge(changes.values)
        let protection = Protection(
            accessibility: changes.accessibility ?? itemClass.defaultAccessibility,
            flags: changes.flags ?? [])
        try protection.check(isSynchronizable: metadata.values[.synchronizable] == true)

        let reference = reference ?? randomBytes(count: ItemRow.referenceByteCount)
        var row = ItemRow(
            new: reference, itemClass, protection, expires: changes.expires ?? ItemRow.never)
        metadata.valueDigest = try seal(secret, as: protection, password, in: &row)
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
        metadata.values.merge(changes.values)
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
            old: PendingUpdate.Old(row: row, metadata: old, protection: protection))
    }

    /// Seals a new secret as the value of a pending update.
    func seal(
        _ secret: borrowing SecretBytes, in pending: inout PendingUpdate, _ presence: PresenceKeys
    ) throws(VestryError) {
        var password: PasswordKey?
        if pending.protection.hasApplicationPassword {
            password = try presence.passwords.sealing(pending.row.reference)
        }
        pending.replacesSecret = try !isSecret(secret, of: pending.old)
        pending.metadata.valueDigest = try seal(
            secret, as: pending.protection, password, in: &pending.row)
    }

    /// Seals the old secret as the value of a pending update.
    ///
    /// An application password stays as it is. What it seals stays too, and it need not be known,
    /// while the accessibility is the same, whose key is part of that.
    ///
    /// - Parameters:
    ///   - pending: The change, not written yet: its row has the tag of the old one.
    ///   - presence: The keys of items that ask for something.
    /// - Throws: `VestryError`.
    func sealOldSecret(
        in pending: inout PendingUpdate, _ presence: PresenceKeys
    ) throws(VestryError) {
        guard let row = try row(primaryTag: pending.row.primaryTag) else {
            throw VestryError(.itemDamaged, detail: "its row is gone")
        }
        let (old, metadata) = try open(row)
        let new = pending.protection
        guard old.hasApplicationPassword, new.hasApplicationPassword else {
            let secret = try openSecret(of: row, old, metadata, presence: presence)
            try seal(secret, in: &pending, presence)
            pending.replacesSecret = false
            return
        }
        let value = try openValue(of: row, old, metadata, presence: presence)
        let box = try PasswordBox(parsing: value)
        guard old.accessibility != new.accessibility else {
            pending.metadata.valueDigest = try seal(value: value, as: new, in: &pending.row)
            return
        }
        let password = try presence.passwords.opening(box.derivation, for: metadata)
        let secret = try box.open(
            with: password, passwordItemKey(old.accessibility, box), in: row, of: store.storeID)
        pending.metadata.valueDigest = try seal(secret, as: new, password, in: &pending.row)
    }

    /// Writes a change, and keeps the value that it replaces.
    ///
    /// - Parameters:
    ///   - pending: The change.
    ///   - settings: How much of the past is kept; nil for nothing of what is replaced.
    /// - Throws: `VestryError`.
    func update(
        _ pending: PendingUpdate, keeping settings: HistorySettings?
    ) throws(VestryError) {
        try keepOldValue(pending, settings)
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
        _ secret: borrowing SecretBytes, as protection: Protection, _ password: PasswordKey?,
        in row: inout ItemRow
    ) throws(VestryError) -> [UInt8]? {
        guard protection.hasApplicationPassword else {
            return try seal(value: secret, as: protection, in: &row)
        }
        guard let password else { throw PasswordKey.missing }
        let key = try store.unlockedItemKey(protection.accessibility)
        let box = PasswordBox.seal(secret, with: password, key, in: row, of: store.storeID)
        return try seal(value: box, as: protection, in: &row)
    }

    /// Seals the value box: of a secret, or of what an application password has sealed.
    func seal(
        value: borrowing SecretBytes, as protection: Protection, in row: inout ItemRow
    ) throws(VestryError) -> [UInt8]? {
        guard !protection.needsPresence else {
            return try row.deposit(
                value: value, under: protection.valueClass, of: store.keybag)
        }
        let key = try store.unlockedItemKey(protection.accessibility)
        row.seal(value: value, with: key, in: store.storeID)
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
    /// The item before it.
    struct Old {
        /// Without the value.
        let row: ItemRow
        let metadata: ItemMetadata
        let protection: Protection
    }

    var row: ItemRow
    var metadata: ItemMetadata
    var protection: Protection
    let old: Old
    /// Whether the secret becomes another one.
    var replacesSecret = false

    /// Whether the value must be sealed anew even where its secret stays: its class key, or what
    /// its box is bound to, changes.
    var needsOldSecret: Bool { protection != old.protection }
}
