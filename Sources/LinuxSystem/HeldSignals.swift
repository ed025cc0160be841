internal import CLinux
internal import Glibc

/// Holds signals back as long as it lives, and tells which ones came.
///
/// For a stretch of code that has something to put right before the process stops or ends. Unlike a
/// handler, it cannot run in the middle of anything. For programs with one thread.
public struct HeldSignals: ~Copyable {
    /// Becomes readable when a signal has come.
    public let descriptor: FileDescriptor
    private let previousMask: sigset_t

    /// - Parameter signals: Which signals to hold back.
    /// - Throws: `SystemCallError` of signalfd(2).
    public init(_ signals: [CInt]) throws(SystemCallError) {
        let opened = unsafe vestry_signal_descriptor(signals, CInt(signals.count))
        guard opened != -1 else { throw SystemCallError(last: "signalfd") }
        descriptor = FileDescriptor(adopting: opened)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        var previous = sigset_t()
        unsafe sigprocmask(SIG_BLOCK, &set, &previous)
        previousMask = previous
    }

    deinit {
        var mask = previousMask
        unsafe sigprocmask(SIG_SETMASK, &mask, nil)
    }

    /// Takes one signal that has come; nil when there is none.
    public func take() -> CInt? {
        // struct signalfd_siginfo has 128 bytes and begins with the signal's number.
        var information = [UInt8](repeating: 0, count: 128)
        guard unsafe read(descriptor.rawValue, &information, 128) == 128 else { return nil }
        return unsafe information.withUnsafeBytes {
            unsafe CInt(bitPattern: $0.loadUnaligned(as: UInt32.self))
        }
    }
}
