internal import CKeyutils
internal import Glibc
public import KeyClasses
internal import SecureMemory

/// Presence keys that a process keeps for its next reads.
///
///     process keyring: of this process alone, without its children, gone with it (process-keyring(7))
///      +- keyring "vestry:held"
///          +- user "vestry:presence:60"    payload of a class key; the kernel wipes it after 60 s
///
/// The kernel gives a process keyring to the threads that start after it was made: a thread that is
/// older finds nothing, and its program asks again.
extension KernelKeyring {
    static let heldDescription = "vestry:held"

    /// Keeps a key of a class that lives nowhere, for this process and a time.
    ///
    /// - Parameters:
    ///   - key: A key of this store.
    ///   - seconds: When the kernel wipes it; at least 1.
    /// - Returns: False for a key of another class or without a time, which is not kept.
    /// - Throws: `KeyringError`; nothing is left behind then.
    @discardableResult
    public func hold(_ key: borrowing ClassKey, seconds: UInt32) throws(KeyringError) -> Bool {
        guard key.keyClass.residence == .nowhere, seconds > 0 else { return false }
        let ring: Key
        if let found = try Self.heldRing() {
            ring = found
        } else {
            ring = try Key.makeHeldKeyring(Self.heldDescription)
        }
        try Key.makeHeldKey(
            Self.heldDescription(of: key.keyClass, seconds), payload: payload(of: key), in: ring,
            seconds: seconds)
        return true
    }

    /// Returns a key that ``hold(_:seconds:)`` was given with the same time.
    ///
    /// - Parameters:
    ///   - keyClass: The class.
    ///   - seconds: The time for which it was kept. Whoever wants a shorter one does not get a key
    ///     that somebody keeps for longer.
    /// - Returns: Nil when there is none any more, or it is another store's.
    /// - Throws: `KeyringError` when the keyring cannot be used.
    public func heldKey(_ keyClass: KeyClass, seconds: UInt32) throws(KeyringError) -> ClassKey? {
        guard let ring = try Self.heldRing(),
            let key = try ring.search(.user, Self.heldDescription(of: keyClass, seconds))
        else { return nil }
        return try classKey(keyClass, in: key)
    }

    /// Wipes all keys that this process keeps.
    ///
    /// - Throws: `KeyringError` when the keyring cannot be used.
    public static func dropHeldKeys() throws(KeyringError) {
        guard let ring = try heldRing() else { return }
        try ring.revoke()
        ring.unlink(from: .process)
    }

    private static func heldRing() throws(KeyringError) -> Key? {
        try Key.process.search(.keyring, heldDescription)
    }

    private static func heldDescription(of keyClass: KeyClass, _ seconds: UInt32) -> String {
        "\(description(of: keyClass)):\(seconds)"
    }
}

extension Key {
    /// Nobody but who possesses it, which is the process whose keyring it is in: other processes of
    /// the user see its number in /proc/keys and can do nothing with it.
    private static let heldPermissions = UInt32(
        KEY_POS_VIEW | KEY_POS_READ | KEY_POS_WRITE | KEY_POS_SEARCH | KEY_POS_LINK
            | KEY_POS_SETATTR)

    fileprivate static func makeHeldKeyring(_ description: String) throws(KeyringError) -> Key {
        let serial = unsafe add_key(Kind.keyring.rawValue, description, nil, 0, process.serial)
        return try adopt(serial, permissions: heldPermissions)
    }

    fileprivate static func makeHeldKey(
        _ description: String, payload: borrowing SecretBytes, in ring: Key, seconds: UInt32
    ) throws(KeyringError) {
        let serial = unsafe payload.withUnsafePointer {
            unsafe add_key(Kind.user.rawValue, description, $0, payload.count, ring.serial)
        }
        let key = try adopt(serial, permissions: heldPermissions, in: ring)
        guard keyctl_set_timeout(serial, seconds) == 0 else {
            let failure = errno
            try? key.revoke()
            key.unlink(from: ring)
            throw KeyringError(call: "keyctl_set_timeout", errno: failure)
        }
    }
}
