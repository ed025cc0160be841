internal import CPAM

/// Keeps the numbers 0 to 2 taken while the module has descriptors of its own.
///
/// A host may have closed them, and what it or one of its signal handlers writes to "standard error"
/// must not reach the helper, at no moment. An unconnected socket stands in: it needs no file, and
/// whoever uses it gets an error, as on a closed descriptor.
struct StandardDescriptors {
    /// One bit for each number that is held.
    private var held: CInt = 0

    /// - Returns: nil with `errno` where no descriptor is free.
    init?() {
        let kind = CInt(truncatingIfNeeded: SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        while true {
            // The kernel gives the lowest free number.
            let descriptor = socket(AF_UNIX, kind, 0)
            if descriptor > STDERR_FILENO {
                close(descriptor)
                return
            }
            guard descriptor >= 0 else {
                let error = currentError
                release()
                vestry_set_error(error)
                return nil
            }
            held |= 1 &<< descriptor
        }
    }

    func release() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where held & (1 &<< descriptor) != 0 {
            close(descriptor)
        }
    }
}
