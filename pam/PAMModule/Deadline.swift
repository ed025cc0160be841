internal import CPAM

/// One moment until which everything that a login waits for has to be done.
struct Deadline {
    private let milliseconds: Int64

    init(secondsFromNow seconds: Int64) {
        milliseconds = Deadline.now &+ seconds &* 1000
    }

    private init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// At most `limit` milliseconds from now, and not after this deadline.
    func orSooner(within limit: Int64) -> Deadline {
        Deadline(milliseconds: min(milliseconds, Deadline.now &+ limit))
    }

    /// 0 once it has passed; fits poll(2), because no deadline is farther than a minute.
    var remainingMilliseconds: CInt {
        CInt(truncatingIfNeeded: min(max(milliseconds &- Deadline.now, 0), 60_000))
    }

    /// Waits until `descriptor` has one of `events`, an error or an end.
    ///
    /// - Returns: false when the deadline passed first.
    func wait(for descriptor: CInt, _ events: CInt) -> Bool {
        while true {
            var entry = pollfd(
                fd: descriptor, events: CShort(truncatingIfNeeded: events), revents: 0)
            let remaining = remainingMilliseconds
            let count = unsafe poll(&entry, 1, remaining)
            if count > 0 { return true }
            // A host's signal handler interrupts poll, which is never restarted (signal(7)).
            if count < 0 && currentError != EINTR { return false }
            if count == 0 && remaining == 0 { return false }
        }
    }

    // Not the wall clock: it jumps, at boot by years.
    private static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
    }
}

/// errno, which Embedded Swift has no name for.
var currentError: CInt {
    vestry_error()
}
