public import Glibc

/// What root notes of one login session, for those who ask which there are.
///
/// Each is a file of root's in `/run/vestry/sessions`, gone at the next boot. It counts as long as the
/// session's host runs, the process that opened the session:
///
///     name      UID.PID.TICKS    decimal: the user, the host, and the host's start in clock ticks
///     contents  "password\n"     a password came with the session
///               "no password\n"  none did
///     modified                   when the session was opened
///
/// Anything else is no record, such as the empty file of a session that is not open yet.
public struct SessionRecord: Equatable, Sendable {
    /// More than any contents have.
    public static let byteLimit = 64

    public let user: uid_t
    public let host: ProcessIdentity

    public init(user: uid_t, host: ProcessIdentity) {
        self.user = user
        self.host = host
    }

    /// Takes a file's name apart; nil unless it is exactly as ``name`` writes it.
    public init?(name: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let user = uid_t(parts[0]), let number = pid_t(parts[1]),
            let startTicks = UInt64(parts[2])
        else { return nil }
        self.init(user: user, host: ProcessIdentity(number: number, startTicks: startTicks))
        guard number > 0, self.name == name else { return nil }
    }

    /// The name of the file.
    public var name: String { "\(user).\(host.number).\(host.startTicks)" }

    /// The bytes of the file.
    public static func contents(hasPassword: Bool) -> [UInt8] {
        Array((hasPassword ? "password\n" : "no password\n").utf8)
    }

    /// What the bytes of a file say; nil for anything else.
    public static func hasPassword(in contents: [UInt8]) -> Bool? {
        [true, false].first { Self.contents(hasPassword: $0) == contents }
    }
}
