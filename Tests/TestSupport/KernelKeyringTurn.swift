internal import Glibc
internal import LinuxSystem

/// One test's turn with the kernel keyring of the user who runs the tests, of which there is one.
///
/// Holds a lock as long as it lives, also against tests of other targets and processes.
public final class KernelKeyringTurn: Sendable {
    private let file: FileDescriptor

    public init() throws {
        file = try FileDescriptor(
            opening: "/tmp/vestry-test-keyring-\(geteuid()).lock", in: AT_FDCWD,
            flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        flock(file.rawValue, LOCK_EX)
    }
}
