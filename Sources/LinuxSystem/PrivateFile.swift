public import Glibc

/// A reason to refuse a file or directory although it is there.
public enum PrivateFileError: Error, Equatable, Sendable {
    case system(SystemCallError)
    /// The entry is something else than a regular file (or a directory, where one is wanted).
    case wrongType
    /// It belongs to `actual` and not to the user in question.
    case wrongOwner(actual: uid_t)
    /// Group or others hold a permission bit; `mode` holds the low 12 bits.
    case tooPermissive(mode: mode_t)
    /// It has more bytes than any honest file of its kind.
    case tooLarge(limit: Int)
}

/// Runs `body` and throws what its system call's failure says of a private file.
func mappingErrors<Result: ~Copyable>(
    _ body: () throws(SystemCallError) -> Result
) throws(PrivateFileError) -> Result {
    do {
        return try body()
    } catch {
        // What O_NOFOLLOW says of a symbolic link, and openat(2) of a socket.
        if error.errno == ELOOP || error.errno == ENXIO { throw .wrongType }
        throw .system(error)
    }
}

extension FileDescriptor {
    /// Opens `name` for reading and refuses what another user could have planted or could change.
    ///
    /// The checks run on the descriptor that is returned, never on the path, so that nothing can be
    /// swapped in between. `O_NONBLOCK` keeps a planted FIFO from blocking a login.
    ///
    /// - Parameters:
    ///   - name: One path component; a symbolic link is refused (as `wrongType`).
    ///   - owner: The numeric user ID that must own it.
    ///   - type: `S_IFREG` or `S_IFDIR`.
    /// - Returns: A descriptor that passed every check.
    /// - Throws: `PrivateFileError`, whose `.system` case covers openat(2) and fstat(2).
    public func openPrivate(
        _ name: String, ownedBy owner: uid_t, type: mode_t = S_IFREG
    ) throws(PrivateFileError) -> FileDescriptor {
        do {
            let file = try mappingErrors { () throws(SystemCallError) in
                try FileDescriptor(
                    opening: name, in: rawValue, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            }
            let status = try mappingErrors { () throws(SystemCallError) in try file.status() }
            try Self.check(status, ownedBy: owner, type: type)
            return file
        } catch {
            // Root's file from an earlier sudo: that it cannot be opened says less than whose it is.
            if case .system(let failure) = error, failure.errno == EACCES {
                try checkPrivate(name, ownedBy: owner, type: type)
            }
            throw error
        }
    }

    /// Checks `name` in place, for a library that opens by path, as SQLite does.
    ///
    /// - Returns: Which file it is.
    /// - Throws: `PrivateFileError`, as ``openPrivate(_:ownedBy:type:)``; `.system` with ENOENT when
    ///   there is no such entry.
    @discardableResult
    public func checkPrivate(
        _ name: String, ownedBy owner: uid_t, type: mode_t = S_IFREG
    ) throws(PrivateFileError) -> FileIdentity {
        try Self.checkPrivate(name, in: rawValue, ownedBy: owner, type: type)
    }

    /// Checks a file in place by its absolute path, as ``checkPrivate(_:ownedBy:type:)`` does.
    public static func checkPrivate(
        path: String, ownedBy owner: uid_t
    ) throws(PrivateFileError) -> FileIdentity {
        try checkPrivate(path, in: AT_FDCWD, ownedBy: owner, type: S_IFREG)
    }

    private static func checkPrivate(
        _ path: String, in directory: CInt, ownedBy owner: uid_t, type: mode_t
    ) throws(PrivateFileError) -> FileIdentity {
        var status = stat()
        guard unsafe fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw .system(SystemCallError(last: "fstatat"))
        }
        try check(status, ownedBy: owner, type: type)
        return FileIdentity(status)
    }

    /// Whether a regular file, of which fstat(2) says this, passes these checks.
    public static func isPrivate(_ status: stat, ownedBy owner: uid_t) -> Bool {
        do throws(PrivateFileError) {
            try check(status, ownedBy: owner, type: S_IFREG)
            return true
        } catch {
            return false
        }
    }

    static func check(
        _ status: stat, ownedBy owner: uid_t, type: mode_t
    ) throws(PrivateFileError) {
        guard status.st_mode & S_IFMT == type else { throw .wrongType }
        guard status.st_uid == owner else { throw .wrongOwner(actual: status.st_uid) }
        guard status.st_mode & 0o077 == 0 else {
            throw .tooPermissive(mode: status.st_mode & 0o7777)
        }
    }

    /// Reads a small private file of this directory, whole.
    ///
    /// - Returns: The bytes, and which file they are from; or nil when there is no such file.
    /// - Throws: `PrivateFileError`.
    public func readPrivate(
        _ name: String, ownedBy owner: uid_t, limit: Int
    ) throws(PrivateFileError) -> (bytes: [UInt8], identity: FileIdentity)? {
        let bytes: [UInt8]?
        let identity: FileIdentity
        do throws(PrivateFileError) {
            let file = try openPrivate(name, ownedBy: owner)
            // Before the bytes: a file that is written to meanwhile is another one afterwards.
            identity = try mappingErrors { () throws(SystemCallError) in
                FileIdentity(try file.status())
            }
            bytes = try mappingErrors { () throws(SystemCallError) in
                try file.readAll(limit: limit)
            }
        } catch .system(let error) where error.errno == ENOENT {
            return nil
        }
        guard let bytes else { throw .tooLarge(limit: limit) }
        return (bytes, identity)
    }

    /// Replaces a file of this directory as one step: whoever opens it finds the old bytes or the
    /// new ones, also after a crash or with a full disk.
    ///
    /// - Parameters:
    ///   - name: One path component.
    ///   - bytes: The new contents; the file gets mode 0600.
    ///   - previous: The name under which the old file stays, replacing what had that name.
    /// - Throws: `SystemCallError`; the old file is then still in place, unless it is the last step
    ///   that failed: the fsync of the folder, after which the new one may not outlive a crash.
    public func replaceFile(
        _ name: String, with bytes: [UInt8], keepingPreviousAs previous: String
    ) throws(SystemCallError) {
        try replaceFile(name, with: bytes.span, keepingPreviousAs: previous)
    }

    /// The same with bytes that somebody else owns and wipes.
    ///
    /// - Parameters:
    ///   - name: One path component.
    ///   - bytes: The new contents; the file gets mode 0600.
    ///   - previous: The name under which the old file stays; nil where it is to go.
    /// - Throws: `SystemCallError`, as the other one.
    public func replaceFile(
        _ name: String, with bytes: Span<UInt8>, keepingPreviousAs previous: String?
    ) throws(SystemCallError) {
        let suffix = String(UInt64.random(in: .min ... .max), radix: 36)
        let newName = ".\(name).new-\(suffix)"
        let oldName = ".\(name).old-\(suffix)"
        do throws(SystemCallError) {
            let file = try FileDescriptor(
                opening: newName, in: rawValue, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                mode: 0o600)
            try file.write(bytes)
            try file.synchronize()
            if let previous, try keep(name, as: oldName) { try rename(oldName, to: previous) }
            try rename(newName, to: name)
        } catch {
            _ = unsafe unlinkat(rawValue, newName, 0)
            _ = unsafe unlinkat(rawValue, oldName, 0)
            throw error
        }
        try synchronize()
        removeLeftovers(of: name)
    }

    /// Gives a file a second name, so that the first one never goes missing; or, on a file system
    /// without hard links, the new name to a copy of it.
    ///
    /// - Returns: False when there is no such file.
    private func keep(_ name: String, as newName: String) throws(SystemCallError) -> Bool {
        if unsafe linkat(rawValue, name, rawValue, newName, 0) == 0 { return true }
        switch Glibc.errno {
        case ENOENT: return false
        // FAT and some FUSE and network file systems (link(2)).
        case EPERM, EOPNOTSUPP, ENOSYS: break
        default: throw SystemCallError(last: "linkat")
        }
        let old = try FileDescriptor(opening: name, in: rawValue, flags: O_RDONLY | O_NOFOLLOW)
        guard let bytes = try old.readAll(limit: Self.copyLimit) else {
            throw SystemCallError("read", errno: EFBIG)
        }
        let copy = try FileDescriptor(
            opening: newName, in: rawValue, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
            mode: 0o600)
        try copy.write(bytes)
        try copy.synchronize()
        return true
    }

    /// Far more than any file has that is replaced in one step.
    private static var copyLimit: Int { 16 << 20 }

    /// Removes what writers have left that were killed.
    ///
    /// Not what is younger than an hour: on a network file system another machine may be at work.
    /// A failure is nobody's: the next writer tries again.
    func removeLeftovers(of name: String) {
        let prefixes = [".\(name).new-", ".\(name).old-"]
        var now = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &now) == 0, let names = try? entryNames() else {
            return
        }
        for entry in names where prefixes.contains(where: { entry.hasPrefix($0) }) {
            var status = stat()
            guard unsafe fstatat(rawValue, entry, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_mode & S_IFMT == S_IFREG, status.st_mtim.tv_sec < now.tv_sec - 3600
            else { continue }
            _ = unsafe unlinkat(rawValue, entry, 0)
        }
    }

    func rename(_ name: String, to newName: String) throws(SystemCallError) {
        guard unsafe renameat(rawValue, name, rawValue, newName) == 0 else {
            throw SystemCallError(last: "renameat")
        }
    }
}
