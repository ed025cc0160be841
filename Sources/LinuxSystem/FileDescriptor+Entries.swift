internal import CLinux
internal import Glibc

extension FileDescriptor {
    /// Makes a folder in this one, with mode 0700.
    ///
    /// - Returns: False when the name is taken.
    /// - Throws: `SystemCallError` of mkdirat(2).
    public func makeDirectory(_ name: String) throws(SystemCallError) -> Bool {
        guard unsafe mkdirat(rawValue, name, 0o700) != 0 else { return true }
        guard Glibc.errno == EEXIST else { throw SystemCallError(last: "mkdirat") }
        return false
    }

    /// Gives a folder in this one another name; both names are here when this returns, or neither has
    /// changed.
    ///
    /// - Returns: False when the new name is taken.
    /// - Throws: `SystemCallError`.
    public func moveDirectory(_ name: String, to newName: String) throws(SystemCallError) -> Bool {
        if unsafe vestry_rename_without_replacing(rawValue, name, newName) != 0 {
            let isUnknown = Glibc.errno == EINVAL || Glibc.errno == ENOSYS
            // Without RENAME_NOREPLACE, as on NFS: rename(2) replaces no folder but an empty one.
            guard isUnknown, unsafe renameat(rawValue, name, rawValue, newName) == 0 else {
                guard Glibc.errno == EEXIST || Glibc.errno == ENOTEMPTY else {
                    throw SystemCallError(last: "renameat2")
                }
                return false
            }
        }
        try synchronize()
        return true
    }

    /// Overwrites a file of this folder with zeros, as far as its file system keeps its place, and
    /// removes it.
    ///
    /// - Throws: `SystemCallError`.
    public func eraseFile(_ name: String) throws(SystemCallError) {
        do throws(SystemCallError) {
            let file = try FileDescriptor(
                opening: name, in: rawValue, flags: O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
            let status = try file.status()
            if status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 {
                let zeros = [UInt8](repeating: 0, count: 65_536)
                var rest = Int(status.st_size)
                while rest > 0 {
                    try file.write(rest < zeros.count ? Array(zeros.prefix(rest)) : zeros)
                    rest -= zeros.count
                }
                try file.synchronize()
            }
        } catch {
            // A full or broken disk must not keep it.
        }
        guard unsafe unlinkat(rawValue, name, 0) == 0 || Glibc.errno == ENOENT else {
            throw SystemCallError(last: "unlinkat")
        }
    }

    /// Removes an empty folder of this one.
    ///
    /// - Throws: `SystemCallError` of unlinkat(2).
    public func removeDirectory(_ name: String) throws(SystemCallError) {
        guard unsafe unlinkat(rawValue, name, AT_REMOVEDIR) == 0 || Glibc.errno == ENOENT else {
            throw SystemCallError(last: "unlinkat")
        }
    }

    /// When a file of this folder was changed last, in seconds since 1970, and its size in bytes; nil
    /// where there is none.
    public func change(of name: String) -> (seconds: Int64, byteCount: Int64)? {
        var status = stat()
        guard unsafe fstatat(rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return (Int64(status.st_mtim.tv_sec), Int64(status.st_size))
    }
}
