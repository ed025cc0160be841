internal import CPAM
internal import CUnlockProtocol

/// vestry-session-helper as a child of this process: one request, one reply.
///
/// The host keeps its signal handlers, its children and its descriptors: the child is watched by a
/// process descriptor, so that a host that ignores SIGCHLD or reaps every child by itself can never
/// make the module wait for, or kill, a process that took over the number.
@safe
struct Helper {
    private let number: pid_t
    /// -1 where the kernel gave none (no descriptor free, or a filter of system calls).
    private let process: CInt

    /// Asks, waits, and leaves neither a child nor a copy of the request behind.
    static func ask(
        _ request: consuming SecretRequest, _ verb: vestry_verb, by deadline: Deadline
    ) -> Answer {
        guard let standard = StandardDescriptors() else { return .notStarted(currentError) }
        defer { standard.release() }
        var near: CInt = -1
        var far: CInt = -1
        guard makeChannel(&near, &far) else { return .notStarted(currentError) }
        defer { close(near) }

        var number: pid_t = 0
        let error = start(&number, serving: far)
        close(far)
        guard error == 0 else { return .notStarted(error) }
        let helper = Helper(number: number, process: vestry_open_process(number))
        defer { if helper.process >= 0 { close(helper.process) } }

        let answer = exchange(request, verb, over: near, by: deadline)
        switch answer {
        case .ended:
            guard let signal = helper.end(by: deadline.orSooner(within: 1000)) else {
                return .ended
            }
            return signal == 0 ? .ended : .killed(signal)
        case .late:
            _ = helper.end(by: deadline)
        default:
            // It answered, so that all that it still has to do is leave.
            _ = helper.end(by: deadline.orSooner(within: 1000))
        }
        return answer
    }

    private static func makeChannel(_ near: inout CInt, _ far: inout CInt) -> Bool {
        var pair: (CInt, CInt) = (-1, -1)
        let kind = CInt(truncatingIfNeeded: SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        let result = unsafe withUnsafeMutablePointer(to: &pair) { pointer in
            unsafe pointer.withMemoryRebound(to: CInt.self, capacity: 2) { ends in
                unsafe socketpair(AF_UNIX, kind, 0, ends)
            }
        }
        (near, far) = pair
        return result == 0
    }

    /// Starts the program with one argument, no environment and three descriptors.
    ///
    /// It gets a session of its own: in a host such as su, the keys of the user's terminal must not
    /// stop or end a program that runs as root. The kernel's session keyring stays the host's.
    ///
    /// - Returns: 0 or the error number.
    private static func start(_ number: inout pid_t, serving far: CInt) -> CInt {
        var actions = unsafe posix_spawn_file_actions_t()
        guard unsafe posix_spawn_file_actions_init(&actions) == 0 else { return ENOMEM }
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        var attributes = posix_spawnattr_t()
        guard unsafe posix_spawnattr_init(&attributes) == 0 else { return ENOMEM }
        defer { unsafe posix_spawnattr_destroy(&attributes) }

        guard let nowhere = unsafe cString("/dev/null"),
            unsafe posix_spawn_file_actions_adddup2(&actions, far, STDIN_FILENO) == 0,
            unsafe posix_spawn_file_actions_addopen(
                &actions, STDOUT_FILENO, nowhere, O_WRONLY, 0) == 0,
            unsafe posix_spawn_file_actions_addopen(
                &actions, STDERR_FILENO, nowhere, O_WRONLY, 0) == 0,
            unsafe vestry_spawn_closes_from(&actions, STDERR_FILENO &+ 1) == 0
        else { return ENOMEM }

        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags =
            CShort(truncatingIfNeeded: POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
            | vestry_spawn_setsid
        unsafe posix_spawnattr_setflags(&attributes, flags)

        guard let path = unsafe vestry_helper_path() else { return ENOENT }
        var list: (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?) =
            unsafe (UnsafeMutablePointer(mutating: path), nil)
        return unsafe withUnsafeMutablePointer(to: &list) { pointer in
            unsafe pointer.withMemoryRebound(
                to: UnsafeMutablePointer<CChar>?.self, capacity: 2
            ) { arguments in
                // The end of the arguments is an empty environment.
                unsafe posix_spawn(
                    &number, path, &actions, &attributes, arguments, arguments + 1)
            }
        }
    }

    /// Waits until the child is gone, and kills it at the deadline.
    ///
    /// - Returns: the signal that ended it by itself, 0 after an exit, nil where that is not known.
    private func end(by deadline: Deadline) -> CInt? {
        var signal: CInt = 0
        switch wait(by: deadline, &signal) {
        case VESTRY_CHILD_ENDED: return signal
        case VESTRY_CHILD_RUNS: break
        default: return nil
        }
        // Without a process descriptor the child is left to its own time-out: a number is no proof
        // of whom the signal would hit.
        guard process >= 0 else { return nil }
        vestry_kill_process(process)
        // A child that hangs in the kernel, on a dead file server perhaps, stays behind.
        _ = wait(by: Deadline(secondsFromNow: 1), &signal)
        return nil
    }

    private func wait(by deadline: Deadline, _ signal: inout CInt) -> vestry_child {
        guard process >= 0 else {
            while true {
                let state = unsafe vestry_reap(process, number, &signal)
                guard state == VESTRY_CHILD_RUNS, deadline.remainingMilliseconds > 0 else {
                    return state
                }
                poll(nil, 0, min(10, deadline.remainingMilliseconds))
            }
        }
        _ = deadline.wait(for: process, POLLIN)
        return unsafe vestry_reap(process, number, &signal)
    }
}
