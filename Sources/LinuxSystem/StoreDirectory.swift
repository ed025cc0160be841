public import Glibc

/// The folder of one user's store, opened and checked.
///
/// The place comes from the account record, never from `HOME` or XDG variables: cron, a shell under
/// sudo and the session helper must agree on it, and a program under `sudo -E` must not make
/// root-owned files in somebody's home.
public struct StoreDirectory: ~Copyable, Sendable {
    /// The path below the home directory.
    public static let path = [".local", "share", "vestry"]

    public let descriptor: FileDescriptor
    /// The absolute path, for messages and for libraries that open by path.
    public let path: String
    /// Whose it is.
    public let owner: uid_t

    private let device: dev_t
    private let inode: ino_t

    /// Opens the store directory of `account`.
    ///
    /// Links above the store directory itself are followed: people do keep `~/.local/share` on
    /// another disk, and nothing here runs with more rights than the user has.
    ///
    /// - Returns: The directory, or nil when the home has none.
    /// - Throws: `PrivateFileError`. `.system` with ENOENT means that the home itself is missing.
    public static func open(of account: Account) throws(PrivateFileError) -> StoreDirectory? {
        let home = try openHome(of: account)
        do throws(PrivateFileError) {
            let descriptor = try home.openPrivate(
                Self.path.joined(separator: "/"), ownedBy: account.user, type: S_IFDIR)
            return try StoreDirectory(descriptor: descriptor, account: account)
        } catch .system(let error) where error.errno == ENOENT {
            return nil
        }
    }

    /// Opens the store directory of `account`, and makes it (mode 0700) where it is missing.
    ///
    /// - Throws: `PrivateFileError`. `.system` with ENOENT means that the home itself is missing.
    public static func create(for account: Account) throws(PrivateFileError) -> StoreDirectory {
        var directory = try openHome(of: account)
        for name in Self.path.dropLast() {
            try make(name, in: directory)
            directory = try openDirectory(name, in: directory)
        }
        let name = Self.path[Self.path.count - 1]
        try make(name, in: directory)
        let descriptor = try directory.openPrivate(name, ownedBy: account.user, type: S_IFDIR)
        return try StoreDirectory(descriptor: descriptor, account: account)
    }

    private init(
        descriptor: consuming FileDescriptor, account: Account
    ) throws(PrivateFileError) {
        try self.init(
            descriptor: descriptor,
            path: account.homeDirectory + "/" + Self.path.joined(separator: "/"),
            owner: account.user)
    }

    private init(
        descriptor: consuming FileDescriptor, path: String, owner: uid_t
    ) throws(PrivateFileError) {
        let status: stat
        do throws(SystemCallError) {
            status = try descriptor.status()
        } catch {
            throw .system(error)
        }
        device = status.st_dev
        inode = status.st_ino
        self.descriptor = descriptor
        self.path = path
        self.owner = owner
    }

    /// Whether the path still leads to this directory, and it is still private.
    public var isInPlace: Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, isSame(status) else { return false }
        do throws(PrivateFileError) {
            try FileDescriptor.check(status, ownedBy: owner, type: S_IFDIR)
            return true
        } catch {
            return false
        }
    }

    /// Whether the descriptor still stands for this directory: some programs close all numbers that
    /// they did not open themselves, and open other files under these.
    public var isOpen: Bool {
        var status = stat()
        return unsafe fstat(descriptor.rawValue, &status) == 0 && isSame(status)
    }

    private func isSame(_ status: stat) -> Bool {
        status.st_dev == device && status.st_ino == inode
    }

    /// Opens a folder in this one, by the same checks.
    ///
    /// - Parameter name: One path component.
    /// - Returns: The folder, or nil when there is none.
    /// - Throws: `PrivateFileError`.
    public func folder(_ name: String) throws(PrivateFileError) -> StoreDirectory? {
        do throws(PrivateFileError) {
            let opened = try descriptor.openPrivate(name, ownedBy: owner, type: S_IFDIR)
            return try StoreDirectory(
                descriptor: opened, path: path + "/" + name, owner: owner)
        } catch .system(let error) where error.errno == ENOENT {
            return nil
        }
    }

    /// Whether the folder holds nothing but what an interrupted write may have left: names that begin
    /// with a dot.
    ///
    /// - Throws: `PrivateFileError.system` when it cannot be read.
    public func isEmpty() throws(PrivateFileError) -> Bool {
        try mappingErrors { () throws(SystemCallError) in
            try descriptor.entryNames().allSatisfy { $0.hasPrefix(".") }
        }
    }

    private static func openHome(of account: Account) throws(PrivateFileError) -> FileDescriptor {
        // An empty or relative home would be looked up in whatever the current folder is.
        guard account.homeDirectory.hasPrefix("/") else {
            throw .system(SystemCallError("openat", errno: ENOENT))
        }
        return try mappingErrors { () throws(SystemCallError) in
            try FileDescriptor.openDirectory(path: account.homeDirectory)
        }
    }

    private static func openDirectory(
        _ name: String, in directory: borrowing FileDescriptor
    ) throws(PrivateFileError) -> FileDescriptor {
        try mappingErrors { () throws(SystemCallError) in
            try FileDescriptor(
                opening: name, in: directory.rawValue, flags: O_RDONLY | O_DIRECTORY)
        }
    }

    private static func make(
        _ name: String, in directory: borrowing FileDescriptor
    ) throws(PrivateFileError) {
        // 0700 for every folder made on the way: that is what the XDG base directory specification
        // asks for.
        guard unsafe mkdirat(directory.rawValue, name, 0o700) == 0 || Glibc.errno == EEXIST else {
            throw .system(SystemCallError(last: "mkdirat"))
        }
    }
}
