internal import ItemStore
internal import KernelKeyring
internal import Keybag
internal import KeyClasses
internal import LinuxSystem

/// A store with its keybag, for the length of one operation.
struct OpenStore: ~Copyable {
    let keyring: KernelKeyring
    let files: StoreFiles
    private let loan: FileLoan?
    private let processKeys: ProcessKeys?
    private let state: State

    /// - Parameters:
    ///   - files: The store's, for this operation alone.
    ///   - loan: What says so, where the files are kept open.
    ///   - processKeys: The class keys of a keychain for tests.
    init(_ files: StoreFiles, loan: FileLoan? = nil, processKeys: ProcessKeys? = nil) {
        self.files = files
        self.loan = loan
        self.processKeys = processKeys
        state = State()
        keyring = KernelKeyring(store: files.keybag.storeID)
        files.beginOperation()
    }

    /// As it was read last: a rotation that goes on meanwhile makes it worth another look.
    var keybag: Keybag { files.keybag }

    var directory: StoreDirectory { _read { yield files.directory } }

    var storeID: StoreID { files.keybag.storeID }

    /// The key of a class, as it is in the kernel now; of a keychain for tests, as its state is.
    ///
    /// - Returns: Nil when the class is locked. A key that is not the keybag's own, such as one that
    ///   another program put there, is none.
    /// - Throws: `VestryError` when the kernel keyring cannot be used.
    func key(_ keyClass: KeyClass) throws(VestryError) -> ClassKey? {
        if let processKeys { return try processKeys.key(keyClass) }
        let key = try mappingErrors { () throws(KeyringError) in try files.key(keyClass) }
        guard let key else { return nil }
        if files.accepts(key) { return .some(key) }
        // It can be newer than the keybag that was read.
        guard renewKeybag(), files.accepts(key) else { return nil }
        return .some(key)
    }

    /// The key that items of a class are sealed with, or nil when the class is locked.
    ///
    /// It is read from the kernel once for each operation.
    func itemKey(_ keyClass: KeyClass) throws(VestryError) -> OperationKey? {
        for used in state.used where used.keyClass == keyClass { return used.key }
        let opened: OperationKey?
        if let key = try key(keyClass) {
            opened = OperationKey(key)
        } else {
            opened = nil
        }
        state.used.append((keyClass, opened))
        return opened
    }

    /// The key of one epoch of a class, or nil when the class is locked, or that epoch is another
    /// machine's.
    ///
    /// The kernel's key opens what it sealed itself, and by the keybag's bridges what was sealed
    /// before a rotation.
    ///
    /// - Returns: The kernel's key where no way leads to that epoch: it opens nothing of it.
    /// - Throws: `VestryError` when the kernel keyring cannot be used, or a bridge does not open.
    func itemKey(_ keyClass: KeyClass, epoch: UInt32) throws(VestryError) -> OperationKey? {
        guard var present = try itemKey(keyClass) else { return nil }
        if present.epoch < epoch {
            // Read before a rotation that somebody has begun since.
            forgetKeys { used, _ in used == keyClass }
            guard let renewed = try itemKey(keyClass) else { return nil }
            present = renewed
        }
        guard present.epoch > epoch else { return present }
        let name = ClassEpoch(keyClass: keyClass, epoch: epoch)
        if let used = state.older[name] { return used }
        guard let key = try key(keyClass) else { return nil }
        guard let older = try older(epoch, than: key) else {
            return keybag.isOfAnotherMachine(keyClass, epoch: epoch) ? nil : present
        }
        let opened = OperationKey(older)
        state.older[name] = opened
        return opened
    }

    /// What to say where ``itemKey(_:epoch:)`` has no key: the class is locked, or that key is another
    /// machine's, for which no password helps.
    func lockedError(_ keyClass: KeyClass, epoch: UInt32) -> VestryError {
        let everywhere: KeyClass? =
            switch keyClass {
            case .afterFirstUnlockThisDeviceOnly: .afterFirstUnlock
            case .whenUnlockedThisDeviceOnly: .whenUnlocked
            default: nil
            }
        guard let everywhere, (try? itemKey(everywhere)) != nil,
            (try? itemKey(keyClass)) == nil
                || keybag.isOfAnotherMachine(keyClass, epoch: epoch)
        else { return VestryError(.locked) }
        return .ofAnotherMachine
    }

    /// The key of an earlier epoch, by the keybag's bridges.
    func older(
        _ epoch: UInt32, than key: borrowing ClassKey
    ) throws(VestryError) -> ClassKey? {
        do throws(KeybagError) {
            if let older = try keybag.openBridge(to: epoch, with: key) { return .some(older) }
            guard renewKeybag() else { return nil }
            return try keybag.openBridge(to: epoch, with: key)
        } catch {
            throw error.publicError
        }
    }

    /// The key that items of an accessibility are sealed with.
    ///
    /// - Throws: `VestryError` with the code ``VestryError/Code/locked``; or with
    ///   ``VestryError/Code/wrongPassword``, Apple's number for this case, when everything else is
    ///   unlocked and only the class that asks for a login password is not: an unlocked keychain
    ///   without that key belongs to an account without a usable password.
    func unlockedItemKey(_ accessibility: Accessibility) throws(VestryError) -> OperationKey {
        let keyClass = accessibility.keyClass
        if let key = try itemKey(keyClass) {
            guard key.epoch >= state.least[keyClass.rawValue] ?? 0 else {
                throw VestryError(.locked, detail: "the kernel has a key from before a rotation")
            }
            return key
        }
        guard accessibility == .whenPasscodeSetThisDeviceOnly, try itemKey(.whenUnlocked) != nil
        else { throw VestryError(.locked) }
        throw VestryError(.wrongPassword, detail: "this account has no usable login password")
    }

    /// Takes note of the least epochs that a writer may seal with, as they are in its transaction: keys
    /// that were read before a rotation which has ended since are forgotten.
    ///
    /// - Throws: `VestryError` with the code `damaged` when the keybag is from before such a rotation.
    func note(leastEpochs least: [UInt8: UInt32]) throws(VestryError) {
        guard !least.isEmpty else { return }
        state.least = least
        forgetKeys { keyClass, key in
            key.map { $0.epoch < least[keyClass.rawValue] ?? 0 } ?? false
        }
        guard isBehind(least), processKeys == nil else { return }
        _ = renewKeybag()
        guard !isBehind(least) else {
            throw VestryError(.damaged, detail: "keybag is from before a rotation of its keys")
        }
    }

    private func isBehind(_ least: [UInt8: UInt32]) -> Bool {
        least.contains { number, epoch in
            KeyClass(rawValue: number).flatMap { keybag.epoch(of: $0) } ?? 0 < epoch
        }
    }

    /// Reads the keybag again.
    ///
    /// - Returns: Whether it is another one by now.
    private func renewKeybag() -> Bool { processKeys == nil && files.renewKeybag() }

    /// Lets keys be read again, from where they are in the kernel by now.
    private func forgetKeys(where isOutdated: (KeyClass, OperationKey?) -> Bool) {
        state.used.removeAll { isOutdated($0.keyClass, $0.key) }
        files.beginOperation()
    }

    /// The tags of this store.
    ///
    /// Without the index class key nobody can tell whether an item exists, so the answer is
    /// "locked", never "not found".
    func tags() throws(VestryError) -> ItemTags {
        guard let key = try key(.index) else {
            // No password opens items that are damaged, or another keybag's.
            _ = try itemsForReading() == nil
            throw VestryError(.locked)
        }
        return ItemTags(indexKey: key)
    }

    func itemsForReading(isForOneRow: Bool = false) throws(VestryError) -> ItemStore? {
        let items = try mappingErrors { () throws(ItemStoreError) in
            try ItemStore.openForReading(
                in: files.directory, storeID: storeID.bytes, isForOneRow: isForOneRow,
                file: files.items, lentBy: loan)
        }
        guard let items else {
            try refuseMissingItems()
            return nil
        }
        return items
    }

    func itemsForWriting(creating: Bool) throws(VestryError) -> ItemStore? {
        if let items = try openForWriting(creating: false) { return items }
        try refuseMissingItems()
        guard creating, let items = try openForWriting(creating: true) else { return nil }
        // From now on a missing item file is damage. Without the folder it would be taken for a keychain
        // in which nothing was stored yet, until the first snapshot.
        _ = try? SnapshotFolder.open(in: files.directory, creating: true) == nil
        return items
    }

    private func openForWriting(creating: Bool) throws(VestryError) -> ItemStore? {
        try mappingErrors { () throws(ItemStoreError) in
            try ItemStore.openForWriting(
                in: files.directory, storeID: storeID.bytes, creating: creating, file: files.items,
                lentBy: loan)
        }
    }

    /// Why there is no item file where there was one; nil where nothing was stored yet.
    func missingItems() throws(VestryError) -> VestryError? {
        guard let snapshots = try SnapshotFolder.open(in: files.directory),
            try snapshots.isOfItems(),
            // Another program may have made both meanwhile.
            !Keychain.exists(ItemStore.fileName, in: files.directory)
        else { return nil }
        let (file, folder) = (ItemStore.fileName, SnapshotFolder.name)
        return VestryError(.damaged, detail: "the file \(file) is missing beside \(folder)")
    }

    private func refuseMissingItems() throws(VestryError) {
        if let missing = try missingItems() { throw missing }
    }

    private struct ClassEpoch: Hashable {
        let keyClass: KeyClass
        let epoch: UInt32
    }

    private final class State {
        // Two at most, mostly one: no dictionary.
        var used: [(keyClass: KeyClass, key: OperationKey?)] = []
        var older: [ClassEpoch: OperationKey] = [:]
        var least: [UInt8: UInt32] = [:]
    }
}
