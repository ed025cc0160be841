internal import CLinux
internal import Glibc

/// A program that runs by itself and prints something, such as gpg(1).
///
/// It has this process's environment, terminal and process group, no input, and none of its other
/// descriptors.
public struct RunningProgram: ~Copyable {
    /// What the program writes to its standard output.
    public let output: FileDescriptor
    private let process: pid_t

    /// Starts a program.
    ///
    /// - Parameter arguments: At first its name: a file in one of the folders of `PATH`, or a path.
    /// - Throws: `SystemCallError` of pipe(2) and posix_spawnp(3); ENOENT when there is no such program.
    public init(_ arguments: [String]) throws(SystemCallError) {
        // Where the caller has it ignored, the status of an ended child would be lost.
        signal(SIGCHLD, SIG_DFL)
        var process: pid_t = 0
        var from: CInt = -1
        var copies = unsafe arguments.map { unsafe strdup($0) }
        unsafe copies.append(nil)
        defer { unsafe copies.forEach { unsafe free($0) } }
        let error = unsafe vestry_run_program(copies, &process, &from)
        guard error == 0 else { throw SystemCallError("posix_spawnp", errno: error) }
        output = FileDescriptor(adopting: from)
        self.process = process
    }

    /// Waits for the end of the program, whose output has been read.
    ///
    /// - Returns: Whether it ended with status 0.
    public consuming func hasSucceeded() -> Bool {
        var status: CInt = 0
        while unsafe waitpid(process, &status, 0) == -1 {
            guard errno == EINTR else { return false }
        }
        return status == 0
    }
}
