internal import ItemStore
internal import Keybag
internal import KeyClasses
internal import Sealing
internal import SecureMemory

extension ItemTransaction {
    /// Whether a box is sealed with an older key of one of these classes.
    func isOfThePast(
        _ sealing: RowSealing, _ keyClasses: [KeyClass]
    ) throws(VestryError) -> Bool {
        var least: [UInt8: UInt32] = [:]
        for keyClass in keyClasses { least[keyClass.rawValue] = store.keybag.epoch(of: keyClass) }
        do throws(VestryError) {
            return try sealing.isOfThePast(least)
        } catch .newerFormat {
            // It keeps its key: nobody knows here which one that is.
            return true
        }
    }

    /// A row with its boxes under the newest keys; references, versions and dates stay.
    ///
    /// A value that takes an application password stays as it is: that is not known here.
    ///
    /// - Parameters:
    ///   - row: With its value.
    ///   - place: Where it stands.
    ///   - keyClasses: The classes that are rotated.
    ///   - presence: The newest keys of those that are never in the kernel.
    /// - Returns: The row.
    /// - Throws: `VestryError` with the code `locked`, or with one that says something about the row alone.
    func resealed(
        _ row: ItemRow, _ place: RowPlace, _ keyClasses: [KeyClass],
        _ presence: [KeyClass: PresenceKeys.Held]
    ) throws(VestryError) -> ItemRow {
        let protection = try Protection(row)
        guard let oldKey = try store.itemKey(protection.metadataClass, epoch: row.epoch) else {
            guard store.keybag.isOfAnotherMachine(protection.metadataClass, epoch: row.epoch)
            else { throw VestryError(.locked) }
            // No password opens it here: the rotation goes on without it.
            throw VestryError(.itemDamaged, detail: "it is another machine's")
        }
        var new = row
        switch place {
        case .oldValue:
            var note = try row.openNote(with: oldKey, in: store.storeID)
            try resealValue(
                of: &new, protection, digest: &note.valueDigest, keyClasses, presence)
            let key = try store.unlockedItemKey(protection.accessibility)
            new.seal(note: note, with: key, in: store.storeID)
        case .item, .deleted:
            var metadata = try row.openMetadata(with: oldKey, tags: tags, in: store.storeID)
            try resealValue(
                of: &new, protection, digest: &metadata.valueDigest, keyClasses, presence)
            let key = try store.unlockedItemKey(protection.accessibility)
            new.seal(
                metadata: metadata.encoded(), with: key, primaryTag: row.primaryTag,
                in: store.storeID)
        }
        return new
    }

    private func resealValue(
        of row: inout ItemRow, _ protection: Protection, digest: inout [UInt8]?,
        _ keyClasses: [KeyClass], _ presence: [KeyClass: PresenceKeys.Held]
    ) throws(VestryError) {
        let keyClass = protection.valueClass
        guard keyClasses.contains(keyClass), !protection.hasApplicationPassword,
            let newest = store.keybag.epoch(of: keyClass), row.valueEpoch < newest
        else { return }
        guard protection.needsPresence else {
            guard let oldKey = try store.itemKey(keyClass, epoch: row.valueEpoch) else {
                throw VestryError(.locked)
            }
            let secret = try row.openValue(with: oldKey, in: store.storeID)
            let key = try store.unlockedItemKey(protection.accessibility)
            row.valueEpoch = key.epoch
            row.value = key.valueKey.seal(
                secret, context: BoxContext(storeID: store.storeID, row: row).bytes(of: .value))
            return
        }
        guard let held = presence[keyClass] else { throw VestryError(.locked) }
        guard let oldKey = try store.older(row.valueEpoch, than: held.key) else {
            throw VestryError(.itemDamaged, detail: "it is sealed under another epoch's key")
        }
        let secret = try row.openDeposit(with: oldKey, digest: digest, in: store.storeID)
        // The version says to which value the metadata belong, and stays.
        let version = row.version
        row.version = row.valueVersion
        digest = try row.deposit(value: secret, under: keyClass, of: store.keybag)
        row.version = version
    }
}
