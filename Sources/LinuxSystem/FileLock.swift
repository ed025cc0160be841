internal import CLinux
public import Glibc

extension FileDescriptor {
    /// Takes a write lock on `count` bytes from `start`, if nobody else has one of them.
    ///
    /// The lock belongs to this open file description (`F_OFD_SETLK`): it goes when the descriptor
    /// closes, also by kill -9. Nobody who cannot open the file for writing can take it.
    ///
    /// - Parameters:
    ///   - start: The first byte; it need not exist.
    ///   - count: How many; 0 means all that follow.
    /// - Returns: Whether the lock was taken.
    /// - Throws: `SystemCallError` of fcntl(2).
    public func tryLock(from start: Int = 0, count: Int = 0) throws(SystemCallError) -> Bool {
        if vestry_try_write_lock(rawValue, Int64(start), Int64(count)) == 0 { return true }
        guard Glibc.errno == EAGAIN || Glibc.errno == EACCES else {
            throw SystemCallError(last: "fcntl")
        }
        return false
    }

    /// Takes a write lock on the first `count` bytes in a row of `places` that nobody else has.
    ///
    /// - Parameters:
    ///   - count: From 1 to the number of places.
    ///   - places: The bytes to choose from.
    /// - Returns: Whether there were so many.
    /// - Throws: `SystemCallError` of fcntl(2).
    public func tryLock(count: Int, anywhereIn places: Range<Int>) throws(SystemCallError) -> Bool {
        guard count > 0, count <= places.count else { return false }
        for start in places.lowerBound...(places.upperBound - count)
        where try tryLock(from: start, count: count) {
            return true
        }
        return false
    }

    /// Takes the flock(2) of this open file or directory, if nobody else has it, until it closes.
    ///
    /// - Returns: False when somebody else has it. Where the file system has no such locks for
    ///   directories (NFS), it is taken for free.
    public func tryDirectoryLock() -> Bool {
        flock(rawValue, LOCK_EX | LOCK_NB) == 0 || Glibc.errno != EWOULDBLOCK
    }

    /// Gives back the flock(2) of this open directory before it closes.
    public func unlockDirectory() {
        _ = flock(rawValue, LOCK_UN)
    }

    /// Takes a share of the flock(2) of this open directory, until it closes; waits while somebody has
    /// all of it.
    ///
    /// - Throws: `SystemCallError` of flock(2).
    public func shareDirectoryLock() throws(SystemCallError) {
        while flock(rawValue, LOCK_SH) != 0 {
            guard Glibc.errno == EINTR else { throw SystemCallError(last: "flock") }
        }
    }

    /// Gives back the locks that this descriptor holds on `count` bytes from `start`; all without
    /// arguments.
    public func unlock(from start: Int = 0, count: Int = 0) {
        _ = vestry_unlock(rawValue, Int64(start), Int64(count))
    }

    /// The user on the other end of a connected local socket (`SO_PEERCRED`), as the kernel noted it
    /// when the connection was made.
    public static func peerUser(of socket: CInt) throws(SystemCallError) -> uid_t {
        var user: uid_t = 0
        guard unsafe vestry_peer_user(socket, &user) == 0 else {
            throw SystemCallError(last: "getsockopt")
        }
        return user
    }
}
