internal import CSQLite
internal import Glibc
internal import LinuxSystem

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
