public import LinuxSystem

/// An item file that is put together in memory, and takes the old one's place in one step.
public struct NewItemFile: ~Copyable {
    let items: ItemStore

    /// A file without items.
    ///
    /// - Parameter storeID: 16 bytes, as the keybag has them.
    /// - Throws: `ItemStoreError` when there is not enough memory.
    public init(storeID: [UInt8]) throws(ItemStoreError) {
        let database = try Schema.emptyDatabase(storeID: storeID)
        try database.execute("PRAGMA foreign_keys = ON")
        try database.execute("BEGIN")
        items = ItemStore(database)
    }

    /// Adds an item, as ``ItemStore/insert(_:tags:)``.
    public func insert(_ row: ItemRow, tags: [[UInt8]]) throws(ItemStoreError) {
        // Of a row that is refused nothing stays.
        try items.database.execute("SAVEPOINT row")
        do throws(ItemStoreError) {
            try items.insert(row, tags: tags)
        } catch {
            try items.database.execute("ROLLBACK TO row")
            try items.database.execute("RELEASE row")
            throw error
        }
        try items.database.execute("RELEASE row")
    }

    /// Writes the file in one step, where there is none.
    ///
    /// - Parameters:
    ///   - directory: The checked store directory.
    ///   - oldName: A free name; with "-journal" behind it, for a journal that is left.
    /// - Throws: `ItemStoreError`, `busy` where another program has made one meanwhile.
    public consuming func create(
        in directory: borrowing StoreDirectory, keepingOldAs oldName: String
    ) throws(ItemStoreError) {
        try items.database.execute("COMMIT")
        let bytes = try items.database.serialized()
        let isNew: Bool
        do throws(SystemCallError) {
            // Rolled back into the new file, an old journal would destroy it.
            try directory.descriptor.renameFile(
                ItemStore.fileName + "-journal", to: oldName + "-journal")
            isNew = try directory.descriptor.createFile(ItemStore.fileName, with: bytes)
        } catch {
            throw ItemStoreError(error)
        }
        guard isNew else { throw .busy }
    }

    /// Writes the file in one step, and keeps the old one beside it.
    ///
    /// - Parameters:
    ///   - directory: The checked store directory.
    ///   - examination: Of the old file, which keeps other writers out meanwhile.
    ///   - oldName: A free name, for the old file; with "-journal" behind it, for what SQLite could
    ///     not roll back into it.
    /// - Throws: `ItemStoreError`; the old file is then still in its place.
    public consuming func replace(
        in directory: borrowing StoreDirectory,
        whileHolding examination: borrowing ItemFileExamination, keepingOldAs oldName: String
    ) throws(ItemStoreError) {
        try items.database.execute("COMMIT")
        let bytes = try items.database.serialized()
        do throws(SystemCallError) {
            // Rolled back into the new file, an old journal would destroy it.
            try directory.descriptor.renameFile(
                ItemStore.fileName + "-journal", to: oldName + "-journal")
            try directory.descriptor.replaceFile(
                ItemStore.fileName, with: bytes, keepingPreviousAs: oldName)
        } catch {
            throw ItemStoreError(error)
        }
    }
}

/// Rows that do not open, put aside with the reason: nothing of them is thrown away.
///
/// An SQLite file with the one table `quarantine`: the columns of a row as they were, empty where they
/// could not be read, from which table, and why. The metadata of an old value is its note.
public struct QuarantineFile: ~Copyable {
    private let database: Database
    public private(set) var count = 0

    public init() throws(ItemStoreError) {
        let database = try Database(.memory)
        try database.execute(
            """
            CREATE TABLE quarantine (
                place TEXT NOT NULL,
                number INTEGER NOT NULL,
                reason TEXT NOT NULL,
                reference BLOB, item_class INTEGER, accessibility INTEGER, access_control INTEGER,
                expires INTEGER, epoch INTEGER, version INTEGER, value_epoch INTEGER,
                value_version INTEGER, primary_tag BLOB, metadata BLOB, value BLOB
            ) STRICT
            """)
        self.database = database
    }

    /// Adds what there is of a row.
    ///
    /// - Parameters:
    ///   - row: Nil when nothing of it can be read.
    ///   - place: Its table in the damaged file.
    ///   - number: Its number there.
    ///   - reason: Without anything of the item.
    /// - Throws: `ItemStoreError` when there is not enough memory.
    public mutating func insert(
        _ row: ItemRow?, of place: RowPlace, number: Int64, reason: String
    ) throws(ItemStoreError) {
        let insertion = try Statement(
            """
            INSERT INTO quarantine (reference, item_class, accessibility, access_control, expires,
                epoch, version, value_epoch, value_version, primary_tag, metadata, value, number,
                reason, place)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, CAST(?14 AS TEXT),
                CAST(?15 AS TEXT))
            """, on: database)
        if let row {
            try row.bind(to: insertion)
            if let value = row.value { try insertion.bind(value, at: 12) }
        }
        try insertion.bind(number, at: 13)
        try insertion.bind(Array(reason.utf8), at: 14)
        try insertion.bind(Array(place.rawValue.utf8), at: 15)
        try insertion.run()
        count += 1
    }

    /// Writes the file under a free name.
    public func write(
        as name: String, in directory: borrowing StoreDirectory
    ) throws(ItemStoreError) {
        let bytes = try database.serialized()
        let isNew: Bool
        do throws(SystemCallError) {
            isNew = try directory.descriptor.createFile(name, with: bytes)
        } catch {
            throw ItemStoreError(error)
        }
        guard isNew else { throw .busy }
    }
}
