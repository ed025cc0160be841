internal import CLinux

/// The use of what a child of fork(2) cannot have in the middle of work.
///
/// As long as there is one, a fork by another thread waits, at most for a second.
public struct ForkSensitiveUse: ~Copyable {
    /// - Throws: `SystemCallError` with `ECANCELED` in a process that was forked in the middle of
    ///   such a use: only execve(2) helps it.
    public init() throws(SystemCallError) {
        let error = vestry_use_begin()
        guard error == 0 else { throw SystemCallError("fork", errno: error) }
    }

    deinit { vestry_use_end() }
}

/// Tells a process from the one that it was forked from.
public struct ForkGeneration: Equatable, Sendable {
    private let number: Int32

    /// That of this process, without a system call.
    public static var current: ForkGeneration { ForkGeneration(number: vestry_fork_generation()) }
}

/// The turn of one thread among those of its process that want to write.
public struct ProcessTurn: ~Copyable {
    /// - Parameter milliseconds: How long it waits.
    /// - Returns: Nil when it was not this thread's turn in that time.
    public static func wait(milliseconds: Int64) -> ProcessTurn? {
        vestry_turn_begin(milliseconds) == 0 ? ProcessTurn() : nil
    }

    private init() {}

    deinit { vestry_turn_end() }
}
