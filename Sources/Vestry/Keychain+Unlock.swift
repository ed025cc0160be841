internal import CUnlockProtocol
public import SecureMemory

/// How a keychain came to be open.
public enum UnlockOutcome: Sendable {
    case unlocked
    /// Every key was in the kernel already; the password was not looked at.
    case alreadyUnlocked
    /// By the login password before the current one, which is not wrapped yet: the next login with
    /// the new password, or `passwd`, makes up for that.
    case unlockedByPreviousPassword
}

extension Keychain {
    /// Opens the keychain with the login password, through the unlock service.
    ///
    /// - Parameter password: The login password; at most 512 bytes count, as for libpam.
    /// - Returns: How it was opened.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/wrongPassword``,
    ///   ``VestryError/Code/noSuchKeychain``, ``VestryError/Code/serviceNotAvailable`` when the
    ///   service is not running, ``VestryError/Code/timedOut`` when it did not answer in 35 seconds, or the
    ///   code of what it found wrong with the keychain.
    public func unlock(password: borrowing SecretBytes) throws(VestryError) -> UnlockOutcome {
        if let processKeys { return try processKeys.unlock(password: password) }
        let request = UnlockRequest(VESTRY_VERB_UNLOCK, password: password)
        return try UnlockRequest.outcome(result: request.send(to: VESTRY_UNLOCK_SOCKET_PATH))
    }

    /// Opens the keychain with any of its secrets, through the unlock service.
    ///
    /// - Parameter opener: A secret that opens the keychain.
    /// - Returns: How it was opened.
    /// - Throws: ``VestryError``, as ``unlock(password:)``.
    public func unlock(
        by opener: borrowing ProtectorSecret
    ) throws(VestryError) -> UnlockOutcome {
        guard processKeys == nil else {
            throw VestryError(.unimplemented, detail: "a keychain for tests has a password alone")
        }
        let request = UnlockRequest(
            VESTRY_VERB_UNLOCK, password: opener.bytes,
            newPassword: SecretBytes(capacity: 0, filledBy: { _ in 0 }),
            protector: .init(opener: opener.protocolKind))
        return try UnlockRequest.outcome(result: request.send(to: VESTRY_UNLOCK_SOCKET_PATH))
    }

    /// Makes the keychain open with another password, and opens it.
    ///
    /// For a login password that was changed without the old one: by root, or on another machine. No
    /// item is touched. The old password goes on opening the keychain until a login has proved the
    /// new one.
    ///
    /// - Parameters:
    ///   - oldPassword: A password that opens the keychain.
    ///   - newPassword: The login password; not empty. At most 512 bytes of either count.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/wrongPassword`` when the old one
    ///   opens nothing or one of them is empty, and the codes of ``unlock(password:)``. The keychain
    ///   is unchanged then.
    public func rewrap(
        from oldPassword: borrowing SecretBytes, to newPassword: borrowing SecretBytes
    ) throws(VestryError) {
        guard processKeys == nil else {
            throw VestryError(.unimplemented, detail: "a keychain for tests keeps its password")
        }
        let request = UnlockRequest(
            VESTRY_VERB_REWRAP, password: oldPassword, newPassword: newPassword)
        _ = try UnlockRequest.outcome(result: request.send(to: VESTRY_UNLOCK_SOCKET_PATH))
    }
}

/// What the unlock service says when it is asked without a password.
package enum UnlockServiceAnswer: Sendable {
    /// It serves the account, and would open its keychain.
    case ready
    /// It serves the account, which has no keychain yet.
    case noKeychain
    /// It serves the account, which has no password, with or without a keychain.
    case accountWithoutPassword
    /// /etc/vestry.conf excludes the account.
    case excluded
    /// It is there, and was not asked for any account.
    case alive
}

/// What the unlock service says of this machine's device key.
package enum DeviceKeyAnswer: Sendable {
    /// It is at hand, and opens the this-device-only items of the keychain that was asked for.
    case fits
    /// It is sealed, and does not open.
    case shut
    /// There is none, or it is damaged, or not root's alone.
    case missing
    /// It is at hand, and what has wrapped the keychain is another one.
    case ofAnother
}

extension Keychain {
    package static let unlockSocketPath = VESTRY_UNLOCK_SOCKET_PATH
    package static let helperPath = VESTRY_HELPER_PATH
    package static let runtimeFolder = VESTRY_RUNTIME_DIRECTORY

    /// Asks the unlock service for an account, without a password: nothing is opened or changed.
    ///
    /// - Parameters:
    ///   - user: A name, which only root may give; nil for the caller's own account, and for root for
    ///     none.
    ///   - timeoutSeconds: How long to wait for the answer.
    /// - Returns: What it would do.
    /// - Throws: ``VestryError`` with the code of what keeps it from serving, or
    ///   ``VestryError/Code/serviceNotAvailable``.
    package static func askUnlockService(
        for user: String? = nil, timeoutSeconds: Int = 5
    ) throws(VestryError) -> UnlockServiceAnswer {
        let name = Array((user ?? "").utf8)
        // Cut, it could be the name of somebody else.
        guard name.count < Int(VESTRY_USER_SIZE) else { throw VestryError(.parameter) }
        let nothing = SecretBytes(capacity: 0, filledBy: { _ in 0 })
        let request = UnlockRequest(
            VESTRY_VERB_UNLOCK, password: nothing, newPassword: nothing, user: name)
        let result = try request.send(to: VESTRY_UNLOCK_SOCKET_PATH, timeoutSeconds: timeoutSeconds)
        switch vestry_result(rawValue: result) {
        case VESTRY_NO_PASSWORD: return .ready
        case VESTRY_NO_STORE: return .noKeychain
        case VESTRY_ACCOUNT_WITHOUT_PASSWORD: return .accountWithoutPassword
        case VESTRY_NOT_SERVED: return .excluded
        case VESTRY_UNKNOWN_USER where user == nil: return .alive
        default:
            _ = try UnlockRequest.outcome(result: result)
            return .ready
        }
    }

    /// Asks the unlock service whether this machine's device key opens the this-device-only items.
    ///
    /// - Parameter user: A name, which only root may give; nil for the caller's own account, and for
    ///   root for the machine alone.
    /// - Returns: Its answer.
    /// - Throws: ``VestryError``, as ``askUnlockService(for:)``.
    package static func askForDeviceKey(
        of user: String? = nil
    ) throws(VestryError) -> DeviceKeyAnswer {
        let name = Array((user ?? "").utf8)
        guard name.count < Int(VESTRY_USER_SIZE) else { throw VestryError(.parameter) }
        let nothing = SecretBytes(capacity: 0, filledBy: { _ in 0 })
        let request = UnlockRequest(
            VESTRY_VERB_DEVICE_KEY, password: nothing, newPassword: nothing, user: name)
        let result = try request.send(to: VESTRY_UNLOCK_SOCKET_PATH, timeoutSeconds: 8)
        switch vestry_result(rawValue: result) {
        case VESTRY_DEVICE_KEY_FITS: return .fits
        case VESTRY_DEVICE_KEY_SHUT: return .shut
        case VESTRY_NO_DEVICE_KEY: return .missing
        case VESTRY_DEVICE_KEY_OF_ANOTHER: return .ofAnother
        default:
            _ = try UnlockRequest.outcome(result: result)
            throw VestryError(.serviceNotAvailable, detail: "it gave no valid answer")
        }
    }
}
