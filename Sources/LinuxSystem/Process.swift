internal import CLinux
internal import Glibc

/// What a process says about itself to the kernel.
public enum ThisProcess {
    /// Leaves nothing of this process's memory to others: no core file, and no attaching or reading
    /// by other processes of the same user.
    ///
    /// - Throws: `SystemCallError` of prctl(2) or setrlimit(2).
    public static func hideMemory() throws(SystemCallError) {
        guard vestry_set_not_dumpable() == 0 else { throw SystemCallError(last: "prctl") }
        guard vestry_forbid_core_dumps() == 0 else { throw SystemCallError(last: "setrlimit") }
    }

    /// Has ordinary memory overwritten from now on, the moment it is given back: by glibc (mallopt(3),
    /// M_PERTURB).
    ///
    /// For commands that read secrets out of other programs' formats, or write them in such: on their way
    /// they pass through arrays and texts. What is still in use, and what stands on the stack, is not
    /// overwritten by this; and it costs a write of each byte that is freed.
    public static func overwriteFreedMemory() {
        vestry_overwrite_freed_memory()
    }

    /// Lifts the limits on memory, locked memory and file size that a host program may have set, as
    /// far as this process is allowed to.
    public static func liftLimits() {
        vestry_lift_resource_limits()
    }

    /// The bytes of main memory of this machine.
    public static var physicalMemory: Int {
        max(0, sysconf(CInt(_SC_PHYS_PAGES))) * max(0, sysconf(CInt(_SC_PAGESIZE)))
    }

    /// How many processors are online, at least 1.
    public static var processorCount: Int {
        max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
    }
}

/// A line for the administrator, to the authpriv facility of the system's log.
public enum SystemLog {
    public enum Priority: CInt {
        case warning = 4
        case info = 6
    }

    /// Writes one line.
    ///
    /// - Parameters:
    ///   - priority: As syslog(3) has them.
    ///   - line: Never a secret, and nothing from which its size could be told.
    public static func write(_ priority: Priority, _ line: String) {
        unsafe vestry_log(priority.rawValue, line)
    }
}
