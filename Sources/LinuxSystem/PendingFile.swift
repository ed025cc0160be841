internal import Glibc

/// A file that a person named, and that comes into being as a whole: it is written under another name
/// beside its place, and gets its own at the end.
///
/// Unless it is placed, nothing is left of it. A link of its name is replaced, never followed.
public final class PendingFile {
    private let directory: FileDescriptor
    private let file: FileDescriptor
    private let name: String
    private let newName: String
    private var isPlaced = false

    /// Makes the file, mode 0600, without its name.
    ///
    /// - Parameter path: Its place.
    /// - Throws: `SystemCallError`; EISDIR for a path that names no file.
    public init(path: String) throws(SystemCallError) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
        guard !name.isEmpty, name != ".", name != ".." else {
            throw SystemCallError("openat", errno: EISDIR)
        }
        let newName = ".vestry.new-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let directory = try FileDescriptor.openDirectory(
            path: slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".")
        let file = try FileDescriptor(
            opening: newName, in: directory.rawValue,
            flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        self.name = name
        self.newName = newName
        self.directory = directory
        self.file = file
    }

    deinit {
        if !isPlaced { _ = unsafe unlinkat(directory.rawValue, newName, 0) }
    }

    /// Whether something has a name already; a link to nowhere is something.
    public static func isTaken(path: String) -> Bool {
        unsafe faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Writes all of `bytes` after those before.
    public func write(_ bytes: [UInt8]) throws(SystemCallError) { try file.write(bytes) }

    /// Writes all of `bytes` after those before.
    public func write(_ bytes: Span<UInt8>) throws(SystemCallError) { try file.write(bytes) }

    /// Gives the file its name, after its bytes are on the disk.
    ///
    /// - Parameter isReplacing: Whether it may take the place of what has that name.
    /// - Returns: False when the name is taken; the new file is gone then.
    /// - Throws: `SystemCallError`; then nothing has been left behind, unless it is the last step that
    ///   failed: the fsync of the folder, after which the file may not outlive a crash.
    public func place(isReplacing: Bool) throws(SystemCallError) -> Bool {
        try file.synchronize()
        if isReplacing {
            try directory.rename(newName, to: name)
        } else {
            guard try directory.placeWithoutReplacing(newName, as: name) else { return false }
        }
        isPlaced = true
        try directory.synchronize()
        return true
    }
}
