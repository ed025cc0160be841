internal import CSQLite
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
            let source = try CopyConnection(path: directory.path + "/" + fileName)
            let copy = try CopyConnection(path: destination.path + "/" + fileName)
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

/// One end of a copy.
@safe
private final class CopyConnection {
    private let handle: OpaquePointer
    private let patience: Patience
    private let use: ForkSensitiveUse

    init(path: String) throws(ItemStoreError) {
        do throws(SystemCallError) {
            use = try ForkSensitiveUse()
        } catch {
            throw .forkedInUse
        }
        patience = Patience(path: path)
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let status = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard let handle = unsafe opened else {
            throw .inputOutput(code: status, errno: ENOMEM)
        }
        unsafe self.handle = handle
        try check(status)
        unsafe sqlite3_busy_handler(
            handle, waitForOtherProcess, Unmanaged.passUnretained(patience).toOpaque())
        try check(unsafe vestry_sqlite_set_defensive(handle))
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    func execute(_ sql: StaticString) throws(ItemStoreError) {
        let status = unsafe sql.utf8Start.withMemoryRebound(
            to: CChar.self, capacity: sql.utf8CodeUnitCount + 1
        ) {
            unsafe sqlite3_exec(handle, $0, nil, nil, nil)
        }
        try check(status)
    }

    func copyAll(from source: CopyConnection) throws(ItemStoreError) {
        guard let backup = unsafe sqlite3_backup_init(handle, "main", source.handle, "main") else {
            throw error(unsafe sqlite3_errcode(handle))
        }
        // In one step: whoever writes in between would make it begin anew.
        let status = unsafe sqlite3_backup_step(backup, -1)
        let end = unsafe sqlite3_backup_finish(backup)
        guard status == SQLITE_DONE else { throw error(status) }
        try check(end)
    }

    private func check(_ status: CInt) throws(ItemStoreError) {
        guard status == SQLITE_OK else { throw error(status) }
    }

    private func error(_ status: CInt) -> ItemStoreError {
        ItemStoreError(sqlite: status, errno: unsafe sqlite3_system_errno(handle))
    }
}
