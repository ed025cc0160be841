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

    /// Its control groups as `/proc/PID/cgroup` lists them (cgroups(7)); nil when it has ended.
    public var controlGroups: String? {
        guard let bytes = Self.read("cgroup", of: number, limit: 65_536), isRunning else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The start in the line of `/proc/PID/stat`; nil for a process that has ended and is only waited
    /// for, and for anything that is not such a line.
    static func startTicks(inStatus bytes: [UInt8]) -> UInt64? {
        // The second field is the program's name in parentheses, and can hold any byte, these too.
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
        // Behind it stand the third field, the state, and the others.
        guard fields.count > 22 - 3, let state = fields.first,
            !state.elementsEqual([UInt8(ascii: "Z")]), !state.elementsEqual([UInt8(ascii: "X")])
        else { return nil }
        return UInt64(String(decoding: fields[22 - 3], as: UTF8.self))
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
