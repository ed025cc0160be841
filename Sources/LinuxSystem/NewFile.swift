internal import CLinux
internal import Glibc

extension FileDescriptor {
    /// Puts a whole new file into this directory, unless the name is taken.
    ///
    /// The bytes are on the disk before the name appears, so that a crash leaves the whole file or
    /// none, and of two processes that do this at once one finds that the other was first.
    ///
    /// - Parameters:
    ///   - name: One path component.
    ///   - bytes: The contents; the file gets mode 0600.
    /// - Returns: False when there is an entry of that name; it is left as it is.
    /// - Throws: `SystemCallError`; then nothing has been left behind, unless it is the last step that
    ///   failed: the fsync of the folder, after which the new file may not outlive a crash.
    public func createFile(_ name: String, with bytes: [UInt8]) throws(SystemCallError) -> Bool {
        let suffix = String(UInt64.random(in: .min ... .max), radix: 36)
        let newName = ".\(name).new-\(suffix)"
        var isPlaced = false
        do throws(SystemCallError) {
            let file = try FileDescriptor(
                opening: newName, in: rawValue, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                mode: 0o600)
            try file.write(bytes)
            try file.synchronize()
            isPlaced = try placeWithoutReplacing(newName, as: name)
        } catch {
            _ = unsafe unlinkat(rawValue, newName, 0)
            throw error
        }
        guard isPlaced else {
            _ = unsafe unlinkat(rawValue, newName, 0)
            return false
        }
        try synchronize()
        return true
    }

    func placeWithoutReplacing(
        _ newName: String, as name: String
    ) throws(SystemCallError) -> Bool {
        if unsafe vestry_rename_without_replacing(rawValue, newName, name) == 0 { return true }
        if Glibc.errno == EEXIST { return false }
        // NFS and some FUSE file systems have no RENAME_NOREPLACE (rename(2)); link(2) has always
        // refused a name that is taken.
        guard Glibc.errno == EINVAL || Glibc.errno == ENOSYS else {
            throw SystemCallError(last: "renameat2")
        }
        guard unsafe linkat(rawValue, newName, rawValue, name, 0) == 0 else {
            if Glibc.errno == EEXIST { return false }
            throw SystemCallError(last: "linkat")
        }
        _ = unsafe unlinkat(rawValue, newName, 0)
        return true
    }

    /// Gives a file of this directory another name, replacing what had that name.
    ///
    /// - Returns: False when there is no such file.
    /// - Throws: `SystemCallError` of renameat(2) or fsync(2).
    @discardableResult
    public func renameFile(
        _ name: String, to newName: String
    ) throws(SystemCallError) -> Bool {
        guard unsafe renameat(rawValue, name, rawValue, newName) == 0 else {
            if Glibc.errno == ENOENT { return false }
            throw SystemCallError(last: "renameat")
        }
        try synchronize()
        return true
    }
}
