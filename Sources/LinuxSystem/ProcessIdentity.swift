public import Glibc

/// A process, told from a later one of the same number by its start.
public struct ProcessIdentity: Equatable, Sendable {
    public let number: pid_t
    /// When it started, in clock ticks after boot (proc_pid_stat(5), field 22).
    public let startTicks: UInt64

    public init(number: pid_t, startTicks: UInt64) {
        self.number = number
        self.startTicks = startTicks
    }

    /// The process that has this number now; nil where none runs.
    public init?(running number: pid_t) {
        guard number > 0, let bytes = Self.read("stat", of: number, limit: 4096),
            let startTicks = Self.startTicks(inStatus: bytes)
        else { return nil }
        self.init(number: number, startTicks: startTicks)
    }

    /// Whether it has not ended yet.
    public var isRunning: Bool { ProcessIdentity(running: number) == self }

    /// The name of its program, cut by the kernel to 15 bytes; whoever started it may have chosen it.
    ///
    /// Nil when it has ended.
    public var programName: String? {
        guard let bytes = Self.read("comm", of: number, limit: 256), isRunning else { return nil }
        return String(
            decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...],
            as: UTF8.self)
    }

    /// The login session of a user that it is in, by logind's name; nil when it is in none, or in
    /// another user's, or has ended.
    public func loginSession(of user: uid_t) -> String? {
        guard let bytes = Self.read("cgroup", of: number, limit: 65_536), isRunning else {
            return nil
        }
        return Self.loginSession(
            of: user, inControlGroups: String(decoding: bytes, as: UTF8.self))
    }

    /// What stands for ID in a path of `/proc/PID/cgroup` (cgroups(7)) that ends in
    /// `user-UID.slice/session-ID.scope`, as pam_systemd(8) places the program that opens a session, and
    /// with it all that it starts.
    static func loginSession(of user: uid_t, inControlGroups text: String) -> String? {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "/").suffix(2)
            guard parts.count == 2, parts.first == "user-\(user).slice", let scope = parts.last,
                scope.hasPrefix("session-"), scope.hasSuffix(".scope")
            else { continue }
            let identifier = scope.dropFirst("session-".count).dropLast(".scope".count)
            if !identifier.isEmpty { return String(identifier) }
        }
        return nil
    }

    /// The pseudo-terminal that controls it, as the number of its device below `/dev/pts`; nil for
    /// another terminal, for none, and when it has ended.
    public var pseudoTerminal: UInt32? {
        guard let bytes = Self.read("stat", of: number, limit: 4096), isRunning else { return nil }
        return Self.pseudoTerminal(inStatus: bytes)
    }

    static func pseudoTerminal(inStatus bytes: [UInt8]) -> UInt32? {
        // Signed, and one number for major and minor (proc_pid_stat(5)); the major one is of
        // pseudo-terminals by Documentation/admin-guide/devices.txt of the kernel.
        guard let device = field(7, inStatus: bytes, as: Int32.self) else { return nil }
        let bits = UInt32(bitPattern: device)
        guard bits >> 8 & 0xfff == 136 else { return nil }
        return bits & 0xff | bits >> 12 & 0xfff00
    }

    /// Its start; nil for what is no line of a running process.
    static func startTicks(inStatus bytes: [UInt8]) -> UInt64? {
        field(22, inStatus: bytes, as: UInt64.self)
    }

    /// A field, from the third on, of the line of `/proc/PID/stat`; nil for a process that has ended
    /// and is only waited for, and for anything that is not such a line.
    private static func field<Number: FixedWidthInteger>(
        _ number: Int, inStatus bytes: [UInt8], as type: Number.Type
    ) -> Number? {
        // The second field is the program's name in parentheses, and can hold any byte, these too.
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
        // Behind it stand the third field, the state, and the others.
        guard fields.count > number - 3, let state = fields.first,
            !state.elementsEqual([UInt8(ascii: "Z")]), !state.elementsEqual([UInt8(ascii: "X")])
        else { return nil }
        return Number(String(decoding: fields[number - 3], as: UTF8.self))
    }

    private static func read(_ name: String, of number: pid_t, limit: Int) -> [UInt8]? {
        do throws(SystemCallError) {
            let file = try FileDescriptor(
                opening: "/proc/\(number)/\(name)", in: AT_FDCWD, flags: O_RDONLY)
            return try file.readAll(limit: limit)
        } catch {
            return nil
        }
    }
}
