internal import ItemStore
internal import Keybag
internal import KeyClasses
internal import Sealing
internal import SecureMemory

/// One operation on the items of a store: it sees one state of them, and what it writes happens as a
/// whole or not at all.
struct ItemTransaction: ~Copyable {
    let store: OpenStore
    let tags: ItemTags
    let items: ItemStore
    let now = currentTime()

    /// What a row turns out to be.
    enum Finding {
        case noMatch
        /// It matches, or may match, and its attributes cannot be read now.
        case locked
        case match(Protection, ItemMetadata)
    }

    init(_ store: consuming OpenStore, _ tags: consuming ItemTags, _ items: consuming ItemStore) {
        self.store = store
        self.tags = tags
        self.items = items
    }

    /// Whether an item is past its end.
    func isExpired(_ row: ItemRow) -> Bool { row.expires <= wholeSeconds(now) }

    /// The rows that the tags find, ascending.
    func numbers(_ query: CompiledQuery) throws(VestryError) -> [Int64] {
        guard !query.isImpossible else { return [] }
        return try mappingErrors { () throws(ItemStoreError) in try items.numbers(query.search) }
    }

    func reader(of boxes: ItemBoxes) throws(VestryError) -> ItemRowReader {
        try mappingErrors { () throws(ItemStoreError) in try items.reader(of: boxes) }
    }

    /// Looks whether a row that the tags have found matches.
    func examine(_ row: ItemRow, _ query: CompiledQuery) throws(VestryError) -> Finding {
        guard !isExpired(row) else { return .noMatch }
        let protection = try Protection(row)
        guard query.admits(row, protection) else { return .noMatch }
        guard let key = try store.itemKey(protection.metadataClass, epoch: row.epoch) else {
            return .locked
        }
        let metadata = try row.openMetadata(with: key, tags: tags, in: store.storeID)
        return try query.admits(metadata) ? .match(protection, metadata) : .noMatch
    }

    /// Why ``examine(_:_:)`` has found a row locked.
    func lockedError(_ row: ItemRow) throws(VestryError) -> VestryError {
        store.lockedError(try Protection(row).metadataClass, epoch: row.epoch)
    }

    /// Opens the secret of a row whose metadata was opened.
    ///
    /// - Parameters:
    ///   - row: With its value.
    ///   - protection: The row's.
    ///   - metadata: The row's.
    ///   - presence: The keys of items that ask for the user.
    /// - Returns: The secret.
    /// - Throws: `VestryError`.
    func openSecret(
        of row: ItemRow, _ protection: Protection, _ metadata: ItemMetadata,
        presence: PresenceKeys
    ) throws(VestryError) -> SecretBytes {
        let value = try openValue(of: row, protection, metadata, presence: presence)
        guard protection.hasApplicationPassword else { return value }
        let box = try PasswordBox(parsing: value)
        let password = try presence.passwords.opening(box.derivation, for: metadata)
        return try box.open(
            with: password, passwordItemKey(protection.accessibility, box), in: row,
            of: store.storeID)
    }

    /// Opens the value box: the secret, or what an application password seals.
    func openValue(
        of row: ItemRow, _ protection: Protection, _ metadata: ItemMetadata,
        presence: PresenceKeys
    ) throws(VestryError) -> SecretBytes {
        guard protection.needsPresence else {
            guard let key = try store.itemKey(protection.valueClass, epoch: row.valueEpoch) else {
                throw store.lockedError(protection.valueClass, epoch: row.valueEpoch)
            }
            return try row.openValue(with: key, in: store.storeID)
        }
        let held = try presence.key(protection.valueClass, for: metadata)
        guard store.keybag.accepts(held.key), held.key.keyClass == protection.valueClass else {
            throw VestryError(.locked, detail: "the presence key is another keychain's")
        }
        guard held.key.epoch > row.valueEpoch,
            let older = try store.older(row.valueEpoch, than: held.key)
        else {
            try checkMachine(of: protection.valueClass, epoch: row.valueEpoch)
            return try row.openDeposit(
                with: held.key, digest: metadata.valueDigest, in: store.storeID)
        }
        return try row.openDeposit(
            with: older, digest: metadata.valueDigest, in: store.storeID)
    }

    /// The key that goes into the sealing by an application password, of that box's epoch.
    func passwordItemKey(
        _ accessibility: Accessibility, _ box: PasswordBox
    ) throws(VestryError) -> OperationKey {
        if let key = try store.itemKey(accessibility.keyClass, epoch: box.epoch) { return key }
        try checkMachine(of: accessibility.keyClass, epoch: box.epoch)
        return try store.unlockedItemKey(accessibility)
    }

    /// Refuses what another machine has sealed, which is locked here and not damaged.
    private func checkMachine(of keyClass: KeyClass, epoch: UInt32) throws(VestryError) {
        guard !store.keybag.isOfAnotherMachine(keyClass, epoch: epoch) else {
            throw VestryError(.locked, detail: "it is another machine's")
        }
    }

    consuming func commit() throws(VestryError) {
        do {
            try items.commit()
        } catch {
            throw error.publicError
        }
    }
}
