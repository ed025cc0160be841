import Glibc
import Testing

@testable import LockWatcher

@Suite struct BusErrorTests {
    /// What the names say decides whether the watcher ends for good, ends with a failure, or tries again.
    @Test(
        arguments: [
            ("org.freedesktop.DBus.Error.ServiceUnknown", EHOSTUNREACH, .noService),
            ("org.freedesktop.DBus.Error.NameHasNoOwner", ENXIO, .noService),
            ("org.freedesktop.DBus.Error.Spawn.ChildExited", EIO, .noService),
            ("org.freedesktop.systemd1.NoSuchUnit", ENOENT, .noService),
            ("org.freedesktop.DBus.Error.UnknownObject", EBADR, .noObject),
            ("org.freedesktop.DBus.Error.Timeout", ETIMEDOUT, .timedOut),
            ("org.freedesktop.DBus.Error.NoReply", ETIMEDOUT, .timedOut),
            ("System.Error.ECONNRESET", ECONNRESET, .notConnected),
            ("System.Error.ENOTCONN", ENOTCONN, .notConnected),
            ("System.Error.EPIPE", EPIPE, .notConnected),
            ("System.Error.ENOBUFS", ENOBUFS, .system(call: "sd_bus_call", errno: ENOBUFS)),
            (
                "org.freedesktop.DBus.Error.AccessDenied", EACCES,
                .answer(name: "org.freedesktop.DBus.Error.AccessDenied")
            ),
        ] as [(String, CInt, BusError)])
    func anErrorsNameIsUnderstood(_ name: String, errno: CInt, meaning: BusError) {
        #expect(BusError(named: name, -errno) == meaning)
        #expect(!"\(meaning)".isEmpty)
    }

    @Test(
        arguments: [
            (ENOENT, .notConnected), (ECONNREFUSED, .notConnected), (ECONNRESET, .notConnected),
            (ENXIO, .malformed), (EBADMSG, .malformed), (ETIMEDOUT, .timedOut),
            (EMFILE, .system(call: "open", errno: EMFILE)),
        ] as [(CInt, BusError)])
    func aFailedCallIsUnderstood(_ errno: CInt, meaning: BusError) {
        #expect(BusError("open", -errno) == meaning)
    }
}
