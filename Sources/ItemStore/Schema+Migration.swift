extension Schema {
    /// Brings the file of an older version to this one, inside the transaction that is open.
    ///
    /// Only tables are added: no row is copied or changed, so that this costs the same however many items
    /// there are, and `foreign_keys`, which cannot be switched inside of a transaction, does not matter.
    static func migrate(_ database: Database, from actualVersion: Int64) throws(ItemStoreError) {
        guard actualVersion == 1 else { throw .damaged(reason: "no such schema version") }
        try addTablesOfVersion2(to: database)
        try database.execute("PRAGMA user_version = 2")
    }

    static func addTablesOfVersion2(to database: Database) throws(ItemStoreError) {
        try database.execute(
            """
            CREATE TABLE old_value (
                row INTEGER PRIMARY KEY,
                reference BLOB NOT NULL CHECK (length(reference) = 16),
                accessibility INTEGER NOT NULL,
                access_control INTEGER NOT NULL,
                epoch INTEGER NOT NULL,
                value_epoch INTEGER NOT NULL,
                value_version INTEGER NOT NULL CHECK (value_version > 0),
                note BLOB NOT NULL,
                value BLOB NOT NULL,
                UNIQUE (reference, value_version)
            ) STRICT
            """)
        try database.execute(
            """
            CREATE TABLE deleted (
                row INTEGER PRIMARY KEY,
                gone INTEGER NOT NULL,
                reference BLOB NOT NULL UNIQUE CHECK (length(reference) = 16),
                item_class INTEGER NOT NULL,
                accessibility INTEGER NOT NULL,
                access_control INTEGER NOT NULL,
                expires INTEGER NOT NULL,
                epoch INTEGER NOT NULL,
                version INTEGER NOT NULL CHECK (version > 0),
                value_epoch INTEGER NOT NULL,
                value_version INTEGER NOT NULL CHECK (value_version > 0),
                primary_tag BLOB NOT NULL CHECK (length(primary_tag) = 32),
                tags BLOB NOT NULL CHECK (length(tags) % 32 = 0),
                metadata BLOB NOT NULL,
                value BLOB NOT NULL
            ) STRICT
            """)
        try database.execute("CREATE INDEX deleted_by_tag ON deleted (primary_tag)")
        try database.execute("CREATE INDEX deleted_by_end ON deleted (gone)")
        try database.execute(
            """
            CREATE TABLE class_epoch (
                class INTEGER PRIMARY KEY,
                least INTEGER NOT NULL CHECK (least > 0)
            ) STRICT
            """)
    }
}

extension ItemStore {
    /// Whether the file is of an older version, which must be brought to this one before anything is
    /// written: only then it has the tables for what is kept.
    public func needsMigration() throws(ItemStoreError) -> Bool {
        try Schema.number("PRAGMA user_version", on: database) < Schema.version
    }

    /// Brings the file to this version, as a part of this transaction.
    ///
    /// - Throws: `ItemStoreError`.
    public func migrate() throws(ItemStoreError) {
        let actualVersion = try Schema.number("PRAGMA user_version", on: database)
        guard actualVersion < Schema.version else { return }
        try Schema.migrate(database, from: actualVersion)
    }
}
