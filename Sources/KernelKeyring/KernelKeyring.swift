internal import Glibc
public import KeyClasses
internal import SecureMemory

/// The class keys of one store in the kernel, for the calling user.
///
///     @u  user keyring: lives until reboot (Linux 5.3 and later), with or without processes
///      +- keyring "vestry"
///          +- user "vestry:index", "vestry:afterFirstUnlock", "vestry:afterFirstUnlockThisDeviceOnly"
///          +- user "vestry:presence"      payload: store, serial of the presence keyring
///          +- user "vestry:mismatch"      only while what a login gave does not open the store
///     @s  session keyring of each login session
///      +- keyring "vestry:presence"       one per user, linked from every open login session
///          +- user "vestry:whenUnlocked", "vestry:whenUnlockedThisDeviceOnly",
///                  "vestry:whenPasscodeSetThisDeviceOnly"
///
/// The kernel counts the sessions: when the last link to the presence keyring goes, by logout or
/// because the session's last process died, it frees the keyring and wipes the keys in it.
///
/// Payload of a class key:
///
///     offset  size  field
///     0       16    the store's id
///     16      4     epoch, little-endian
///     20      32    class key
///
/// Payload of "vestry:presence":
///
///     offset  size  field
///     0       16    the store's id
///     16      4     serial number of the presence keyring, little-endian
///
/// Payload of "vestry:mismatch": see ``LoginNote``.
///
/// Keys of another store (a reused user ID, a restored home) are never returned.
public struct KernelKeyring: Sendable {
    static let ringDescription = "vestry"
    public static let presenceDescription = "vestry:presence"
    public static let mismatchDescription = "vestry:mismatch"

    /// The store whose keys these are.
    public let store: StoreID

    public init(store: StoreID) {
        self.store = store
    }

    /// Reads one class key.
    ///
    /// - Parameter keyClass: Any class; those that live nowhere are never found.
    /// - Returns: The key, or nil when it is not in the kernel or belongs to another store. Whether
    ///   it is genuine is for the keybag to say: any program of this user could have put it there.
    /// - Throws: `KeyringError` when the keyring cannot be used.
    public func classKey(_ keyClass: KeyClass) throws(KeyringError) -> ClassKey? {
        let keyring: Key?
        switch keyClass.residence {
        case .user: keyring = try Self.ring()
        case .presence: keyring = try presenceKeyring()
        case .nowhere: keyring = nil
        }
        guard let keyring, let key = try keyring.search(.user, Self.description(of: keyClass))
        else { return nil }
        return try classKey(keyClass, in: key)
    }

    /// What a key of the kernel holds, if that is a class key of this store.
    func classKey(_ keyClass: KeyClass, in key: Key) throws(KeyringError) -> ClassKey? {
        guard let payload = try key.payload(), payload.count == 52, owns(payload),
            let seed = payload.slice(from: 20, count: ClassKey.byteCount)
        else { return nil }
        return ClassKey(keyClass, epoch: Self.number(in: payload), seed: seed)
    }

    /// Returns whether any open login session of this user counts for this store.
    ///
    /// - Throws: `KeyringError` when the keyring cannot be used.
    public func hasPresence() throws(KeyringError) -> Bool {
        try presenceKeyring() != nil
    }

    /// Drops the keys that are there while a session is open, as a screen lock does.
    ///
    /// Whatever store they belong to: locking must work where the store does not. The sessions stay
    /// linked, so that an unlock puts the keys back.
    ///
    /// - Throws: `KeyringError` when the keyring cannot be used.
    public static func lock() throws(KeyringError) {
        guard let keyring = try presence()?.keyring else { return }
        try drop(KeyClass.allCases.filter { $0.residence == .presence }, in: keyring)
    }

    /// Drops every key, of whatever store: nothing is readable until the next unlock.
    ///
    /// - Throws: `KeyringError` when the keyring cannot be used.
    public static func lockAll() throws(KeyringError) {
        try lock()
        guard let keyring = try ring() else { return }
        try drop(KeyClass.allCases.filter { $0.residence == .user }, in: keyring)
    }

    /// Drops the key of one class, of whatever store.
    ///
    /// - Throws: `KeyringError` when the keyring cannot be used.
    public static func drop(_ keyClass: KeyClass) throws(KeyringError) {
        let keyring: Key?
        switch keyClass.residence {
        case .user: keyring = try ring()
        case .presence: keyring = try presence()?.keyring
        case .nowhere: keyring = nil
        }
        if let keyring { try drop([keyClass], in: keyring) }
    }

    /// The name of a class's key in the kernel.
    public static func description(of keyClass: KeyClass) -> String {
        descriptions[keyClass] ?? "vestry:\(keyClass)"
    }

    // Made once: turning the name of a case into text takes longer than a search in the kernel.
    private static let descriptions = Dictionary(
        uniqueKeysWithValues: KeyClass.allCases.map { ($0, "vestry:\($0)") })

    /// The keyring "vestry" of the calling user, or nil when nothing was ever put there.
    static func ring() throws(KeyringError) -> Key? {
        try Key.user.search(.keyring, Self.ringDescription)
    }

    /// This store's presence keyring, or nil when no open session links it.
    func presenceKeyring() throws(KeyringError) -> Key? {
        guard let presence = try Self.presence(), presence.store == store else { return nil }
        return presence.keyring
    }

    /// The user's presence keyring and the store that it was made for.
    static func presence() throws(KeyringError) -> (keyring: Key, store: StoreID)? {
        guard let pointer = try ring()?.search(.user, presenceDescription),
            let presence = try target(of: pointer), isPresence(presence.keyring)
        else { return nil }
        return presence
    }

    /// What the key "vestry:presence" points at, whatever that is by now.
    static func target(of pointer: Key) throws(KeyringError) -> (keyring: Key, store: StoreID)? {
        guard let payload = try pointer.payload(), payload.count == 20,
            let store = StoreID(in: payload)
        else { return nil }
        return (Key(serial: Int32(bitPattern: number(in: payload))), store)
    }

    /// Whether a serial number is a presence keyring's: it outlives the keyring, and the kernel may give
    /// it to another key.
    static func isPresence(_ keyring: Key) -> Bool {
        guard let described = keyring.described() else { return false }
        return described.kind == Key.Kind.keyring.rawValue
            && described.text == presenceDescription && described.owner == geteuid()
    }

    private static func drop(_ classes: [KeyClass], in keyring: Key) throws(KeyringError) {
        for keyClass in classes {
            guard let key = try keyring.search(.user, description(of: keyClass)) else { continue }
            try key.revoke()
            key.unlink(from: keyring)
        }
    }

    /// Whether a payload begins with this store's id.
    func owns(_ payload: borrowing SecretBytes) -> Bool {
        payload.withBytes { bytes in
            guard bytes.count >= StoreID.byteCount else { return false }
            for index in 0..<StoreID.byteCount where bytes[index] != store.bytes[index] {
                return false
            }
            return true
        }
    }

    private static func number(in payload: borrowing SecretBytes) -> UInt32 {
        payload.withBytes { bytes in
            (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[StoreID.byteCount + $1]) << (8 * $1) }
        }
    }
}

extension StoreID {
    /// The store that a payload belongs to; nil for one that is too short to be ours.
    init?(in payload: borrowing SecretBytes) {
        self.init(
            payload.withBytes { bytes in
                (0..<min(StoreID.byteCount, bytes.count)).map { bytes[$0] }
            })
    }
}
