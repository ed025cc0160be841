internal import Glibc

/// Why the kernel keyring cannot be used.
public enum KeyringError: Error, Equatable, Sendable {
    /// The kernel was built without keyrings, or has no such call for this program.
    case notSupported
    /// A system call filter forbids keyctl(2), as container engines do by default.
    case blocked
    /// The key is there, but its permissions do not let this user have it.
    case denied
    /// The user has as many keys, or as many bytes in keys, as the kernel allows.
    case quota
    case system(call: String, errno: CInt)

    init(call: String, errno: CInt) {
        self =
            switch errno {
            case ENOSYS, EOPNOTSUPP: .notSupported
            // keyctl(2) itself gives EPERM only for changes of ownership, which Vestry never asks
            // for: it is what seccomp filters answer.
            case EPERM: .blocked
            case EACCES: .denied
            case EDQUOT: .quota
            default: .system(call: call, errno: errno)
            }
    }

    /// Whether an error number says that a key is not there (any more).
    static func meansAbsent(_ errno: CInt) -> Bool {
        [ENOKEY, EKEYREVOKED, EKEYEXPIRED, EKEYREJECTED].contains(errno)
    }
}
