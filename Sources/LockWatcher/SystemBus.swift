internal import CSystemd
internal import Glibc
internal import LinuxSystem

/// Why the bus gave no answer.
enum BusError: Error, Equatable {
    /// There is no bus, or no more.
    case notConnected
    /// Nobody on the bus has the name that was called, and nobody can be started for it.
    case noService
    /// The object that was called is not there.
    case noObject
    /// No answer came in time.
    case timedOut
    case system(call: String, errno: CInt)
    /// The answer was an error; its name, as in D-Bus's specification.
    case answer(name: String)
    /// The message has another form than was expected.
    case malformed

    /// - Parameters:
    ///   - call: The function of sd-bus.
    ///   - status: What it returned, which is negative.
    init(_ call: String, _ status: CInt) {
        switch -status {
        case ENOTCONN, ECONNRESET, EPIPE, ENOENT, ECONNREFUSED: self = .notConnected
        case ETIMEDOUT: self = .timedOut
        case ENXIO, EBADMSG, EINVAL: self = .malformed
        default: self = .system(call: call, errno: -status)
        }
    }
}

extension BusError {
    /// - Parameters:
    ///   - name: The name of an error that came as an answer, or that sd-bus made of its own.
    ///   - status: What sd_bus_call(3) returned, which is negative.
    init(named name: String, _ status: CInt) {
        switch name {
        case "org.freedesktop.DBus.Error.ServiceUnknown",
            "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.systemd1.NoSuchUnit":
            self = .noService
        case let name where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."):
            self = .noService
        case "org.freedesktop.DBus.Error.UnknownObject": self = .noObject
        case "org.freedesktop.DBus.Error.Timeout", "org.freedesktop.DBus.Error.NoReply":
            self = .timedOut
        case "org.freedesktop.DBus.Error.Disconnected": self = .notConnected
        case let name where name.hasPrefix("System.Error."): self.init("sd_bus_call", status)
        default: self = .answer(name: name)
        }
    }
}

extension BusError: CustomStringConvertible {
    var description: String {
        switch self {
        case .notConnected: "no connection to the system bus"
        case .noService: "nobody has this name on the system bus"
        case .noObject: "no such object"
        case .timedOut: "no answer in time"
        case .system(let call, let errno): "\(SystemCallError(call, errno: errno))"
        case .answer(let name): name
        case .malformed: "an answer of another form than expected"
        }
    }
}

/// A connection to the system bus (sd-bus(3)).
///
/// Every use of sd-bus is in this file and in ``BusMessage``.
@safe
struct SystemBus: ~Copyable {
    private let bus: OpaquePointer

    /// Connects to the bus at `DBUS_SYSTEM_BUS_ADDRESS`, or at the usual place.
    ///
    /// - Throws: `BusError.notConnected` when nobody listens there.
    init() throws(BusError) {
        var opened: OpaquePointer?
        let status = unsafe sd_bus_open_system(&opened)
        guard status >= 0, let opened = unsafe opened else {
            throw BusError("sd_bus_open_system", status)
        }
        unsafe bus = opened
    }

    deinit { unsafe sd_bus_flush_close_unref(bus) }

    /// Asks for the signals that a rule describes, as D-Bus's specification has match rules.
    ///
    /// - Throws: `BusError`.
    func subscribe(_ rule: String) throws(BusError) {
        _ = try call(
            BusMethod(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch"),
            [rule], timeout: .seconds(5))
    }

    /// Calls a method whose arguments are texts, and waits for its answer.
    ///
    /// - Returns: The answer.
    /// - Throws: `BusError`.
    func call(
        _ method: BusMethod, _ arguments: [String] = [], timeout: Duration
    ) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        let status = unsafe sd_bus_message_new_method_call(
            bus, &made, method.service, method.path, method.interface, method.member)
        guard status >= 0, let made = unsafe made else {
            throw BusError("sd_bus_message_new_method_call", status)
        }
        defer { unsafe sd_bus_message_unref(made) }
        for argument in arguments {
            let status = unsafe argument.withCString {
                unsafe sd_bus_message_append_basic(made, CChar(UInt8(ascii: "s")), $0)
            }
            guard status >= 0 else { throw BusError("sd_bus_message_append_basic", status) }
        }
        var error = unsafe sd_bus_error()
        defer { unsafe sd_bus_error_free(&error) }
        var reply: OpaquePointer?
        // 0 would stand for the default of 25 seconds.
        let microseconds = UInt64(max(1, timeout / .microseconds(1)))
        let called = unsafe sd_bus_call(bus, made, microseconds, &error, &reply)
        if called >= 0, let reply = unsafe reply { return unsafe BusMessage(adopting: reply) }
        guard let name = unsafe error.name.map({ unsafe String(cString: $0) }) else {
            throw BusError("sd_bus_call", called)
        }
        throw BusError(named: name, called)
    }

    /// Takes the next message that has come, without waiting for one.
    ///
    /// - Returns: The message, or nil when there is none.
    /// - Throws: `BusError`.
    func next() throws(BusError) -> BusMessage? {
        while true {
            var message: OpaquePointer?
            let status = unsafe sd_bus_process(bus, &message)
            guard status >= 0 else { throw BusError("sd_bus_process", status) }
            if let message = unsafe message { return unsafe BusMessage(adopting: message) }
            if status == 0 { return nil }
        }
    }

    /// Whether ``next()`` has something to say without waiting: a message that came while an answer
    /// was waited for, or that the connection is lost.
    var hasMore: Bool {
        var microseconds = UInt64.max
        let status = unsafe sd_bus_get_timeout(bus, &microseconds)
        return status < 0 || (status > 0 && microseconds == 0)
    }

    /// What poll(2) shall wait for until ``next()`` has more to do.
    var pollEntry: pollfd {
        let events = unsafe sd_bus_get_events(bus)
        return unsafe pollfd(
            fd: sd_bus_get_fd(bus), events: Int16(truncatingIfNeeded: max(0, events)), revents: 0)
    }
}

/// A method of an object on the bus.
struct BusMethod {
    let service: String
    let path: String
    let interface: String
    let member: String

    init(_ service: String, _ path: String, _ interface: String, _ member: String) {
        self.service = service
        self.path = path
        self.interface = interface
        self.member = member
    }
}

/// What the service manager is told about this program (sd_notify(3)).
enum ServiceManager {
    static func notifyReady(_ status: String) {
        unsafe sd_notify(0, "READY=1\nSTATUS=\(status)")
    }
}
