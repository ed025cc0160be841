public import KeyClasses

/// Reads the class keys of one store, with fewer and cheaper calls the second time.
///
/// It remembers under which serial numbers they and their keyrings were found, and nothing of the keys.
/// That a key is in its place is looked up again for each operation: a serial number counts only as
/// long as the keyring "vestry" links the key, or the key that points at the presence keyring, which
/// links it. A key that was revoked cannot be read by its number either. A keyring "vestry" that the user
/// keyring does not link any more is gone, unless somebody has linked it elsewhere: so that is looked up
/// only ten times a second. What is remembered of a number that the kernel has given to another key
/// meanwhile finds no key that the keybag accepts.
public final class ClassKeyReader {
    private let keyring: KernelKeyring

    // What was found by name, and is looked for among the links from then on.
    private var ring: Key?
    private var ringEnd = ContinuousClock.now
    private var pointer: Key?
    private var presence: Key?
    /// By the raw values of the classes.
    private var keys = [Key?](repeating: nil, count: 16)

    // What this operation has found.
    private var current = Current()

    private struct Current {
        var isRingKnown = false
        var isPresenceKnown = false
        var ringLinks: [Int32]?
        var presenceLinks: [Int32]?
    }

    private static let ringLifetime = Duration.milliseconds(100)

    public init(_ keyring: KernelKeyring) { self.keyring = keyring }

    /// Forgets what the last operation has found.
    public func beginOperation() { current = Current() }

    /// Reads one class key, as ``KernelKeyring/classKey(_:)`` does.
    ///
    /// - Parameter keyClass: Any class.
    /// - Returns: The key, or nil when it is not in the kernel or belongs to another store.
    /// - Throws: `KeyringError` when the keyring cannot be used.
    public func classKey(_ keyClass: KeyClass) throws(KeyringError) -> ClassKey? {
        let place = Int(keyClass.rawValue)
        let home: Key?
        switch keyClass.residence {
        case .user: home = try currentRing()
        case .presence: home = try currentPresence()
        case .nowhere: home = nil
        }
        guard let home else { return nil }
        if let key = keys[place],
            try (keyClass.residence == .user ? ringLinks(home) : presenceLinks(home))
                .contains(key.serial),
            let classKey = try keyring.classKey(keyClass, in: key)
        {
            return classKey
        }
        keys[place] = try home.search(.user, KernelKeyring.description(of: keyClass))
        guard let key = keys[place] else { return nil }
        return try keyring.classKey(keyClass, in: key)
    }

    private func currentRing() throws(KeyringError) -> Key? {
        if current.isRingKnown { return ring }
        let now = ContinuousClock.now
        if ring == nil || now >= ringEnd {
            ring = try KernelKeyring.ring()
            ringEnd = now + Self.ringLifetime
        }
        // What is gone links nothing: another one may have taken its place.
        if let known = ring, try ringLinks(known).isEmpty {
            ring = try KernelKeyring.ring()
            current.ringLinks = nil
        }
        current.isRingKnown = true
        return ring
    }

    private func currentPresence() throws(KeyringError) -> Key? {
        if current.isPresenceKnown { return presence }
        guard let ring = try currentRing() else { return nil }
        let known = presence
        presence = nil
        var found = pointer
        if let pointer, try !ringLinks(ring).contains(pointer.serial) { found = nil }
        if found == nil { found = try ring.search(.user, KernelKeyring.presenceDescription) }
        pointer = found
        if let found, let target = try KernelKeyring.target(of: found),
            target.store == keyring.store,
            target.keyring == known || KernelKeyring.isPresence(target.keyring)
        {
            presence = target.keyring
        }
        current.isPresenceKnown = true
        return presence
    }

    private func ringLinks(_ ring: Key) throws(KeyringError) -> [Int32] {
        if let links = current.ringLinks { return links }
        let links = try ring.links()
        current.ringLinks = links
        return links
    }

    private func presenceLinks(_ presence: Key) throws(KeyringError) -> [Int32] {
        if let links = current.presenceLinks { return links }
        let links = try presence.links()
        current.presenceLinks = links
        return links
    }
}
