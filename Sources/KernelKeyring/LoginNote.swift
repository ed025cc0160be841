internal import KeyClasses
internal import SecureMemory

/// What the session helper remembers until the next reboot of a login that did not open the store.
///
/// Payload of the key "vestry:mismatch":
///
///     offset  size  field
///     0       16    the store's id
///     16      8     when it was noticed first, seconds since 1970, little-endian
///     24      1     cause; absent: 0
///     25      32    mark of what was typed; absent where there is none
///
/// Any program of the user can write it: it never opens anything, and what it says is told to that
/// user alone.
public struct LoginNote: Equatable, Sendable {
    public enum Cause: UInt8, Sendable {
        /// The account's password is another one than the store's.
        case otherPassword = 0
        /// What the login gave is not the account's password.
        case otherSecret = 1
    }

    public static let markByteCount = 32

    public let cause: Cause
    /// Seconds since 1970.
    public let since: Int64
    /// By which the helper knows the same text again; nil or ``markByteCount`` bytes.
    public let mark: [UInt8]?

    public init(_ cause: Cause, since: Int64, mark: [UInt8]? = nil) {
        self.cause = cause
        self.since = since
        self.mark = mark?.count == Self.markByteCount ? mark : nil
    }

    init?(_ payload: [UInt8]) {
        let fixed = StoreID.byteCount + 8
        guard [fixed, fixed + 1, fixed + 1 + Self.markByteCount].contains(payload.count) else {
            return nil
        }
        var bits: UInt64 = 0
        for shift in 0..<8 {
            bits |= UInt64(payload[StoreID.byteCount + shift]) << (8 * UInt64(shift))
        }
        guard let cause = Cause(rawValue: payload.count > fixed ? payload[fixed] : 0) else {
            return nil
        }
        self.init(
            cause, since: Int64(bitPattern: bits),
            mark: payload.count > fixed + 1 ? Array(payload[(fixed + 1)...]) : nil)
    }

    func payload(of store: StoreID) -> [UInt8] {
        let bits = UInt64(bitPattern: since)
        var payload = store.bytes
        for shift in 0..<8 { payload.append(UInt8(truncatingIfNeeded: bits >> (8 * shift))) }
        payload.append(cause.rawValue)
        if let mark { payload += mark }
        return payload
    }
}

extension KernelKeyring {
    /// Returns what is noted of a login that did not open this store.
    ///
    /// - Returns: The note, or nil when the last login's password opened it, or none gave one since
    ///   the boot.
    /// - Throws: `KeyringError` when the keyring cannot be used.
    public func loginNote() throws(KeyringError) -> LoginNote? {
        guard let key = try Self.ring()?.search(.user, Self.mismatchDescription),
            let payload = try key.payload(), owns(payload)
        else { return nil }
        return LoginNote(payload.withBytes { bytes in bytes.indices.map { bytes[$0] } })
    }

    /// Returns since when logins have had a password that does not open this store.
    ///
    /// - Returns: Seconds since 1970, or nil when the last login's password opened it, or none did
    ///   since boot.
    /// - Throws: `KeyringError` when the keyring cannot be used.
    public func mismatchSince() throws(KeyringError) -> Int64? {
        let note = try loginNote()
        return note?.cause == .otherPassword ? note?.since : nil
    }

    /// Notes that a login did not open this store, so that its user can be told why it stays locked.
    ///
    /// The time of the first note with the same cause stays.
    ///
    /// - Parameters:
    ///   - cause: Why.
    ///   - seconds: Now, since 1970.
    ///   - mark: By which the same text is known again.
    /// - Throws: `KeyringError`.
    public func note(
        _ cause: LoginNote.Cause, at seconds: Int64, mark: [UInt8]? = nil
    ) throws(KeyringError) {
        let present = try loginNote()
        let since = present?.cause == cause ? present?.since : nil
        let note = LoginNote(cause, since: since ?? seconds, mark: mark)
        guard note != present else { return }
        try Key.makeKey(
            Self.mismatchDescription,
            payload: SecretBytes(copying: note.payload(of: store).span), in: try ringOrNew())
    }

    /// Forgets the note: a password has opened the store.
    ///
    /// - Throws: `KeyringError`.
    public func clearMismatch() throws(KeyringError) {
        guard let ring = try Self.ring(),
            let key = try ring.search(.user, Self.mismatchDescription)
        else { return }
        key.unlink(from: ring)
    }
}
