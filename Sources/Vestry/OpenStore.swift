internal import ItemStore
internal import KernelKeyring
internal import Keybag
internal import KeyClasses
internal import LinuxSystem

/// A store with its keybag, for the length of one operation.
struct OpenStore: ~Copyable {
    let directory: StoreDirectory
    let keybag: Keybag
    let keyring: KernelKeyring
    private let processKeys: ProcessKeys?
    private let usedKeys = UsedKeys()

    init(
        directory: consuming StoreDirectory, keybag: Keybag, processKeys: ProcessKeys? = nil
    ) {
        self.processKeys = processKeys
        self.directory = directory
        self.keybag = keybag
        keyring = KernelKeyring(store: keybag.storeID)
    }

    var storeID: StoreID { keybag.storeID }

    /// The key of a class, as it is in the kernel now; of a keychain for tests, as its state is.
    ///
    /// - Returns: Nil when the class is locked. A key that is not the keybag's own, such as one that
    ///   another program put there, is none.
    /// - Throws: `VestryError` when the kernel keyring cannot be used.
    func key(_ keyClass: KeyClass) throws(VestryError) -> ClassKey? {
        if let processKeys { return try processKeys.key(keyClass) }
        let key = try mappingErrors { () throws(KeyringError) in
            try keyring.classKey(keyClass)
        }
        guard let key, keybag.accepts(key) else { return nil }
        return .some(key)
    }

    /// The key that items of a class are sealed with, or nil when the class is locked.
    ///
    /// It is read from the kernel once for each operation.
    func itemKey(_ keyClass: KeyClass) throws(VestryError) -> OperationKey? {
        if let used = usedKeys.keys[keyClass] { return used }
        let opened: OperationKey?
        if let key = try key(keyClass) {
            opened = OperationKey(key)
        } else {
            opened = nil
        }
        usedKeys.keys[keyClass] = .some(opened)
        return opened
    }

    /// The key that items of an accessibility are sealed with.
    ///
    /// - Throws: `VestryError` with the code ``VestryError/Code/locked``; or with
    ///   ``VestryError/Code/wrongPassword``, Apple's number for this case, when everything else is
    ///   unlocked and only the class that asks for a login password is not: an unlocked keychain
    ///   without that key belongs to an account without a usable password.
    func unlockedItemKey(_ accessibility: Accessibility) throws(VestryError) -> OperationKey {
        if let key = try itemKey(accessibility.keyClass) { return key }
        guard accessibility == .whenPasscodeSetThisDeviceOnly, try itemKey(.whenUnlocked) != nil
        else { throw VestryError(.locked) }
        throw VestryError(.wrongPassword, detail: "this account has no usable login password")
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

    func itemsForReading() throws(VestryError) -> ItemStore? {
        try mappingErrors { () throws(ItemStoreError) in
            try ItemStore.openForReading(in: directory, storeID: storeID.bytes)
        }
    }

    func itemsForWriting(creating: Bool) throws(VestryError) -> ItemStore? {
        try mappingErrors { () throws(ItemStoreError) in
            try ItemStore.openForWriting(in: directory, storeID: storeID.bytes, creating: creating)
        }
    }

    private final class UsedKeys {
        var keys: [KeyClass: OperationKey?] = [:]
    }
}
