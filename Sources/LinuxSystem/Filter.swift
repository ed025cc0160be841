internal import CLinux
internal import Glibc

/// A program that makes its output of its input, as systemd-creds(1) does, for root: it gets no
/// environment, this process's rights, and none of its descriptors.
public enum Filter {
    /// Input has room in a pipe, so that no program can keep its starter waiting by not reading.
    public static let inputByteLimit = 16_384

    /// Runs a program to its end, and ends it at the deadline.
    ///
    /// For programs with one thread.
    ///
    /// - Parameters:
    ///   - arguments: At first the program's path.
    ///   - input: What it reads, at most ``inputByteLimit`` bytes.
    ///   - output: Where its output goes; more than has room is an error.
    ///   - deadline: Until when it must have ended.
    /// - Returns: The exit status, or nil for a program that a signal has ended, and how many bytes of
    ///   output there are.
    /// - Throws: `SystemCallError` of posix_spawn(3): ENOENT when there is no such program; ETIMEDOUT at
    ///   the deadline; EFBIG for too much input or output.
    public static func run(
        _ arguments: [String], input: Span<UInt8>, output: inout MutableSpan<UInt8>,
        before deadline: Deadline
    ) throws(SystemCallError) -> (status: CInt?, byteCount: Int) {
        guard input.count <= inputByteLimit else { throw SystemCallError("write", errno: EFBIG) }
        // A program that does not read is no reason to die.
        let brokenPipe = try HeldSignals([SIGPIPE])
        // Where the caller has it ignored, the status of an ended child would be lost.
        signal(SIGCHLD, SIG_DFL)
        var process: pid_t = 0
        var to: CInt = -1
        var from: CInt = -1
        var copies = unsafe arguments.map { unsafe strdup($0) }
        unsafe copies.append(nil)
        defer { unsafe copies.forEach { unsafe free($0) } }
        let error = unsafe vestry_start_filter(copies, &process, &to, &from)
        guard error == 0 else { throw SystemCallError("posix_spawn", errno: error) }
        var child = Child(process: process)
        let results = FileDescriptor(adopting: from)
        do {
            let feed = FileDescriptor(adopting: to)
            // What it has to say comes by its status.
            do throws(SystemCallError) { try feed.write(input) } catch { _ = brokenPipe.take() }
        }
        let count = try read(results, into: &output, before: deadline)
        return (try child.status(before: deadline), count)
    }

    private static func read(
        _ results: borrowing FileDescriptor, into output: inout MutableSpan<UInt8>,
        before deadline: Deadline
    ) throws(SystemCallError) -> Int {
        var count = 0
        var excess: UInt8 = 0
        while true {
            var ready = pollfd(fd: results.rawValue, events: Int16(POLLIN), revents: 0)
            let rest = deadline.remaining.components
            let milliseconds = rest.seconds * 1000 + rest.attoseconds / 1_000_000_000_000_000
            let polled = unsafe poll(&ready, 1, CInt(min(60_000, milliseconds)))
            if polled == -1 && errno == EINTR { continue }
            guard polled > 0 else { throw SystemCallError("poll", errno: ETIMEDOUT) }
            let isFull = count == output.count
            let got =
                isFull
                ? unsafe Glibc.read(results.rawValue, &excess, 1)
                : unsafe output.withUnsafeMutableBytes {
                    unsafe Glibc.read(
                        results.rawValue, $0.baseAddress.map { unsafe $0 + count },
                        $0.count - count)
                }
            if got == -1 && errno == EINTR { continue }
            guard got >= 0 else { throw SystemCallError(last: "read") }
            if got == 0 { return count }
            guard !isFull else { throw SystemCallError("read", errno: EFBIG) }
            count += got
        }
    }

    /// A process that does not outlive this value.
    private struct Child: ~Copyable {
        let process: pid_t
        private var hasEnded = false

        init(process: pid_t) { self.process = process }

        deinit {
            if hasEnded { return }
            kill(process, SIGKILL)
            while waitpid(process, nil, 0) == -1 && errno == EINTR {}
        }

        mutating func status(before deadline: Deadline) throws(SystemCallError) -> CInt? {
            let ended = deadline.retry { () -> CInt? in
                var status: CInt = 0
                return unsafe waitpid(process, &status, WNOHANG) == process ? status : nil
            }
            guard let ended else { throw SystemCallError("waitpid", errno: ETIMEDOUT) }
            hasEnded = true
            // WIFEXITED and WEXITSTATUS are macros (waitpid(2)).
            return ended & 0x7F == 0 ? ended >> 8 & 0xFF : nil
        }
    }
}
