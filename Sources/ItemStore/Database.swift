internal import CSQLite
internal import Glibc
internal import LinuxSystem

/// One connection to SQLite; closed when the last reference goes.
@safe
final class Database {
    enum Place {
        case memory
        /// An existing file. SQLite opens it read-only by itself where it may not write.
        case file(path: String)
    }

    private let handle: OpaquePointer
    private let path: String
    private let patience: Patience
    private let use: ForkSensitiveUse
    private var turn: ProcessTurn?

    init(_ place: Place) throws(ItemStoreError) {
        let path: String
        switch place {
        case .memory: path = ":memory:"
        case .file(let file): path = file
        }
        do throws(SystemCallError) {
            use = try ForkSensitiveUse()
        } catch {
            throw .forkedInUse
        }
        self.path = path
        patience = Patience(path: path)
        // No SQLITE_OPEN_CREATE: a store that is not there is never made by looking for it.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let status = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard let handle = unsafe opened else { throw .inputOutput(code: status, errno: ENOMEM) }
        unsafe self.handle = handle
        guard status == SQLITE_OK else { throw error(status) }
        unsafe sqlite3_busy_handler(
            handle, waitForOtherProcess, Unmanaged.passUnretained(patience).toOpaque())
        try configure()
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    private func configure() throws(ItemStoreError) {
        // The file is data, not a program: no writable schema, no function that its schema names.
        try check(unsafe vestry_sqlite_set_defensive(handle))
        try execute("PRAGMA trusted_schema = OFF")
        try execute("PRAGMA cell_size_check = ON")
        try execute("PRAGMA temp_store = MEMORY")
        // No row of an honest file comes near; a hostile one cannot make SQLite allocate a gigabyte.
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 16 * 1024 * 1024)
    }

    /// Sets what only a writer needs: these statements read the file.
    func prepareForWriting() throws(ItemStoreError) {
        try execute("PRAGMA foreign_keys = ON")
        // Deleted and replaced boxes are overwritten in the file.
        try execute("PRAGMA secure_delete = ON")
        // What a finished `set` stored survives the power cut after it.
        try execute("PRAGMA synchronous = FULL")
        try waitForTurn()
    }

    /// Waits for this process's other writers, who would only be in each other's way at SQLite's
    /// locks; the turn lasts as long as the connection.
    private func waitForTurn() throws(ItemStoreError) {
        patience.begin()
        repeat {
            turn = ProcessTurn.wait(milliseconds: 250)
            if turn != nil { return }
        } while patience.isLeft()
        throw .busy
    }

    func execute(_ sql: StaticString) throws(ItemStoreError) {
        let statement = try Statement(sql, on: self)
        while try statement.step() {}
    }

    func prepare(_ sql: StaticString) throws(ItemStoreError) -> OpaquePointer {
        var prepared: OpaquePointer?
        let status = unsafe sql.utf8Start.withMemoryRebound(
            to: CChar.self, capacity: sql.utf8CodeUnitCount
        ) {
            unsafe sqlite3_prepare_v2(handle, $0, CInt(sql.utf8CodeUnitCount), &prepared, nil)
        }
        try check(status)
        guard let prepared = unsafe prepared else {
            throw .inputOutput(code: SQLITE_MISUSE, errno: 0)
        }
        return unsafe prepared
    }

    var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }
    var changedRowCount: CInt { unsafe sqlite3_changes(handle) }

    /// The file that SQLite would write for this database.
    func serialized() throws(ItemStoreError) -> [UInt8] {
        var count: sqlite3_int64 = 0
        guard let bytes = unsafe sqlite3_serialize(handle, "main", &count, 0) else {
            throw .inputOutput(code: SQLITE_NOMEM, errno: ENOMEM)
        }
        defer { unsafe sqlite3_free(bytes) }
        return unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    func check(_ status: CInt) throws(ItemStoreError) {
        guard status == SQLITE_OK else { throw error(status) }
    }

    /// What a result code of SQLite means for a store.
    func error(_ status: CInt) -> ItemStoreError {
        // SQLite notes the errno of an open that failed alone: that of a write or an fsync is still
        // the thread's.
        let last = Glibc.errno
        let noted = unsafe sqlite3_system_errno(handle)
        let errno = noted == 0 ? last : noted
        let isMissing = status & 0xFF == SQLITE_CANTOPEN && errno == ENOENT
        return ItemStoreError(sqlite: status, errno: isMissing ? causeOfMissingFile() : errno)
    }

    /// The errno of making a file beside the database.
    ///
    /// Where SQLite cannot make a journal, it looks for one to read instead, and notes that there is
    /// none.
    private func causeOfMissingFile() -> CInt {
        let probe = path + "-probe"
        let descriptor = unsafe open(
            probe, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor != -1 else { return Glibc.errno }
        close(descriptor)
        unsafe unlink(probe)
        return ENOENT
    }
}

extension ItemStoreError {
    /// - Parameters:
    ///   - status: An extended result code (sqlite.org/rescode.html).
    ///   - errno: Of the system call that failed last on this connection.
    init(sqlite status: CInt, errno: CInt) {
        // The low byte is the primary code.
        switch status & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            self = .busy
        case SQLITE_READONLY where status == 1032:
            // SQLITE_READONLY_DBMOVED: a repaired file took this one's place while we waited.
            self = .busy
        case SQLITE_FULL:
            self = .noSpace
        case SQLITE_READONLY:
            self = .readOnly
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_ERROR,
            SQLITE_SCHEMA:
            // SQLITE_ERROR: our statements are fixed, so it is the file that lacks their tables.
            self = .damaged(reason: "SQLite result \(status)")
        case SQLITE_CONSTRAINT:
            self =
                status == 2067  // SQLITE_CONSTRAINT_UNIQUE, a computed macro in C
                ? .duplicate : .damaged(reason: "SQLite result \(status)")
        case SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_PERM, SQLITE_AUTH:
            switch errno {
            case ENOSPC, EDQUOT: self = .noSpace
            case EROFS: self = .readOnly
            case EACCES, EPERM: self = .file(.system(SystemCallError("open", errno: errno)))
            default: self = .inputOutput(code: status, errno: errno)
            }
        default:
            self = .inputOutput(code: status, errno: errno)
        }
    }
}
