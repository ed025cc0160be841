/// Which sessions have been told to lock their screens, and not to unlock them since.
///
/// A screen locker that sets no LockedHint, such as swaylock or i3lock, says nothing when somebody
/// unlocks it either. But then somebody has typed a password, and the session helper has reported it
/// (`/run/vestry/unlocked`). It reports a login's password in the same way: what a new session follows
/// within ``loginWindow`` was a login, and unlocks no screen.
struct LockRequests: Equatable {
    typealias Instant = ContinuousClock.Instant

    /// No login waits longer than this for the helper, and the session is there a moment after.
    static let loginWindow = Duration.seconds(10)

    private var requests: [String: Instant] = [:]
    /// The last password that was not a login's.
    private var typed: Instant?
    /// Those that may still prove to be a login's.
    private var recent: [Instant] = []

    var isEmpty: Bool { requests.isEmpty }

    mutating func lock(_ session: String, at now: Instant) {
        requests[session] = now
    }

    mutating func unlock(_ session: String) {
        requests[session] = nil
        forgetWhatIsOver()
    }

    /// Forgets sessions that have ended.
    mutating func keepOnly(_ sessions: some Sequence<String>) {
        let sessions = Set(sessions)
        requests = requests.filter { sessions.contains($0.key) }
        forgetWhatIsOver()
    }

    /// Somebody has typed the password, at a screen locker or at a login.
    mutating func passwordTyped(at now: Instant) {
        guard !isEmpty else { return }
        settle(at: now)
        recent.append(now)
    }

    /// A session has begun: it was a login.
    mutating func sessionOpened(at now: Instant) {
        settle(at: now)
        recent = []
    }

    func isLocked(_ session: String) -> Bool {
        guard let request = requests[session] else { return false }
        return !(recent + (typed.map { [$0] } ?? [])).contains { $0 > request }
    }

    private mutating func settle(at now: Instant) {
        let old = recent.filter { now - $0 > Self.loginWindow }
        recent.removeAll { now - $0 > Self.loginWindow }
        typed = old.max() ?? typed
    }

    private mutating func forgetWhatIsOver() {
        if isEmpty { (typed, recent) = (nil, []) }
    }
}
