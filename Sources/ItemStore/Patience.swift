internal import Glibc

/// How long one connection waits for what others have locked.
///
/// Nobody is kept from writing by many others: the wait ends when the others do not get ahead for
/// five seconds, and otherwise after a minute. Time in which this process did not run counts only half a
/// second at a time: a machine that slept, or had no time for us, had none for the others either.
final class Patience {
    private static let standstill = Duration.seconds(5)
    private static let limit = Duration.seconds(60)
    private static let longestStep = Duration.milliseconds(500)

    private let path: String
    private var waited = Duration.zero
    private var waitedInVain = Duration.zero
    private var lastLook = ContinuousClock.now
    private var lastChange: timespec?

    init(path: String) { self.path = path }

    /// Begins a wait.
    func begin(at now: ContinuousClock.Instant = .now) {
        (waited, waitedInVain) = (.zero, .zero)
        lastLook = now
        lastChange = nil
    }

    /// Looks whether to wait on.
    func isLeft(at now: ContinuousClock.Instant = .now) -> Bool {
        let step = min(now - lastLook, Self.longestStep)
        lastLook = now
        waited += step
        waitedInVain = fileHasChanged() ? .zero : waitedInVain + step
        return waitedInVain < Self.standstill && waited < Self.limit
    }

    /// Whether another writer was done since the last look; the first look is no change.
    private func fileHasChanged() -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        let change = status.st_mtim
        defer { lastChange = change }
        guard let lastChange else { return false }
        return lastChange.tv_sec != change.tv_sec || lastChange.tv_nsec != change.tv_nsec
    }
}

/// Waits before SQLite tries again for a lock: 50 microseconds at first, because most writers are
/// done in less than a millisecond, doubling to 25 milliseconds.
///
/// The random half keeps writers that started together from meeting at each step
/// (sqlite.org/c3ref/busy_handler.html).
func waitForOtherProcess(_ patience: UnsafeMutableRawPointer?, _ attempt: CInt) -> CInt {
    guard let patience = unsafe patience else { return 0 }
    let waiter = unsafe Unmanaged<Patience>.fromOpaque(patience).takeUnretainedValue()
    if attempt == 0 { waiter.begin() }
    guard waiter.isLeft() else { return 0 }
    let step: UInt32 = attempt < 9 ? 50 << UInt32(attempt) : 25_000
    usleep(step / 2 + UInt32.random(in: 0...step))
    return 1
}
