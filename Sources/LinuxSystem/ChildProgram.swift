internal import CLinux
internal import Glibc

/// A program that this process has started, to talk to by its standard input and output.
///
/// It has this process's environment, terminal and process group, and none of its other descriptors.
/// It is gone when the value is: a program that has not ended by itself within a second gets SIGTERM,
/// and after another second SIGKILL. For programs with one thread.
public struct ChildProgram: ~Copyable {
    /// What the program writes to its standard output.
    public let output: FileDescriptor
    private let input: FileDescriptor
    private let process: pid_t
    /// A program that does not read any more is an error of ``write(_:)``, and not the end of this one.
    private let brokenPipe: HeldSignals

    /// Starts a program, without arguments.
    ///
    /// - Parameter name: A file in one of the folders of `PATH`, or a path.
    /// - Throws: `SystemCallError` of signalfd(2), pipe(2) and posix_spawnp(3); ENOENT when there is no
    ///   such program.
    public init(starting name: String) throws(SystemCallError) {
        let brokenPipe = try HeldSignals([SIGPIPE])
        // Where the caller has it ignored, the number of an ended child could be another's already.
        signal(SIGCHLD, SIG_DFL)
        var process: pid_t = 0
        var to: CInt = -1
        var from: CInt = -1
        let error = unsafe vestry_start_program(name, &process, &to, &from)
        guard error == 0 else { throw SystemCallError("posix_spawnp", errno: error) }
        input = FileDescriptor(adopting: to)
        output = FileDescriptor(adopting: from)
        self.process = process
        self.brokenPipe = brokenPipe
    }

    deinit {
        if hasEnded(within: .seconds(1)) { return }
        terminate()
        if hasEnded(within: .seconds(1)) { return }
        kill(process, SIGKILL)
        // One that hangs in the kernel is left to init(1).
        _ = hasEnded(within: .seconds(1))
    }

    /// Writes to the program's standard input.
    ///
    /// - Throws: `SystemCallError` of write(2); EPIPE when the program has closed it.
    public func write(_ bytes: [UInt8]) throws(SystemCallError) {
        do throws(SystemCallError) {
            try input.write(bytes)
        } catch {
            _ = brokenPipe.take()
            throw error
        }
    }

    /// Asks the program to end, by SIGTERM.
    ///
    /// Nobody else takes its status, so that the number is its own until the value is gone.
    public func terminate() {
        kill(process, SIGTERM)
    }

    private func hasEnded(within patience: Duration) -> Bool {
        Deadline(after: patience).retry { () -> Bool? in
            var status: CInt = 0
            let ended = unsafe waitpid(process, &status, WNOHANG)
            return ended == 0 || (ended == -1 && errno == EINTR) ? nil : true
        } ?? false
    }
}
