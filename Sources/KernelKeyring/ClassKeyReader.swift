public import KeyClasses

/// Reads the class keys of one store, with fewer and cheaper calls the second time.
///
/// It remembers under which serial numbers they and their keyring were found, and nothing of the keys.
/// That a key is in its place is looked up again for each operation: a serial number counts only as
/// long as the user keyring links the keyring "vestry", and that one links the key. A key that was
/// revoked cannot be read by it either.
public final class ClassKeyReader {
    private let keyring: KernelKeyring
    private var knownRing: Key?
    /// By the raw values of the classes.
    private var known = [Key?](repeating: nil, count: 16)

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
        guard let ring = try currentRing() else { return nil }
        let place = Int(keyClass.rawValue)
        if let key = known[place], try isLinked(key, in: ring),
            let classKey = try keyring.classKey(keyClass, in: key)
        {
            return classKey
        }
        known[place] = try ring.search(.user, KernelKeyring.description(of: keyClass))
        guard let key = known[place] else { return nil }
        return try keyring.classKey(keyClass, in: key)
    }

    private func currentRing() throws(KeyringError) -> Key? {
        if let ring { return ring }
        // Cheaper than a search, where the user keyring links few keys.
        let isKnown =
            if let knownRing { try Key.user.links().contains(knownRing.serial) } else { false }
        if !isKnown { knownRing = try KernelKeyring.ring() }
        ring = knownRing
        return ring
    }

    private func isLinked(_ key: Key, in ring: Key) throws(KeyringError) -> Bool {
        if links == nil { links = try ring.links() }
        return links?.contains(key.serial) ?? false
    }
}
