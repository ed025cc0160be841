internal import CSQLite
internal import Glibc
internal import LinuxSystem

/// A connection to SQLite, as one transaction has it.
///
/// The transaction is over, and what is not durable undone, when the last reference goes: that of a
/// statement that still reads counts too.
@safe
final class Database {
    private let connection: Connection
    private let file: ItemFile?
    private var turn: ProcessTurn?
    /// Who lends the connection, and may lend it again when this is gone.
    private let lender: (any AnyObject)?
    /// The first read, which is not finished: SQLite holds its read lock for as long.
    private var firstRead: OpaquePointer?

    /// A database for this transaction alone.
    init(_ place: Connection.Place) throws(ItemStoreError) {
        connection = try Connection(place)
        file = nil
        lender = nil
    }

    init(
        _ connection: Connection, of file: ItemFile, lentBy lender: (any AnyObject)?
    ) throws(ItemStoreError) {
        self.connection = connection
        self.file = file
        self.lender = lender
        try connection.begin()
    }

    deinit {
        endReading()
        // Before another writer of this process has its turn, whatever came of this one.
        let hasEnded = connection.end()
        if let file, !hasEnded || !file.isKeptOpen { file.close() }
    }

    var isKeptOpen: Bool { file?.isKeptOpen == true }

    var isReading: Bool { unsafe firstRead != nil }

    /// Begins to read: from here on, all reads see the same state of the file.
    func beginReading() throws(ItemStoreError) {
        let statement = unsafe try connection.take("PRAGMA schema_version")
        unsafe firstRead = statement
        let status = unsafe sqlite3_step(statement)
        guard status == SQLITE_ROW else {
            let failure = error(status)
            endReading()
            throw failure
        }
    }

    func endReading() {
        if let firstRead = unsafe firstRead { unsafe connection.giveBack(firstRead) }
        unsafe firstRead = nil
    }

    /// A row that was read before, where the file is kept open and nothing was read yet.
    func recentRow(primaryTag: [UInt8], _ storeID: [UInt8]) -> ItemRow? {
        guard file?.isKeptOpen == true, unsafe firstRead == nil else { return nil }
        return connection.recentRow(primaryTag: primaryTag, storeID)
    }

    /// Keeps a row that was read with both boxes.
    func noteRead(_ row: ItemRow) {
        // What a writer reads may never be durable.
        if file?.isKeptOpen == true, unsafe firstRead != nil { connection.noteRead(row) }
    }

    /// Prepares for changes; the turn among this process's writers lasts as long as the transaction.
    func prepareForWriting() throws(ItemStoreError) {
        try connection.prepareForWriting()
        turn = try connection.waitForTurn()
    }

    func hasMoved() throws(ItemStoreError) -> Bool { try connection.hasMoved() }

    func execute(_ sql: StaticString) throws(ItemStoreError) {
        let statement = try Statement(sql, on: self)
        while try statement.step() {}
    }

    func take(_ sql: StaticString) throws(ItemStoreError) -> OpaquePointer {
        unsafe try connection.take(sql)
    }

    func giveBack(_ statement: OpaquePointer) { unsafe connection.giveBack(statement) }

    func wasChecked(_ storeID: [UInt8]) throws(ItemStoreError) -> Bool {
        try connection.wasChecked(storeID)
    }

    func noteChecked(_ storeID: [UInt8]) throws(ItemStoreError) {
        try connection.noteChecked(storeID)
    }

    var lastInsertedRow: Int64 { connection.lastInsertedRow }
    var changedRowCount: CInt { connection.changedRowCount }

    /// The file that SQLite would write for this database.
    func serialized() throws(ItemStoreError) -> [UInt8] { try connection.serialized() }

    func check(_ status: CInt) throws(ItemStoreError) { try connection.check(status) }

    func error(_ status: CInt) -> ItemStoreError { connection.error(status) }
}
