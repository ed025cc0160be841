internal import CSQLite
internal import Glibc

/// A prepared statement.
///
/// Its text is a `StaticString`, so that no data can ever become part of it.
@safe
struct Statement: ~Copyable {
    private let database: Database
    private let handle: OpaquePointer

    init(_ sql: StaticString, on database: Database) throws(ItemStoreError) {
        self.database = database
        unsafe handle = try database.prepare(sql)
    }

    deinit { unsafe sqlite3_finalize(handle) }

    func bind(_ value: Int64, at index: CInt) throws(ItemStoreError) {
        try database.check(unsafe sqlite3_bind_int64(handle, index, value))
    }

    func bind(_ bytes: [UInt8], at index: CInt) throws(ItemStoreError) {
        let status = unsafe bytes.withUnsafeBytes {
            unsafe vestry_sqlite_bind_blob(handle, index, $0.baseAddress, CInt($0.count))
        }
        try database.check(status)
    }

    /// Goes to the next row.
    ///
    /// - Returns: False when there is none.
    func step() throws(ItemStoreError) -> Bool {
        Glibc.errno = 0
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let status: throw database.error(status)
        }
    }

    /// Runs a statement that returns no rows.
    func run() throws(ItemStoreError) {
        _ = try step()
    }

    /// Makes the statement ready for other values.
    func reset() {
        unsafe sqlite3_reset(handle)
    }

    func integer(at column: CInt) throws(ItemStoreError) -> Int64 {
        guard unsafe sqlite3_column_type(handle, column) == SQLITE_INTEGER else {
            throw .damaged(reason: "a column is not a number")
        }
        return unsafe sqlite3_column_int64(handle, column)
    }

    /// Text, which may be anything: somebody else can have written the file.
    func text(at column: CInt) -> String {
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe String(
            decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// A number that fits its type in Swift.
    func integer<Number: FixedWidthInteger>(
        at column: CInt, as type: Number.Type
    ) throws(ItemStoreError) -> Number {
        guard let number = Number(exactly: try integer(at: column)) else {
            throw .damaged(reason: "a number is out of range")
        }
        return number
    }

    /// Bytes, after a check of their number: somebody else can have written the file.
    func bytes(
        at column: CInt, count: ClosedRange<Int>
    ) throws(ItemStoreError) -> [UInt8] {
        guard unsafe sqlite3_column_type(handle, column) == SQLITE_BLOB else {
            throw .damaged(reason: "a column is not a blob")
        }
        let start = unsafe sqlite3_column_blob(handle, column)
        let actual = Int(unsafe sqlite3_column_bytes(handle, column))
        guard count.contains(actual) else { throw .damaged(reason: "a blob has a wrong size") }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: actual))
    }
}
