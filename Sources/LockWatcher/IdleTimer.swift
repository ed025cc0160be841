internal import LinuxSystem

/// When to look whether anybody is still there.
///
/// A session that was in use a moment ago cannot have been left alone for the whole limit before that
/// limit is over once more: so it is enough to look then, and nothing has to be watched in between.
struct IdleTimer {
    private let limit: Duration
    private var next: Deadline

    init(limit: Duration) {
        self.limit = limit
        // Whoever starts this late finds people who have left before.
        next = Deadline(after: .zero)
    }

    var remaining: Duration { next.remaining }
    var isDue: Bool { next.hasPassed }

    /// Looks whether everybody has been away for the limit, and sets the time of the next look.
    ///
    /// - Parameters:
    ///   - sessions: The open sessions whose screens are not locked.
    ///   - now: Microseconds since 1970.
    /// - Returns: Whether to lock.
    mutating func shallLock(_ sessions: [LoginSession], now: UInt64) -> Bool {
        let wait = Self.wait(until: limit, sessions, now: now)
        // After a lock, somebody may come back and leave again.
        next = Deadline(after: wait == .zero ? limit : wait)
        return wait == .zero
    }

    /// How long until everybody can have been away for the limit; zero when they have.
    static func wait(
        until limit: Duration, _ sessions: [LoginSession], now: UInt64
    ) -> Duration {
        var last: UInt64?
        for session in sessions {
            guard let since = session.untouchedSince else { return limit }
            last = max(last ?? 0, since)
        }
        // A time to come is a clock that was set back.
        guard let last, last <= now else { return limit }
        let away = Duration.microseconds(Int64(clamping: now - last))
        // A second, so that a wait is never so short that it is none.
        return away >= limit ? .zero : max(.seconds(1), limit - away)
    }
}
