public import Glibc

/// What tells a file from another one, and from itself before a change.
///
/// The times are as fine as the file system's: of two changes within one tick of its clock, a few
/// milliseconds, the second shows only where it changes something else of these too.
public struct FileIdentity: Equatable, Sendable {
    private let device: dev_t
    private let inode: ino_t
    private let byteCount: off_t
    private let modified: Moment
    private let changed: Moment

    private struct Moment: Equatable, Sendable {
        let seconds: Int
        let nanoseconds: Int

        init(_ time: timespec) { (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec) }
    }

    /// Whether any change from now on shows in the times: the last one was some ticks ago.
    public var isSettled: Bool {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        let age = (now.tv_sec - changed.seconds, now.tv_nsec - changed.nanoseconds)
        // The longest tick has 10 ms. A clock that was put back says nothing.
        return age.0 > 1 || (age.0 >= 0 && age.0 * 1_000_000_000 + age.1 > 30_000_000)
    }

    /// Whether it is the same file, changed or not.
    public func isSameFile(as other: FileIdentity) -> Bool {
        device == other.device && inode == other.inode
    }

    /// What fstat(2) or lstat(2) has found.
    public init(_ status: stat) {
        device = status.st_dev
        inode = status.st_ino
        byteCount = status.st_size
        modified = Moment(status.st_mtim)
        changed = Moment(status.st_ctim)
    }
}
