internal import CPAM
internal import CUnlockProtocol

/// The token's way from sshd's keyboard-interactive child to the process that opens the session.
///
/// With keyboard-interactive, OpenSSH forks a child for pam_authenticate(3), pam_acct_mgmt(3) and
/// pam_chauthtok(3). The child leaves by _exit(2) without pam_end(3), so its PAM data is lost. What
/// comes back is the PAM environment, and only after all of them succeeded (auth-pam.c,
/// sshpam_thread and import_environments, 4.0 to 10.0).
///
/// So the child leaves the token in root's user keyring under a name with 128 random bits, and the
/// bits in the PAM environment. Why nobody takes the token of another login:
///
/// - The claim reaches exactly the process whose child authenticated. The number of the parent
///   process would not do as the name: it is not unique where two containers share a user
///   namespace, it is used again, and for a password login it is the listener's.
/// - A refused attempt leaves no claim, so its token is never used, even when another method lets
///   the user in afterwards. Its key expires unread.
/// - The name cannot be guessed, and the key cannot be seen, searched or read by anybody but root:
///   the possessor, which may be a user's shell that inherited a keyring of root's, has no
///   permission at all.
/// - The key carries the user's name; for another name the token is not used.
/// - The claim is a single use: taking it revokes the key, whoever it is for. It is removed from the
///   environment before the session can see it.
///
/// The child is known by SSH_AUTH_INFO_0, which sshd puts into the PAM environment before it forks
/// the child (since 7.7), under whatever service name. A password login has it only after an earlier
/// keyboard-interactive attempt. Then a process leaves a key for itself, and its claim proves
/// nothing; so the key carries its maker's number, and open_session prefers the stash to its own.
enum HandOver {
    private static var variable: StaticString { "VESTRY_HANDOVER" }
    private static var assignment: StaticString { "VESTRY_HANDOVER=" }
    private static var keyName: StaticString { "vestry:handover:" }
    // The claim is 32 hexadecimal digits; both prefixes are 16 bytes long.
    private static var prefixLength: Int { 16 }
    private static var claimLength: Int { 32 }

    // The new password and the class of a key, last in the request, are never handed over.
    private static var payloadSize: Int {
        Int(VESTRY_LOGIN_REQUEST_SIZE)
    }

    /// Whether the session may be opened by a process that never sees this handle's data.
    static func isNeeded(_ conversation: Conversation) -> Bool {
        // The user keyring is that of the real user (credentials(7)), sshd's is root.
        unsafe getuid() == 0 && conversation.variable(SSHMethods.variable) != nil
    }

    /// Leaves the token and the claim.
    ///
    /// - Returns: 0, or the error of the call that failed. Then nothing is left.
    static func leave(_ request: borrowing SecretRequest, _ conversation: Conversation) -> CInt {
        unsafe withName(keyName) { name in
            let claim = unsafe name + prefixLength
            guard unsafe fillWithRandomDigits(claim) else { return currentError }
            request.mark(leftBy: getpid())
            let error = unsafe request.withBytes { bytes in
                unsafe addKey(name, bytes.baseAddress)
            }
            guard error == 0 else { return error }
            if let assignment = unsafe cString(assignment) {
                unsafe memcpy(name, assignment, prefixLength)
            }
            unsafe conversation.putVariable(name)
            return 0
        }
    }

    /// Takes the token that the child left, if there is a claim to one, and revokes the key.
    static func take(_ conversation: Conversation) -> SecretRequest? {
        guard let key = redeemClaim(conversation) else { return nil }
        defer { remove(key) }
        guard let request = SecretRequest() else { return nil }
        let count = unsafe request.withBytes { bytes in
            vestry_keyctl(
                KeyOperation.read, key, Int(bitPattern: bytes.baseAddress), payloadSize, 0)
        }
        guard count == payloadSize, request.isWellFormed, !request.wasLeft(by: getpid()) else {
            return nil
        }
        return request
    }

    /// Revokes the key of a claim, if there is one.
    static func revoke(_ conversation: Conversation) {
        guard let key = redeemClaim(conversation) else { return }
        remove(key)
    }

    /// Removes the claim from the environment, and finds its key.
    private static func redeemClaim(_ conversation: Conversation) -> Int? {
        guard getuid() == 0, geteuid() == 0,
            let claim = unsafe conversation.variable(variable)
        else { return nil }
        return unsafe withName(keyName) { name in
            // Anybody may have put this variable here: pam_env reads a file of the user's.
            let isClaim = unsafe isDigits(claim)
            if isClaim { unsafe memcpy(name + prefixLength, claim, claimLength) }
            if let name = unsafe cString(variable) { unsafe conversation.putVariable(name) }
            guard isClaim else { return nil }
            let key = unsafe vestry_keyctl(
                KeyOperation.search, Keyring.user, Int(bitPattern: cString("user")),
                Int(bitPattern: name), 0)
            return key > 0 ? key : nil
        }
    }

    private static func remove(_ key: Int) {
        vestry_keyctl(KeyOperation.revoke, key, 0, 0, 0)
        vestry_keyctl(KeyOperation.unlink, key, Keyring.user, 0, 0)
    }

    private static func addKey(
        _ name: UnsafePointer<CChar>, _ payload: UnsafeMutableRawPointer?
    ) -> CInt {
        // In the process keyring first: a key can be given permissions where it is possessed, and
        // in the user keyring it is not.
        let key = unsafe Int(
            vestry_add_key(name, payload, payloadSize, CInt(truncatingIfNeeded: Keyring.process)))
        guard key > 0 else { return currentError }
        var error: CInt = 0
        if vestry_keyctl(KeyOperation.setPermissions, key, onlyOwner, 0, 0) != 0
            || vestry_keyctl(KeyOperation.setTimeout, key, lifetimeSeconds, 0, 0) != 0
            || vestry_keyctl(KeyOperation.link, key, Keyring.user, 0, 0) != 0
        {
            error = currentError
            vestry_keyctl(KeyOperation.revoke, key, 0, 0, 0)
        }
        vestry_keyctl(KeyOperation.unlink, key, Keyring.process, 0, 0)
        return error
    }

    // Long enough for a second factor after the password, short enough for an attempt that failed.
    private static var lifetimeSeconds: Int { 60 }

    // Owner: view, read, search, link, set attributes (and so revoke). Nobody else anything.
    private static var onlyOwner: Int { 0x003B_0000 }

    /// Lends a buffer with the prefix, 32 bytes for the claim, and a NUL.
    private static func withName<Result>(
        _ prefix: StaticString, _ body: (UnsafeMutablePointer<CChar>) -> Result
    ) -> Result {
        var buffer: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0)
        return unsafe withUnsafeMutablePointer(to: &buffer) { pointer in
            let name = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: CChar.self)
            if let prefix = unsafe cString(prefix) { unsafe memcpy(name, prefix, prefixLength) }
            return unsafe body(name)
        }
    }

    private static func fillWithRandomDigits(_ claim: UnsafeMutablePointer<CChar>) -> Bool {
        var random: (UInt64, UInt64) = (0, 0)
        // Never waits for entropy: a login does not either.
        guard unsafe getrandom(&random, 16, UInt32(GRND_NONBLOCK)) == 16 else { return false }
        var index = 0
        while index < claimLength {
            let half = index < 16 ? random.0 : random.1
            let digit = UInt8(truncatingIfNeeded: half &>> UInt64((index & 15) &* 4)) & 0xF
            unsafe claim[index] = CChar(bitPattern: digit < 10 ? 0x30 &+ digit : 0x57 &+ digit)
            index &+= 1
        }
        return true
    }

    private static func isDigits(_ claim: UnsafePointer<CChar>) -> Bool {
        unsafe strspn(claim, "0123456789abcdef") == claimLength && claim[claimLength] == 0
    }
}

/// Numbers of keyctl(2), from linux/keyctl.h.
enum KeyOperation {
    static var revoke: CInt { 3 }
    static var setPermissions: CInt { 5 }
    static var link: CInt { 8 }
    static var unlink: CInt { 9 }
    static var search: CInt { 10 }
    static var read: CInt { 11 }
    static var setTimeout: CInt { 15 }
}

/// Special keyrings of keyrings(7).
enum Keyring {
    static var process: Int { -2 }
    static var user: Int { -4 }
}
