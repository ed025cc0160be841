internal import Glibc
internal import LinuxSystem
internal import SecureMemory

/// The terminal of the person who runs the command, for questions.
struct Terminal: ~Copyable {
    /// What a terminal gives as one line, less its end (termios(3), canonical mode).
    static let lineLimit = 4095

    private let descriptor: FileDescriptor

    /// Opens the controlling terminal; nil when there is none, as in cron.
    ///
    /// Not standard input and output: those can be a file and a pipe while a person is there.
    init?() {
        let opened = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard opened != -1 else { return nil }
        descriptor = FileDescriptor(adopting: opened)
    }

    /// Asks for one line, without showing it unless told otherwise.
    ///
    /// The terminal is put back as it was on every way out, also when a signal ends or stops the
    /// program meanwhile.
    ///
    /// - Parameters:
    ///   - prompt: Shown as it is.
    ///   - isShown: Whether the answer is no secret.
    /// - Returns: The line without its end; at most ``lineLimit`` - 1 bytes.
    /// - Throws: `Failure`: cancelled by Ctrl-C or an empty Ctrl-D; too long; or no terminal.
    func ask(_ prompt: String, isShown: Bool = false) throws(Failure) -> SecretBytes {
        while true {
            switch try askOnce(prompt, isShown) {
            case .line(let line):
                return line
            case .signal(SIGINT):
                throw Failure(.cancelled, "cancelled", hint: "nothing was changed")
            case .signal(SIGTSTP):
                // Stops here, and asks again when the shell lets it go on.
                raise(SIGTSTP)
            case .signal(let signal):
                // The default action ends the program, with the status that the sender expects.
                raise(signal)
                throw Failure(.cancelled, "cancelled by a signal", hint: "nothing was changed")
            }
        }
    }

    /// Shows a secret that is to be written down, and nothing keeps a copy of it here.
    func show(_ secret: borrowing SecretBytes) throws(Failure) {
        do throws(SystemCallError) {
            try secret.withBytes { (bytes) throws(SystemCallError) in try descriptor.write(bytes) }
        } catch {
            throw Failure(.failure, "terminal: \(error)", hint: "use a file instead")
        }
    }

    /// How the terminal is set up; nil when it does not say.
    var settings: termios? {
        var settings = termios()
        return unsafe tcgetattr(descriptor.rawValue, &settings) == 0 ? settings : nil
    }

    /// Sets the terminal up again as it was, where this job has it and somebody has changed it.
    ///
    /// Behind a window, another job can have the terminal meanwhile, set up as that one needs it.
    func restore(_ previous: termios) {
        guard tcgetpgrp(descriptor.rawValue) == getpgrp(), let now = settings,
            now.c_lflag != previous.c_lflag || now.c_iflag != previous.c_iflag
                || now.c_oflag != previous.c_oflag
        else { return }
        var previous = previous
        unsafe tcsetattr(descriptor.rawValue, TCSAFLUSH, &previous)
    }

    private enum Answer: ~Copyable {
        case line(SecretBytes)
        case signal(CInt)
    }

    private func askOnce(_ prompt: String, _ isShown: Bool) throws(Failure) -> Answer {
        do throws(SystemCallError) {
            // Held back from before the echo goes until after it is back.
            let signals = try HeldSignals([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP])
            var previous = termios()
            guard unsafe tcgetattr(descriptor.rawValue, &previous) == 0 else {
                throw SystemCallError("tcgetattr", errno: errno)
            }
            var silent = previous
            if !isShown { silent.c_lflag &= ~tcflag_t(ECHO | ECHONL) }
            silent.c_lflag |= tcflag_t(ICANON | ISIG)
            // What was typed before the question is no answer to it.
            guard unsafe tcsetattr(descriptor.rawValue, TCSAFLUSH, &silent) == 0 else {
                throw SystemCallError("tcsetattr", errno: errno)
            }
            defer {
                unsafe tcsetattr(descriptor.rawValue, TCSAFLUSH, &previous)
                // Shown, the line end that was typed is there already.
                if !isShown { try? descriptor.write([0x0A]) }
            }
            try descriptor.write(Array(prompt.utf8))

            var signal: CInt?
            let line = try SecretBytes(
                capacity: Self.lineLimit,
                filledBy: { (bytes) throws(SystemCallError) in
                    try readLine(into: &bytes, signals, &signal)
                })
            if let signal { return .signal(signal) }
            return .line(line)
        } catch  where error.errno == ECANCELED {
            throw Failure(.cancelled, "cancelled", hint: "nothing was changed")
        } catch  where error.errno == EMSGSIZE {
            throw Failure(
                .failure, "a terminal takes at most \(Self.lineLimit - 1) bytes",
                hint: "nothing was changed; give it on standard input from a file or a pipe")
        } catch {
            throw Failure(.failure, "terminal: \(error)", hint: "use a pipe instead")
        }
    }

    /// Fills `bytes` up to the line's end.
    ///
    /// - Returns: The number of bytes before it.
    private func readLine(
        into bytes: inout MutableSpan<UInt8>, _ signals: borrowing HeldSignals,
        _ signal: inout CInt?
    ) throws(SystemCallError) -> Int {
        var filled = 0
        while true {
            var entries = [
                pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals.descriptor.rawValue, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&entries, 2, -1) > 0 else { continue }
            signal = signals.take()
            if signal != nil { return 0 }
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe read(
                    descriptor.rawValue, $0.baseAddress.map { unsafe $0 + filled },
                    $0.count - filled)
            }
            if count == -1 && (errno == EINTR || errno == EAGAIN) { continue }
            guard count >= 0 else { throw SystemCallError("read", errno: errno) }
            filled += count
            if filled > 0 && bytes[filled - 1] == 0x0A { return filled - 1 }
            // The terminal drops what is typed beyond its limit: that is no secret to store.
            if filled == bytes.count { throw SystemCallError("read", errno: EMSGSIZE) }
            if count == 0 {
                if filled == 0 { throw SystemCallError("read", errno: ECANCELED) }
                return filled
            }
        }
    }
}
