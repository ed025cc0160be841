public import LinuxSystem

extension ItemStore {
    /// Puts everything that a copy of the file holds into the place of everything here, as a part of
    /// this transaction; least epochs stay.
    ///
    /// Whoever has the file open goes on with it: it is the same file, and SQLite's locks keep everybody
    /// apart. A transaction does this once.
    ///
    /// - Parameters:
    ///   - directory: The checked folder of the copy.
    ///   - storeID: 16 bytes: the copy must be of the same store.
    /// - Throws: `ItemStoreError` of the copy.
    public func replaceEverything(
        fromCopyIn directory: borrowing StoreDirectory, storeID: [UInt8]
    ) throws(ItemStoreError) {
        do {
            // The same checks as for every other reader.
            guard try Self.openForReading(in: directory, storeID: storeID) != nil else {
                throw .damaged(reason: "the copy has no items")
            }
        }
        // The copy stays attached as long as the connection is open, which ends with this transaction.
        closeAfterwards()
        let attachment = try Statement("ATTACH ?1 AS copy", on: database)
        // SQLite takes bytes for a text here.
        try attachment.bind(Array((directory.path + "/" + Self.fileName).utf8), at: 1)
        try attachment.run()
        attachment.reset()
        let version = try Schema.number("PRAGMA copy.user_version", on: database)
        for table: StaticString in [
            "DELETE FROM tag", "DELETE FROM item", "DELETE FROM old_value", "DELETE FROM deleted",
            "INSERT INTO main.item SELECT * FROM copy.item",
            "INSERT INTO main.tag SELECT * FROM copy.tag",
        ] { try database.execute(table) }
        guard version > 1 else { return }
        try database.execute("INSERT INTO main.old_value SELECT * FROM copy.old_value")
        try database.execute("INSERT INTO main.deleted SELECT * FROM copy.deleted")
    }
}
