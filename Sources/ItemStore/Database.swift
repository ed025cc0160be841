internal import CSQLite
internal import Glibc
internal import LinuxSystem

/// A connection to SQLite, as one transaction has it.
///
/// The transaction is over, and what is not durable undone, when the last reference goes: that of a
/// statement that still reads counts too.
final class Database {
    private let connection: Connection
    private let isKeptOpen: Bool
    private var turn: ProcessTurn?
    /// Who lends the connection, and may lend it again when this is gone.
    private let lender: (any AnyObject)?

    /// A database in memory.
    init() throws(ItemStoreError) {
        connection = try Connection(.memory)
        isKeptOpen = false
        lender = nil
    }

    init(
        _ file: ItemFile, in folder: String, _ identity: FileIdentity,
        lentBy lender: (any AnyObject)?
    ) throws(ItemStoreError) {
        connection = try file.connection(in: folder, identity)
        isKeptOpen = file.isKeptOpen
        self.lender = lender
        try connection.begin()
    }

    deinit {
        // Closing ends everything too, and a fork must not come in between.
        if isKeptOpen { connection.end() }
    }

    /// Prepares for changes; the turn among this process's writers lasts as long as the transaction.
    func prepareForWriting() throws(ItemStoreError) {
        try connection.prepareForWriting()
        turn = try connection.waitForTurn()
    }

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
