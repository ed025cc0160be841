/// What can be read from a keychain at one moment, and why not more.
public struct KeychainStatus: Sendable {
    /// The raw values are the words of the command line and of JSON output; they never change.
    public enum State: String, Sendable {
        /// The account has no keychain yet.
        case noStore = "no-store"
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
        /// No unlock since the machine started, or everything was locked again by command.
        case notUnlocked = "not-unlocked"
        /// No login session of this user is open that Vestry could count.
        case noSession = "no-session"
        /// A login session is open, but its screen is locked, or `vestry lock` was used.
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

    init(_ state: State, _ reason: Reason) {
        self.state = state
        self.reason = reason
        error = nil
    }

    init(failure: VestryError) {
        state = .unavailable
        reason = .failure
        error = failure
    }
}
