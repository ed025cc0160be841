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
