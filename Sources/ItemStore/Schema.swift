/// The tables of `items.sqlite`, version 2.
///
///     store     id              16 bytes: the keybag of the same store has the same
///     item      row             internal number, never used again outside this file
///               reference       16 random bytes, the item's name for life
///               item_class      1 generic password, 2 internet password, 3 certificate, 4 key
///               accessibility   raw value of the accessibility class
///               access_control  flags of the access control, 0: none
///               expires         seconds since 1970, or 2^63 - 1: never
///               epoch           of the class key that seals the metadata
///               version         counts this row's writes, from 1
///               value_epoch     of the class key that seals the value
///               value_version   the version with which the value was written
///               primary_tag     32 bytes: stands for what makes the item unique
///               metadata        sealed box
///               value           sealed box; the last column, so that listing reads none of it
///     tag       tag, item       32 bytes for one searchable attribute, and the row that has it
///     old_value row             ascending in the order of replacement
///               reference       the item's
///               accessibility, access_control, value_epoch, value_version, value
///                               as the item had them with this value
///               epoch           of the class key that seals the note
///               note            sealed box: when the value was replaced, and what vouches for it
///     deleted   row             ascending in the order of deletion
///               gone            seconds since 1970 from which on nothing of it is kept
///               tags            what `tag` had for it, one after the other
///               and             every column of `item`, as it was
///     class_epoch class, least  of a class whose key was rotated: the least epoch to seal with
///
/// The last three came with version 2; version 1 is read as if they were empty.
///
/// `application_id` is "Vsty", `user_version` the number of the schema. No attribute stands in the
/// clear but two: when an item ends, and when a deleted one does, so that it can be removed without any
/// key. The number of items, of old values and of deleted items, their classes and sizes do.
enum Schema {
    static let version: Int64 = 2
    /// Those that are read, and brought to ``version`` before they are written to.
    static let readableVersions: ClosedRange<Int64> = 1...2
    /// "Vsty" in ASCII; shown by file(1).
    static let applicationID: Int64 = 0x5673_7479

    /// The bytes of a file without items.
    static func emptyFile(storeID: [UInt8]) throws(ItemStoreError) -> [UInt8] {
        try emptyDatabase(storeID: storeID).serialized()
    }

    /// A database without items, in memory.
    static func emptyDatabase(storeID: [UInt8]) throws(ItemStoreError) -> Database {
        let database = try Database(.memory)
        try database.execute("PRAGMA application_id = 0x56737479")
        try database.execute("PRAGMA user_version = 2")
        try database.execute("BEGIN")
        try database.execute(
            "CREATE TABLE store (id BLOB NOT NULL CHECK (length(id) = 16)) STRICT")
        try database.execute(
            """
            CREATE TABLE item (
                row INTEGER PRIMARY KEY,
                reference BLOB NOT NULL UNIQUE CHECK (length(reference) = 16),
                item_class INTEGER NOT NULL,
                accessibility INTEGER NOT NULL,
                access_control INTEGER NOT NULL,
                expires INTEGER NOT NULL,
                epoch INTEGER NOT NULL,
                version INTEGER NOT NULL CHECK (version > 0),
                value_epoch INTEGER NOT NULL,
                value_version INTEGER NOT NULL CHECK (value_version > 0),
                primary_tag BLOB NOT NULL UNIQUE CHECK (length(primary_tag) = 32),
                metadata BLOB NOT NULL,
                value BLOB NOT NULL
            ) STRICT
            """)
        try database.execute(
            """
            CREATE TABLE tag (
                tag BLOB NOT NULL CHECK (length(tag) = 32),
                item INTEGER NOT NULL REFERENCES item (row) ON DELETE CASCADE,
                PRIMARY KEY (tag, item)
            ) STRICT, WITHOUT ROWID
            """)
        try database.execute("CREATE INDEX tag_by_item ON tag (item)")
        try database.execute(
            """
            CREATE INDEX item_by_end ON item (expires) WHERE expires < 9223372036854775807
            """)
        try addTablesOfVersion2(to: database)
        let insertion = try Statement("INSERT INTO store (id) VALUES (?1)", on: database)
        try insertion.bind(storeID, at: 1)
        try insertion.run()
        try database.execute("COMMIT")
        return database
    }

    /// Refuses what is not the item file of this store in a format that this program knows.
    ///
    /// - Parameters:
    ///   - database: In a transaction.
    ///   - storeID: Nil where any store's will do.
    /// - Throws: `ItemStoreError`: `damaged`, `newerFormat`, `foreignStore`.
    static func check(_ database: Database, storeID: [UInt8]?) throws(ItemStoreError) {
        if let storeID, try database.wasChecked(storeID) { return }
        // An empty file is a database for SQLite; here it is one that lost its contents.
        guard try number("PRAGMA application_id", on: database) == applicationID else {
            throw .damaged(reason: "not an item file")
        }
        let actualVersion = try number("PRAGMA user_version", on: database)
        guard actualVersion <= version else { throw .newerFormat(version: actualVersion) }
        guard readableVersions.contains(actualVersion) else {
            throw .damaged(reason: "no such schema version")
        }

        let query = try Statement("SELECT id FROM store", on: database)
        guard try query.step() else { throw .damaged(reason: "no store id") }
        let actualID = try query.bytes(at: 0, count: 16...16)
        guard try !query.step() else { throw .damaged(reason: "two store ids") }
        guard storeID == nil || actualID == storeID else { throw .foreignStore }
        try database.noteChecked(actualID)
    }

    static func number(
        _ sql: StaticString, on database: Database
    ) throws(ItemStoreError) -> Int64 {
        let query = try Statement(sql, on: database)
        guard try query.step() else { throw .damaged(reason: "no file header") }
        return try query.integer(at: 0)
    }
}
