/// What can be read from a keychain at one moment, and why not more.
public struct KeychainStatus: Sendable {
    /// The raw values are the words of the command line and of JSON output; they never change.
    public enum State: String, Sendable {
        /// The account has no keychain yet.
        case noStore = "no-store"
        /// The account has no keychain, and no password that a login could make one with: see
        /// ``Keychain/create(openedBy:label:)``.
        case noPassword = "no-password"
        /// Nothing can be read.
        case locked
        /// The items of the AfterFirstUnlock classes can be read.
        case afterFirstUnlock = "after-first-unlock"
        /// Everything can be read.
        case unlocked
        /// Nothing can be read before something is repaired; see ``KeychainStatus/error``.
        case unavailable
    }

    /// Why the state is what it is; the raw values never change.
    public enum Reason: String, Sendable {
        /// Nobody logged in to this account with a password since Vestry was installed.
        case neverEnrolled = "never-enrolled"
        /// The password of the last logins does not open the keychain: it was changed without the
        /// old one, by root or elsewhere. See ``KeychainStatus/mismatchSince``.
        case passwordMismatch = "password-mismatch"
        /// What the last logins gave is neither the account's password nor anything else that opens the
        /// keychain: a one-time code stood behind it, or another module asked for a secret of its own.
        case otherSecret = "other-secret"
        /// The account has no password, so no login opens the keychain.
        case noPassword = "no-password"
        /// No unlock since the machine started, or everything was locked again by command.
        case notUnlocked = "not-unlocked"
        /// No login session of this user is open that Vestry could count.
        case noSession = "no-session"
        /// A login session is open, but its screen is locked, the machine has slept, or `vestry lock`
        /// was used.
        case sessionLocked = "session-locked"
        /// A login session is open and unlocked.
        case sessionOpen = "session-open"
        /// See ``KeychainStatus/error``.
        case failure
    }

    public let state: State
    public let reason: Reason
    /// What must be repaired; only with ``State/unavailable``.
    public let error: VestryError?
    /// Whether a password helps all the same: only the items are damaged, and locked besides, and
    /// ``Keychain/repair(isDryRun:)`` needs them open.
    package internal(set) var isRepairLocked = false
    /// Since when logins have had a password that does not open the keychain, in seconds since 1970;
    /// nil when the last one's did, or there was none since the machine started.
    ///
    /// An open keychain can have it too: it stays open until the next reboot, and then stays locked.
    public let mismatchSince: Int64?
    /// Whether a login password opens the keychain at all: an account without one has other protectors.
    public internal(set) var hasLoginPassword = true
    /// What the login password does not open, although the keychain opens with it: classes that were
    /// not open when a login made the keychain follow a new password.
    ///
    /// The raw values of ``Accessibility``, and "presence" and "presence-this-device-only" for items
    /// that ask for the user. The password before, or another protector, opens them.
    public internal(set) var classesBehind: [String] = []
    /// Since when that is so, in seconds since 1970; nil where there are none.
    public internal(set) var behindSince: Int64?
    /// Whether the this-device-only items are another machine's, as in a copied home, and no new ones
    /// can be stored before ``Keychain/rewrap(from:to:)``.
    ///
    /// That it is the device key's fault instead is what ``Keychain/statusOfAccount()`` finds out.
    public internal(set) var isOfAnotherMachine = false
    /// Why the this-device-only items are locked although they are this machine's own; nil where they
    /// are not, are another machine's, or nobody has asked: see ``Keychain/statusOfAccount()``.
    public internal(set) var deviceKeyFault: DeviceKeyFault?

    /// What is wrong with this machine's device key; the raw values never change.
    public enum DeviceKeyFault: String, Sendable {
        /// There is none, or it is damaged, or not root's alone.
        case missing
        /// It is sealed, and does not open.
        case shut
        /// It is at hand, and was not at the last unlock.
        case missed
    }

    /// The open login sessions of the user that count, the oldest first; with
    /// ``Reason/noSession`` there is none.
    ///
    /// Empty too where nobody keeps records of them, as in a container without the session helper.
    public internal(set) var sessions: [LoginSession] = []

    /// The same keychain, of an account without a password.
    func ofAccountWithoutPassword() -> KeychainStatus {
        switch state {
        case .noStore: return KeychainStatus(.noPassword, .noPassword)
        case .locked:
            var status = KeychainStatus(.locked, .noPassword)
            status.hasLoginPassword = hasLoginPassword
            status.sessions = sessions
            return status
        case .noPassword, .afterFirstUnlock, .unlocked, .unavailable: return self
        }
    }

    init(_ state: State, _ reason: Reason, mismatchSince: Int64? = nil) {
        self.state = state
        self.reason = reason
        self.mismatchSince = mismatchSince
        error = nil
    }

    init(failure: VestryError) {
        state = .unavailable
        mismatchSince = nil
        reason = .failure
        error = failure
    }
}
