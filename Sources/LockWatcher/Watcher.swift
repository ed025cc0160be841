internal import CUnlockProtocol
internal import Glibc
internal import KernelKeyring
internal import LinuxSystem

/// Drops one user's when-unlocked keys when the last open session is locked, when the machine goes to
/// sleep, and when nobody is there for too long.
///
/// It never puts a key back and needs no password: that is done by whoever unlocks the screen, through
/// PAM. It sleeps until logind says something.
struct Watcher: ~Copyable {
    private let bus: SystemBus
    private let user: uid_t
    private var idle: IdleTimer?
    /// What a later connection has to know.
    private(set) var requests: LockRequests
    /// Sessions that alone keep the keys where they are while another one is locked.
    private var keepers: Set<String> = []
    /// Which sessions are this user's, as far as that was asked.
    ///
    /// Another user who locks and unlocks all day costs a wake-up, and no call.
    private var isMine: [String: Bool] = [:]
    private var sleepDelay: FileDescriptor?
    /// Only while there are keepers.
    private var monitor: SessionMonitor?
    /// Only while a session has been told to lock.
    private var unlocks: DirectoryWatch?

    /// Within a second of a lock the keys are gone, whatever logind does meanwhile.
    private static let answerTime = Duration.milliseconds(700)
    /// For answers that nothing hangs on, and for a logind that is only just being started.
    private static let patience = Duration.seconds(20)

    /// Connects, and does what the state of the sessions asks for.
    ///
    /// - Parameters:
    ///   - user: Whose keys and sessions.
    ///   - idleLimit: After how long without anybody there to lock; nil for never.
    ///   - requests: What an earlier connection knew.
    /// - Throws: `BusError`: `notConnected` without a bus, `noService` without logind.
    init(
        user: uid_t, idleLimit: Duration?, requests: LockRequests = LockRequests()
    ) throws(BusError) {
        // What can fail comes first.
        let bus = try SystemBus()
        for rule in Logind.rules { try bus.subscribe(rule) }
        _ = try Logind.sessions(of: user, on: bus, before: Deadline(after: Self.patience))
        self.bus = bus
        self.user = user
        idle = idleLimit.map { IdleTimer(limit: $0) }
        self.requests = requests
        begin()
    }

    /// Works until the bus is gone.
    ///
    /// - Returns: The reason.
    mutating func run() -> BusError {
        do throws(BusError) {
            while true { try step() }
        } catch {
            return error
        }
    }

    private mutating func step() throws(BusError) {
        // Before the bus: a login is reported there after its password is reported here.
        takeUnlocks()
        while let message = try bus.next() {
            do throws(BusError) {
                if let event = try Logind.event(message) { handle(event) }
            } catch {
                Log.warning("a signal of logind's: \(error)")
            }
        }
        if idle?.isDue == true { lookForPeople() }
        updateWatches()
        // Looking may have brought more.
        if !bus.hasMore { sleep() }
    }

    // MARK: - What happens

    private mutating func handle(_ event: Logind.Event) {
        // For all questions together.
        let deadline = Deadline(after: Self.answerTime)
        switch event {
        case .lock(let session):
            guard mayBeMine(session, before: deadline) else { return }
            requests.lock(session, at: .now)
            lockUnlessKept(before: deadline)
        case .lockedHint(let session, true):
            if mayBeMine(session, before: deadline) { lockUnlessKept(before: deadline) }
        case .unlock(let session), .lockedHint(let session, false):
            requests.unlock(session)
        case .opened(let session):
            guard !requests.isEmpty, let opened = look(at: session, before: deadline),
                opened.user == user, opened.isOpen
            else { return }
            requests.sessionOpened(at: .now)
            lockUnlessKept(before: deadline)
        case .removed(let session):
            requests.unlock(session)
            isMine[session] = nil
            if keepers.contains(session) { lockUnlessKept(before: deadline) }
        case .sleepBegins:
            lock()
            // The machine goes on to sleep when this is closed.
            sleepDelay = nil
        case .sleepIsOver:
            begin()
        case .logindStarted:
            isMine = [:]
            begin()
        case .logindEnded:
            sleepDelay = nil
        }
    }

    /// At the beginning of a connection, and again when logind or the machine is back.
    private mutating func begin() {
        do throws(BusError) {
            sleepDelay = try Logind.delaySleep(on: bus)
        } catch {
            Log.warning("sleep does not wait for the lock: \(error); logind asks polkit for that")
        }
        lockUnlessKept(before: Deadline(after: Self.patience), isBeginning: true)
    }

    private mutating func takeUnlocks() {
        guard let changes = unlocks?.takeChanges() else { return }
        if changes.mayConcern(String(user)) { requests.passwordTyped(at: .now) }
        if changes.isOver { unlocks = nil }
    }

    // MARK: - Whether to lock

    /// Drops the keys where no session of this user is open and not locked.
    ///
    /// - Parameters:
    ///   - deadline: Until when to wait for logind's answers.
    ///   - isBeginning: That nothing has happened that asks for a lock.
    private mutating func lockUnlessKept(before deadline: Deadline, isBeginning: Bool = false) {
        let sessions: [LoginSession]
        do throws(BusError) {
            sessions = try Logind.sessions(of: user, on: bus, before: deadline)
        } catch {
            Log.warning("logind does not tell the sessions: \(error)")
            // Without knowing better, a screen that is locked is the only one.
            if !isBeginning { lock() }
            return
        }
        requests.keepOnly(sessions.map(\.path))
        for session in sessions { isMine[session.path] = true }
        let open = sessions.filter(\.isOpen)
        let unlocked = open.filter { isUnlocked($0) }
        // While nothing is locked, nothing needs to be kept.
        keepers = unlocked.count == open.count ? [] : Set(unlocked.map(\.path))
        if unlocked.isEmpty && !open.isEmpty { lock() }
    }

    /// Whether a session is this user's, or nobody says whose it is.
    private mutating func mayBeMine(_ session: String, before deadline: Deadline) -> Bool {
        if let known = isMine[session] { return known }
        guard let found = look(at: session, before: deadline) else { return true }
        isMine[session] = found.user == user
        return found.user == user
    }

    private func look(at session: String, before deadline: Deadline) -> LoginSession? {
        try? Logind.session(session, on: bus, before: deadline)
    }

    private func isUnlocked(_ session: LoginSession) -> Bool {
        session.isOpen && !session.isLockedByHint && !requests.isLocked(session.path)
    }

    private mutating func lookForPeople() {
        let sessions = try? Logind.sessions(
            of: user, on: bus, before: Deadline(after: Self.patience))
        var unlocked = (sessions ?? []).filter { isUnlocked($0) }
        for index in unlocked.indices where unlocked[index].hasUnknownTerminal {
            unlocked[index].idleSince = unlocked[index].lastInput()
        }
        var now = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &now)
        let microseconds = UInt64(clamping: now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec / 1000)
        if idle?.shallLock(unlocked, now: microseconds) == true { lock() }
    }

    private func lock() {
        do throws(KeyringError) {
            try KernelKeyring.lock()
        } catch {
            Log.warning("the keys cannot be dropped: \(error)")
        }
    }

    // MARK: - Sleeping

    private mutating func updateWatches() {
        if keepers.isEmpty {
            monitor = nil
        } else if monitor == nil {
            monitor = SessionMonitor()
        }
        if requests.isEmpty {
            unlocks = nil
        } else if unlocks == nil {
            unlocks = DirectoryWatch(path: VESTRY_UNLOCK_EVENTS_DIRECTORY)
        }
    }

    private mutating func sleep() {
        var entries = [bus.pollEntry]
        if let descriptor = monitor?.descriptor {
            entries.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        }
        if let descriptor = unlocks?.descriptor.rawValue {
            entries.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        }
        poll(&entries, atMost: idle?.remaining)
        if monitor != nil, entries[1].revents != 0 {
            monitor?.forgetChanges()
            lockUnlessKept(before: Deadline(after: Self.answerTime))
        }
    }
}
