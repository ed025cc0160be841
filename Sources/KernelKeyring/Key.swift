internal import CKeyutils
internal import Glibc
internal import SecureMemory

/// A key or keyring of the kernel, by its serial number.
///
/// Every use of libkeyutils is in this file.
///
/// Sources: keyctl(2), add_key(2), keyrings(7), and the manual pages of libkeyutils.
struct Key: Equatable {
    let serial: Int32

    static let session = Key(serial: KEY_SPEC_SESSION_KEYRING)
    static let process = Key(serial: KEY_SPEC_PROCESS_KEYRING)
    static let user = Key(serial: KEY_SPEC_USER_KEYRING)
    static let userSession = Key(serial: KEY_SPEC_USER_SESSION_KEYRING)

    enum Kind: String {
        case user
        case keyring
    }

    /// Possessor and others nothing, owner everything that is needed.
    ///
    /// Whether a key can be read then depends on the user ID alone. Cron and `systemd --user` do not possess the user keyring,
    /// and another user's shell can possess an inherited session keyring.
    static let keyPermissions = UInt32(
        KEY_USR_VIEW | KEY_USR_READ | KEY_USR_SEARCH | KEY_USR_LINK | KEY_USR_SETATTR)
    static let keyringPermissions = keyPermissions | UInt32(KEY_USR_WRITE)

    /// The payload limit of Vestry's own keys; longer ones are not ours.
    static let payloadLimit = 64

    /// More than Vestry's keyring ever links, and more than most user keyrings do.
    static let linkLimit = 64

    /// The real serial of a special keyring such as ``session``.
    ///
    /// - Throws: `KeyringError`.
    func resolved() throws(KeyringError) -> Key? {
        try Self.absentAsNil("keyctl_get_keyring_ID") { Int(keyctl_get_keyring_ID(serial, 0)) }
    }

    /// Looks in this keyring, and in the keyrings that it links, for a key.
    ///
    /// - Returns: The key, or nil when there is none that is alive.
    /// - Throws: `KeyringError`.
    func search(_ kind: Kind, _ description: String) throws(KeyringError) -> Key? {
        try Self.absentAsNil("keyctl_search") {
            unsafe keyctl_search(serial, kind.rawValue, description, 0)
        }
    }

    /// Reads a payload of at most ``payloadLimit`` bytes.
    ///
    /// - Returns: The payload, or nil when the key is gone or is longer.
    /// - Throws: `KeyringError`.
    func payload() throws(KeyringError) -> SecretBytes? {
        var failure: CInt = 0
        let payload = SecretBytes(capacity: Self.payloadLimit) { bytes in
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe keyctl_read(
                    serial, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
            }
            if count < 0 { failure = errno }
            // A larger number is the size of a payload that did not fit.
            return (0...Self.payloadLimit).contains(count) ? count : 0
        }
        if payload.count > 0 { return .some(payload) }
        if failure == 0 || KeyringError.meansAbsent(failure) { return nil }
        throw KeyringError(call: "keyctl_read", errno: failure)
    }

    /// The serial numbers of what this keyring links.
    ///
    /// - Returns: None when the keyring is gone, or links more than ``linkLimit``.
    /// - Throws: `KeyringError`.
    func links() throws(KeyringError) -> [Int32] {
        var byteCount = 0
        let serials = unsafe [Int32](unsafeUninitializedCapacity: Self.linkLimit) { buffer, count in
            byteCount = unsafe keyctl_read(
                serial,
                UnsafeMutableRawPointer(buffer.baseAddress)?
                    .assumingMemoryBound(to: CChar.self),
                Self.linkLimit * MemoryLayout<Int32>.size)
            // The size of all of them; the kernel writes nothing where they do not fit.
            let linkCount = byteCount / MemoryLayout<Int32>.size
            count = (0...Self.linkLimit).contains(linkCount) ? linkCount : 0
        }
        if byteCount >= 0 { return serials }
        let failure = errno
        if KeyringError.meansAbsent(failure) { return [] }
        throw KeyringError(call: "keyctl_read", errno: failure)
    }

    /// Makes a key with its permissions and puts it into `destination`, in place of one with the
    /// same description.
    ///
    /// - Throws: `KeyringError`; nothing is left behind then.
    static func makeKey(
        _ description: String, payload: borrowing SecretBytes, in destination: Key
    ) throws(KeyringError) {
        let serial = unsafe payload.withUnsafePointer {
            unsafe add_key(Kind.user.rawValue, description, $0, payload.count, process.serial)
        }
        let key = try adopt(serial, permissions: keyPermissions)
        defer { key.unlink(from: process) }
        try key.link(into: destination)
    }

    /// Makes an empty keyring with its permissions, and leaves it in the process keyring, from which
    /// the caller links it to its place and unlinks it.
    ///
    /// - Throws: `KeyringError`; nothing is left behind then.
    static func makeKeyring(_ description: String) throws(KeyringError) -> Key {
        let serial = unsafe add_key(Kind.keyring.rawValue, description, nil, 0, process.serial)
        return try adopt(serial, permissions: keyringPermissions)
    }

    /// New keys are made in the process keyring, because only a possessed key can be given
    /// permissions: the owner of a key in the user keyring does not possess it.
    ///
    /// - Throws: `KeyringError`; the key is not left in `keyring` then.
    static func adopt(
        _ serial: Int32, permissions: UInt32, in keyring: Key = process
    ) throws(KeyringError) -> Key {
        guard serial > 0 else { throw KeyringError(call: "add_key", errno: errno) }
        let key = Key(serial: serial)
        guard keyctl_setperm(serial, permissions) == 0 else {
            let failure = errno
            key.unlink(from: keyring)
            throw KeyringError(call: "keyctl_setperm", errno: failure)
        }
        return key
    }

    /// Links this key, in place of one with the same description.
    ///
    /// - Throws: `KeyringError`.
    func link(into keyring: Key) throws(KeyringError) {
        guard keyctl_link(serial, keyring.serial) == 0 else {
            throw KeyringError(call: "keyctl_link", errno: errno)
        }
    }

    /// Links this key as ``link(into:)`` does, unless it is gone.
    ///
    /// - Returns: Whether it was linked.
    /// - Throws: `KeyringError`.
    func linkWhileAlive(into keyring: Key) throws(KeyringError) -> Bool {
        if keyctl_link(serial, keyring.serial) == 0 { return true }
        let failure = errno
        if KeyringError.meansAbsent(failure) { return false }
        throw KeyringError(call: "keyctl_link", errno: failure)
    }

    /// Unlinks this key where it is linked.
    func unlink(from keyring: Key) {
        _ = keyctl_unlink(serial, keyring.serial)
    }

    /// Wipes the payload at once, whoever else holds a link.
    ///
    /// - Throws: `KeyringError`; a key that is gone already is no error.
    func revoke() throws(KeyringError) {
        guard keyctl_revoke(serial) == 0 || KeyringError.meansAbsent(errno) else {
            throw KeyringError(call: "keyctl_revoke", errno: errno)
        }
    }

    /// What `keyctl describe` shows.
    struct Description: Equatable {
        let kind: String
        let owner: UInt32
        let text: String
    }

    /// - Returns: The description, or nil when the key is gone or may not be seen.
    func described() -> Description? {
        // "type;uid;gid;perm;description" (keyctl_describe(3)); ours are far below the size.
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe keyctl_describe(
                serial, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
        guard count > 0, count <= buffer.count else { return nil }
        let text = String(decoding: buffer.prefix(count - 1), as: UTF8.self)
        let fields = text.split(separator: ";", maxSplits: 4, omittingEmptySubsequences: false)
        guard fields.count == 5, let owner = UInt32(fields[1]) else { return nil }
        return Description(kind: String(fields[0]), owner: owner, text: String(fields[4]))
    }

    /// The serial numbers of what this keyring links.
    ///
    /// - Returns: Nil when it is gone, may not be read, or links more than any honest one.
    func linkedSerials() -> [Int32]? {
        var serials = [Int32](repeating: 0, count: 1024)
        let count = unsafe serials.withUnsafeMutableBytes {
            unsafe keyctl_read(
                serial, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
        let size = MemoryLayout<Int32>.size
        guard count >= 0, count <= serials.count * size else { return nil }
        return Array(serials.prefix(count / size))
    }

    private static func absentAsNil(
        _ name: String, _ call: () -> Int
    ) throws(KeyringError) -> Key? {
        let serial = call()
        if serial > 0 { return Key(serial: Int32(truncatingIfNeeded: serial)) }
        let failure = errno
        if KeyringError.meansAbsent(failure) { return nil }
        throw KeyringError(call: name, errno: failure)
    }
}
