internal import CSystemd
internal import Glibc
internal import LinuxSystem

/// logind, as far as it matters here (org.freedesktop.login1(5)).
enum Logind {
    static let name = "org.freedesktop.login1"
    private static let managerPath = "/org/freedesktop/login1"
    private static let manager = name + ".Manager"
    private static let session = name + ".Session"
    private static let properties = "org.freedesktop.DBus.Properties"

    /// Which signals the watcher lives by.
    ///
    /// None of them is sent while nothing happens.
    static let rules =
        ["PrepareForSleep", "SessionNew", "SessionRemoved"].map {
            "type='signal',sender='\(name)',path='\(managerPath)',interface='\(manager)',"
                + "member='\($0)'"
        }
        + ["Lock", "Unlock"].map {
            "type='signal',sender='\(name)',interface='\(session)',member='\($0)'"
        } + [
            "type='signal',sender='\(name)',interface='\(properties)',"
                + "member='PropertiesChanged',arg0='\(session)'",
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
                + "member='NameOwnerChanged',arg0='\(name)'",
        ]

    /// What has happened; sessions are named by the paths of their objects.
    enum Event: Equatable {
        case lock(String)
        case unlock(String)
        /// The screen locker says whether the screen is locked.
        case lockedHint(String, Bool)
        case opened(String)
        case removed(String)
        case sleepBegins
        case sleepIsOver
        case logindStarted
        case logindEnded
    }

    /// Reads a signal.
    ///
    /// - Returns: Nil for one that says nothing to the watcher.
    /// - Throws: `BusError.malformed`.
    static func event(_ message: BusMessage) throws(BusError) -> Event? {
        switch (message.interface, message.member) {
        case (session, "Lock"): return .lock(message.path)
        case (session, "Unlock"): return .unlock(message.path)
        case (manager, "SessionNew"):
            try message.skip("s")
            return .opened(try message.string("o"))
        case (manager, "SessionRemoved"):
            try message.skip("s")
            return .removed(try message.string("o"))
        case (manager, "PrepareForSleep"):
            return try message.bool() ? .sleepBegins : .sleepIsOver
        case (properties, "PropertiesChanged"):
            return try lockedHint(message)
        case ("org.freedesktop.DBus", "NameOwnerChanged"):
            guard try message.string() == name else { return nil }
            try message.skip("s")
            return try message.string().isEmpty ? .logindEnded : .logindStarted
        default: return nil
        }
    }

    private static func lockedHint(_ message: BusMessage) throws(BusError) -> Event? {
        guard try message.string() == session else { return nil }
        var isLocked: Bool?
        try message.forEachProperty { (name) throws(BusError) in
            guard name == "LockedHint" else { return false }
            isLocked = try message.variant("b") { () throws(BusError) in try message.bool() }
            return true
        }
        return isLocked.map { .lockedHint(message.path, $0) }
    }

    /// The sessions of a user, whatever their state is.
    ///
    /// - Throws: `BusError`; also when the deadline has passed first.
    static func sessions(
        of user: uid_t, on bus: borrowing SystemBus, before deadline: Deadline
    ) throws(BusError) -> [LoginSession] {
        let list = try bus.call(
            BusMethod(name, managerPath, manager, "ListSessions"), timeout: deadline.remaining)
        var paths: [String] = []
        try list.forEach("(susso)") { () throws(BusError) in
            try list.inside("r", "susso") { () throws(BusError) in
                try list.skip("s")
                let owner = try list.number32()
                try list.skip("ss")
                let path = try list.string("o")
                if owner == user { paths.append(path) }
            }
        }
        var sessions: [LoginSession] = []
        for path in paths {
            if let session = try Self.session(path, on: bus, before: deadline) {
                sessions.append(session)
            }
        }
        return sessions
    }

    /// One session.
    ///
    /// - Returns: Nil when it has ended.
    /// - Throws: `BusError`; also when the deadline has passed first.
    static func session(
        _ path: String, on bus: borrowing SystemBus, before deadline: Deadline
    ) throws(BusError) -> LoginSession? {
        guard !deadline.hasPassed else { throw .timedOut }
        let answer: BusMessage
        do throws(BusError) {
            answer = try bus.call(
                BusMethod(name, path, properties, "GetAll"), [session],
                timeout: deadline.remaining)
        } catch .noObject {
            return nil
        }
        var session = LoginSession(path: path)
        try answer.forEachProperty { (name) throws(BusError) in
            switch name {
            case "User":
                session.user = try answer.variant("(uo)") { () throws(BusError) in
                    try answer.inside("r", "uo") { () throws(BusError) in
                        let user = try answer.number32()
                        try answer.skip("o")
                        return user
                    }
                }
            case "Class": session.sessionClass = try text(answer)
            case "State": session.state = try text(answer)
            case "Type": session.type = try text(answer)
            case "Id": session.identifier = try text(answer)
            case "LockedHint": session.isLockedByHint = try flag(answer)
            case "IdleHint": session.isIdleByHint = try flag(answer)
            case "IdleSinceHint":
                session.idleSince = try answer.variant("t") { () throws(BusError) in
                    try answer.number64()
                }
            default: return false
            }
            return true
        }
        return session
    }

    private static func text(_ message: BusMessage) throws(BusError) -> String {
        try message.variant("s") { () throws(BusError) in try message.string() }
    }

    private static func flag(_ message: BusMessage) throws(BusError) -> Bool {
        try message.variant("b") { () throws(BusError) in try message.bool() }
    }

    /// Makes logind wait, before the machine sleeps, until the descriptor is closed.
    ///
    /// - Returns: The descriptor.
    /// - Throws: `BusError`: without polkit, logind gives this to root alone.
    static func delaySleep(on bus: borrowing SystemBus) throws(BusError) -> FileDescriptor {
        try bus.call(
            BusMethod(name, managerPath, manager, "Inhibit"),
            ["sleep", "Vestry", "drops the keys of the when-unlocked items", "delay"],
            timeout: .seconds(5)
        ).descriptor()
    }
}

/// Becomes readable when a session of anybody begins, changes its state or ends (sd-login(3)).
///
/// logind sends no signal when a session whose login has ended stays behind with its processes.
@safe
struct SessionMonitor: ~Copyable {
    private let monitor: OpaquePointer

    init?() {
        var made: OpaquePointer?
        guard unsafe sd_login_monitor_new("session", &made) >= 0, let made = unsafe made else {
            return nil
        }
        unsafe monitor = made
    }

    deinit { unsafe sd_login_monitor_unref(monitor) }

    var descriptor: CInt { unsafe sd_login_monitor_get_fd(monitor) }

    func forgetChanges() { unsafe sd_login_monitor_flush(monitor) }
}
