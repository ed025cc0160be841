internal import CItemFile
internal import CSQLite
internal import Glibc
internal import LinuxSystem

/// A connection to SQLite, with its prepared statements; closed when the last reference goes.
///
/// One transaction uses it at a time, on any thread.
@safe
final class Connection {
    enum Place {
        case memory
        /// An existing file. SQLite opens it read-only by itself where it may not write.
        case file(path: String)
    }

    /// A statement that stays prepared.
    @safe
    private struct Prepared {
        /// A literal's, which never moves.
        let text: UnsafePointer<UInt8>
        let handle: OpaquePointer
        var isTaken = true
    }

    private let handle: OpaquePointer
    private let path: String
    private let patience: Patience
    private var statements: [Prepared] = []
    private var use: ForkSensitiveUse?
    private var isPreparedForWriting = false
    /// The state in which the file was found to be this store's.
    private var checked: (version: UInt32, storeID: [UInt8])?
    private var recentRows = RecentRows()
    /// As the transaction began.
    private var seenHeader: RecentRows.Header?

    /// Opens a connection that is in use.
    init(_ place: Place) throws(ItemStoreError) {
        let path: String
        let fileSystem: UnsafePointer<CChar>?
        switch place {
        case .memory:
            path = ":memory:"
            unsafe fileSystem = nil
        case .file(let file):
            path = file
            unsafe fileSystem = vestry_item_file_vfs()
            guard unsafe fileSystem != nil else {
                throw .inputOutput(code: SQLITE_NOMEM, errno: ENOMEM)
            }
        }
        use = try Self.newUse()
        self.path = path
        patience = Patience(path: path)
        // No SQLITE_OPEN_CREATE: a store that is not there is never made by looking for it.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let status = unsafe sqlite3_open_v2(path, &opened, flags, fileSystem)
        guard let handle = unsafe opened else { throw .inputOutput(code: status, errno: ENOMEM) }
        unsafe self.handle = handle
        guard status == SQLITE_OK else { throw error(status) }
        unsafe sqlite3_busy_handler(
            handle, waitForOtherProcess, Unmanaged.passUnretained(patience).toOpaque())
        try configure()
    }

    deinit {
        do {
            if use == nil { use = try Self.newUse() }
        } catch {
            // The child of a fork in the middle of somebody's use: SQLite is not to be called any more.
            return
        }
        for statement in statements { unsafe sqlite3_finalize(statement.handle) }
        unsafe sqlite3_close_v2(handle)
    }

    private static func newUse() throws(ItemStoreError) -> ForkSensitiveUse {
        do throws(SystemCallError) {
            return try ForkSensitiveUse()
        } catch {
            throw .forkedInUse
        }
    }

    private func configure() throws(ItemStoreError) {
        // The file is data, not a program: no writable schema, no function that its schema names.
        try check(unsafe vestry_sqlite_set_defensive(handle))
        try check(unsafe vestry_sqlite_distrust_schema(handle))
        // Once for all: where it is not on, an item that goes leaves its tags to the next with its number.
        try check(unsafe vestry_sqlite_enforce_foreign_keys(handle))
        try execute("PRAGMA cell_size_check = ON")
        try execute("PRAGMA temp_store = MEMORY")
        // No row of an honest file comes near; a hostile one cannot make SQLite allocate a gigabyte.
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 16 * 1024 * 1024)
    }

    /// Looks at the file, and at its header, which ``recentRow(primaryTag:_:)`` goes by.
    ///
    /// - Returns: What fstat(2) says of the file; nil when its descriptor does not stand for it any more.
    func look() -> stat? {
        guard let (status, bytes) = statusAndHeader() else { return nil }
        seenHeader = RecentRows.Header(bytes)
        return status
    }

    /// Lets a transaction use it.
    func begin() throws(ItemStoreError) {
        if use == nil { use = try Self.newUse() }
    }

    /// Ends a transaction's use, and undoes what it has not made durable.
    ///
    /// - Returns: False when that failed: another transaction would go on with this one.
    func end() -> Bool {
        if unsafe sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
        guard unsafe sqlite3_get_autocommit(handle) != 0 else { return false }
        use = nil
        return true
    }

    /// Sets what only a writer needs: these statements read the file.
    func prepareForWriting() throws(ItemStoreError) {
        guard !isPreparedForWriting else { return }
        // Deleted and replaced boxes are overwritten in the file.
        try execute("PRAGMA secure_delete = ON")
        // What a finished `set` stored survives the power cut after it.
        try execute("PRAGMA synchronous = FULL")
        isPreparedForWriting = true
    }

    /// Waits for this process's other writers, who would only be in each other's way at SQLite's
    /// locks.
    func waitForTurn() throws(ItemStoreError) -> ProcessTurn {
        patience.begin()
        repeat {
            if let turn = ProcessTurn.wait(milliseconds: 250) { return turn }
        } while patience.isLeft()
        throw .busy
    }

    /// Runs a statement that is not needed again, before or after what else is prepared.
    func execute(_ sql: StaticString) throws(ItemStoreError) {
        let statement = unsafe try prepare(sql)
        defer { unsafe sqlite3_finalize(statement) }
        while true {
            let status = unsafe sqlite3_step(statement)
            if status == SQLITE_DONE { return }
            guard status == SQLITE_ROW else { throw error(status) }
        }
    }

    /// A prepared statement of this text, for its caller alone until ``giveBack(_:)``.
    func take(_ sql: StaticString) throws(ItemStoreError) -> OpaquePointer {
        for index in statements.indices
        where unsafe statements[index].text == sql.utf8Start && !statements[index].isTaken {
            statements[index].isTaken = true
            return unsafe statements[index].handle
        }
        let handle = unsafe try prepare(sql)
        statements.append(unsafe Prepared(text: sql.utf8Start, handle: handle))
        return unsafe handle
    }

    /// Ends the run of a statement that was taken, and forgets its values.
    func giveBack(_ statement: OpaquePointer) {
        unsafe sqlite3_reset(statement)
        unsafe sqlite3_clear_bindings(statement)
        for index in statements.indices where unsafe statements[index].handle == statement {
            statements[index].isTaken = false
        }
    }

    private func prepare(_ sql: StaticString) throws(ItemStoreError) -> OpaquePointer {
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

    /// Whether the file was checked in the state that a transaction, which has begun to read, sees.
    func wasChecked(_ storeID: [UInt8]) throws(ItemStoreError) -> Bool {
        guard let checked, checked.storeID == storeID else { return false }
        return try checked.version == dataVersion()
    }

    func noteChecked(_ storeID: [UInt8]) throws(ItemStoreError) {
        checked = (try dataVersion(), storeID)
    }

    /// SQLite's number for the state of the file; good while something is read.
    private func dataVersion() throws(ItemStoreError) -> UInt32 {
        var version: UInt32 = 0
        try check(
            unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version))
        return version
    }

    /// A row that was read before, if the file was as it was then when the transaction began.
    func recentRow(primaryTag: [UInt8], _ storeID: [UInt8]) -> ItemRow? {
        guard let row = recentRows.row(primaryTag: primaryTag), checked?.storeID == storeID else {
            return nil
        }
        guard recentRows.isCurrent(seenHeader) else {
            recentRows.removeAll()
            return nil
        }
        return row
    }

    /// Keeps a row for ``recentRow(primaryTag:_:)``, of a transaction that reads.
    func noteRead(_ row: ItemRow) {
        if let (_, bytes) = statusAndHeader(), let header = RecentRows.Header(bytes) {
            recentRows.insert(row, header)
        }
    }

    private func statusAndHeader() -> (stat, [UInt8])? {
        var status = stat()
        var bytes = [UInt8](repeating: 0, count: RecentRows.Header.byteCount)
        let result = unsafe vestry_item_file_look(
            handle, &status, &bytes, CInt(bytes.count), RecentRows.Header.offset)
        return result == 0 ? (status, bytes) : nil
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

    /// Copies every page of another database into this one, as the last finished transaction left it.
    func copyAll(from source: Connection) throws(ItemStoreError) {
        guard let backup = unsafe sqlite3_backup_init(handle, "main", source.handle, "main") else {
            throw error(unsafe sqlite3_errcode(handle))
        }
        // In one step: whoever writes in between would make it begin anew.
        let status = unsafe sqlite3_backup_step(backup, -1)
        let end = unsafe sqlite3_backup_finish(backup)
        guard status == SQLITE_DONE else { throw error(status) }
        try check(end)
    }

    /// Whether the path does not lead to the open file any more.
    func hasMoved() throws(ItemStoreError) -> Bool {
        var hasMoved: CInt = 0
        try check(
            unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved))
        return hasMoved != 0
    }

    func check(_ status: CInt) throws(ItemStoreError) {
        guard status == SQLITE_OK else { throw error(status) }
    }

    /// What a result code of SQLite means for a store.
    func error(_ status: CInt) -> ItemStoreError {
        // SQLite notes the errno of an open that failed alone: that of a write or an fsync is still the
        // thread's.
        let last = Glibc.errno
        if status & 0xFF == SQLITE_CANTOPEN, let (_, bytes) = statusAndHeader(),
            RecentRows.Header.hasLog(bytes)
        {
            return .damaged(
                reason: "a write-ahead log was set, which "
                    + "'sqlite3 \(ItemStore.fileName) \"PRAGMA journal_mode=DELETE\"' takes back")
        }
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
