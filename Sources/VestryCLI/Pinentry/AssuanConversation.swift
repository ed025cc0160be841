internal import Glibc
internal import LinuxSystem
internal import SecureMemory

/// Commands to a program and its answers, one after the other.
struct AssuanConversation: ~Copyable {
    private let program: ChildProgram

    /// Starts a program.
    ///
    /// - Parameter name: Found by `PATH`.
    /// - Throws: `SystemCallError`; ENOENT when there is no such program.
    init(starting name: String) throws(SystemCallError) {
        program = try ChildProgram(starting: name)
    }

    /// Sends a command.
    ///
    /// - Parameter line: With its end.
    /// - Throws: ``AssuanError/ended`` when nobody reads it.
    func send(_ line: [UInt8]) throws(AssuanError) {
        do throws(SystemCallError) {
            try program.write(line)
        } catch {
            throw error.errno == EPIPE ? .ended : .system(error)
        }
    }

    /// Waits for an answer.
    ///
    /// - Parameters:
    ///   - deadline: Until when; nil for an answer that a person has to give.
    ///   - signals: Those that end the waiting.
    /// - Returns: The data of the answer; empty where it is done without.
    /// - Throws: ``AssuanError``.
    func receive(
        by deadline: Deadline?, holding signals: borrowing HeldSignals
    ) throws(AssuanError) -> SecretBytes {
        let answer = try SecretBytes(
            capacity: AssuanAnswer.byteLimit,
            filledBy: { (bytes) throws(AssuanError) in
                try fill(&bytes, by: deadline, holding: signals)
            })
        return try AssuanAnswer.data(of: answer)
    }

    /// Tells the program to end, whatever it is doing.
    func breakOff() {
        program.terminate()
    }

    private func fill(
        _ bytes: inout MutableSpan<UInt8>, by deadline: Deadline?,
        holding signals: borrowing HeldSignals
    ) throws(AssuanError) -> Int {
        var filled = 0
        while filled < bytes.count {
            try wait(by: deadline, holding: signals)
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe read(
                    program.output.rawValue, $0.baseAddress.map { unsafe $0 + filled },
                    $0.count - filled)
            }
            if count == -1 && errno == EINTR { continue }
            guard count >= 0 else { throw .system(SystemCallError("read", errno: errno)) }
            guard count > 0 else { throw .ended }
            filled += count
            if try AssuanAnswer.isComplete(bytes.span.extracting(..<filled)) { return filled }
        }
        throw .malformed
    }

    /// Waits for output, or for its end.
    private func wait(
        by deadline: Deadline?, holding signals: borrowing HeldSignals
    ) throws(AssuanError) {
        while true {
            var entries = [
                pollfd(fd: program.output.rawValue, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals.descriptor.rawValue, events: Int16(POLLIN), revents: 0),
            ]
            guard deadline?.hasPassed != true else { throw .timedOut }
            poll(&entries, atMost: deadline?.remaining)
            // First, because the same key that sends it can have ended the program too.
            if let signal = signals.take() { throw .signal(signal) }
            if entries[0].revents != 0 { return }
        }
    }
}
