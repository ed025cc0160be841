internal import Glibc
internal import LinuxSystem

extension LoginSession {
    /// When somebody last typed on a terminal of this session, in microseconds since 1970.
    ///
    /// For a session on a terminal that logind was not told of: the sshd of Debian 13 has none yet when
    /// it opens the session.
    ///
    /// - Returns: 0 where no process of the session has a pseudo-terminal, or none can be seen.
    func lastInput() -> UInt64 {
        guard
            let folder = try? FileDescriptor(
                opening: "/proc", in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY),
            let names = try? folder.entryNames()
        else { return 0 }
        var terminals: Set<UInt32> = []
        for name in names {
            guard let number = pid_t(name), let process = ProcessIdentity(running: number),
                let terminal = process.pseudoTerminal,
                process.loginSession(of: user) == identifier
            else { continue }
            terminals.insert(terminal)
        }
        return terminals.map(Self.lastInput).max() ?? 0
    }

    /// The kernel notes the reading of input as the access to the terminal, to within eight seconds.
    private static func lastInput(terminal: UInt32) -> UInt64 {
        var status = stat()
        guard unsafe stat("/dev/pts/\(terminal)", &status) == 0 else { return 0 }
        return UInt64(clamping: status.st_atim.tv_sec) * 1_000_000
            + UInt64(clamping: status.st_atim.tv_nsec / 1000)
    }
}
