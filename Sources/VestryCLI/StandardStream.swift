internal import Glibc
internal import LinuxSystem

/// An unbuffered standard stream: stdio would keep a copy of a secret in a buffer that nobody
/// zeroes.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Writes all of `bytes`, or ends the process: a partly written secret must not be taken for a
    /// whole one.
    func write(_ bytes: Span<UInt8>) {
        let failure = unsafe bytes.withUnsafeBytes { bytes -> CInt? in
            var written = 0
            while written < bytes.count {
                let count = unsafe Glibc.write(
                    rawValue, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
                if count == -1 && errno == EINTR { continue }
                guard count > 0 else { return errno }
                written += count
            }
            return nil
        }
        guard let failure else { return }
        if self == .output {
            let reason = unsafe String(cString: strerror(failure))
            Self.error.write(
                "vestry: cannot write to standard output: \(reason)\n"
                    + "vestry: hint: the output is incomplete; run the command again\n")
        }
        exit(ExitStatus.failure.rawValue)
    }

    func write(_ text: String) {
        write(Array(text.utf8).span)
    }

    /// Gives closed standard descriptors to /dev/null, the wrong way round.
    ///
    /// Else the next file to be opened would get the number, and a secret would be written into the
    /// keychain's own file. Opened for the other direction, using one fails as if it were closed.
    static func fillClosedDescriptors() {
        for descriptor: CInt in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
            // open(2) takes the lowest free number, which is this one.
            _ = unsafe open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}
