internal import Glibc
public import LinuxSystem

extension ItemStore {
    /// Copies the item file into another folder, as the last finished transaction left it.
    ///
    /// It reads by SQLite's locks on a connection of its own (sqlite.org/backup.html): others write
    /// before it or after it, and a writer of this process that has changed nothing yet can go on.
    ///
    /// - Parameters:
    ///   - directory: The checked store directory.
    ///   - destination: A folder that has no item file. When this returns, the copy is on the disk.
    /// - Returns: False when there is no item file.
    /// - Throws: `ItemStoreError`; then the destination may hold a part of the file.
    public static func copyFile(
        from directory: borrowing StoreDirectory, to destination: borrowing StoreDirectory
    ) throws(ItemStoreError) -> Bool {
        guard try isPresent(in: directory) else { return false }
        let file: FileDescriptor
        do throws(SystemCallError) {
            file = try FileDescriptor(
                opening: fileName, in: destination.descriptor.rawValue,
                flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        } catch {
            throw ItemStoreError(error)
        }
        do {
            let source = try Connection(.file(path: path(in: directory)))
            let copy = try Connection(.file(path: path(in: destination)))
            // Whether a copy is whole is a matter of its name, which it gets afterwards.
            try copy.execute("PRAGMA journal_mode = MEMORY")
            try copy.execute("PRAGMA synchronous = OFF")
            try copy.copyAll(from: source)
        }
        do throws(SystemCallError) {
            try file.synchronize()
        } catch {
            throw ItemStoreError(error)
        }
        return true
    }
}
