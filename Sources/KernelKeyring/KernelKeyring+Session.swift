internal import Glibc
public import KeyClasses
internal import SecureMemory

/// What became of a login session's presence.
public enum SessionPresence: Equatable, Sendable {
    /// Linked: the two serials are what the end of the session unlinks.
    case linked(presence: Int32, session: Int32)
    /// Linked before, by a login around this one in the same session (`su - alice` in a shell of
    /// alice's): the session counts, and goes on counting when this login ends.
    case alreadyLinked
    /// The session keyring is not this user's own, so it cannot stand for a session of theirs:
    /// no pam_keyinit in the service, or a shell of another user's session.
    case noSessionKeyring
}

/// What the session helper does, as the user, while it holds that user's lock.
extension KernelKeyring {
    /// Puts a class key where its class lives, in place of an older one.
    ///
    /// - Parameter key: A key of this store.
    /// - Returns: Whether it was put: a class that lives in the presence keyring has no place while
    ///   no login session is open, and some classes have no place at all.
    /// - Throws: `KeyringError`.
    @discardableResult
    public func put(_ key: borrowing ClassKey) throws(KeyringError) -> Bool {
        let keyring: Key?
        switch key.keyClass.residence {
        case .user: keyring = try ringOrNew()
        case .presence: keyring = try presenceKeyring()
        case .nowhere: keyring = nil
        }
        guard let keyring else { return false }
        try Key.makeKey(
            Self.description(of: key.keyClass), payload: payload(of: key), in: keyring)
        return true
    }

    /// Store, epoch and seed of a class key.
    func payload(of key: borrowing ClassKey) -> SecretBytes {
        let head = store.bytes + littleEndian(key.epoch)
        return key.seed.withBytes { seed in
            SecretBytes(
                count: head.count + seed.count,
                filledBy: { payload in
                    for index in head.indices { payload[index] = head[index] }
                    for index in seed.indices { payload[head.count + index] = seed[index] }
                })
        }
    }

    /// Links the presence keyring into the session keyring of this process, and makes it where there
    /// is none.
    ///
    /// - Returns: What became of it.
    /// - Throws: `KeyringError`.
    public func linkPresence() throws(KeyringError) -> SessionPresence {
        // A process without a session keyring has its user-session keyring in that place, which all
        // such processes of the user share and which never goes away.
        guard let session = try Key.session.resolved(),
            try session != Key.userSession.resolved(),
            session.described()?.owner == geteuid()
        else { return .noSessionKeyring }

        if let presence = try presenceKeyring() {
            let linked = try? session.search(.keyring, Self.presenceDescription)
            if linked == presence { return .alreadyLinked }
            // The last other session may end at this moment, and the keyring with it.
            if try presence.linkWhileAlive(into: session) {
                return .linked(presence: presence.serial, session: session.serial)
            }
        }
        let ring = try ringOrNew()
        let presence = try Key.makeKeyring(Self.presenceDescription)
        // From here on only the session's link keeps it alive.
        defer { presence.unlink(from: .process) }
        try presence.link(into: session)
        do throws(KeyringError) {
            let pointer = store.bytes + littleEndian(UInt32(bitPattern: presence.serial))
            try Key.makeKey(
                Self.presenceDescription, payload: SecretBytes(copying: pointer.span), in: ring)
        } catch {
            presence.unlink(from: session)
            throw error
        }
        return .linked(presence: presence.serial, session: session.serial)
    }

    /// Revokes what another store left in this user's keyring: the user ID had another owner, or
    /// the home was replaced.
    ///
    /// - Throws: `KeyringError`.
    public func revokeForeignKeys() throws(KeyringError) {
        guard let ring = try Self.ring() else { return }
        let descriptions =
            KeyClass.allCases.filter { $0.residence == .user }.map(Self.description)
            + [Self.presenceDescription, Self.mismatchDescription]
        for description in descriptions {
            guard let key = try ring.search(.user, description), let payload = try key.payload(),
                !owns(payload)
            else { continue }
            if description == Self.presenceDescription { try Self.lock() }
            try key.revoke()
            key.unlink(from: ring)
        }
    }

    func ringOrNew() throws(KeyringError) -> Key {
        if let ring = try Self.ring() { return ring }
        let ring = try Key.makeKeyring(Self.ringDescription)
        defer { ring.unlink(from: .process) }
        try ring.link(into: .user)
        return ring
    }
}
