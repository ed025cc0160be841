public import KeyClasses

/// Reads the class keys of one store, with fewer calls the second time.
///
/// It remembers under which serial numbers they were found, and nothing of the keys. That a key is in
/// its place is looked up again for each operation: a serial number counts only as long as the keyring
/// "vestry", found in the user keyring, links it. A key that was revoked cannot be read by it either.
public final class ClassKeyReader {
    private let keyring: KernelKeyring
    private var serials: [KeyClass: Int32] = [:]
    /// The keyring "vestry" and what it links, as this operation has found them.
    private var ring: Key?
    private var links: [Int32]?

    public init(_ keyring: KernelKeyring) { self.keyring = keyring }

    /// Forgets what the last operation has found in the user keyring.
    public func beginOperation() { (ring, links) = (nil, nil) }

    /// Reads one class key, as ``KernelKeyring/classKey(_:)`` does.
    ///
    /// - Parameter keyClass: Any class.
    /// - Returns: The key, or nil when it is not in the kernel or belongs to another store.
    /// - Throws: `KeyringError` when the keyring cannot be used.
    public func classKey(_ keyClass: KeyClass) throws(KeyringError) -> ClassKey? {
        guard keyClass.residence == .user else { return try keyring.classKey(keyClass) }
        if ring == nil { ring = try KernelKeyring.ring() }
        guard let ring else { return nil }
        if let serial = serials[keyClass], try isLinked(serial, in: ring),
            let key = try keyring.classKey(keyClass, in: Key(serial: serial))
        {
            return key
        }
        serials[keyClass] = nil
        guard let found = try ring.search(.user, KernelKeyring.description(of: keyClass)) else {
            return nil
        }
        serials[keyClass] = found.serial
        return try keyring.classKey(keyClass, in: found)
    }

    private func isLinked(_ serial: Int32, in ring: Key) throws(KeyringError) -> Bool {
        if links == nil { links = try ring.links() }
        return links?.contains(serial) ?? false
    }
}
