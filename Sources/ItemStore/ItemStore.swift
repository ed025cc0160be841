public import LinuxSystem

internal import Glibc

/// The item file of one store, open for one transaction.
///
/// A value of this type *is* the transaction: it sees one state of the file from its beginning to
/// its end, and what it has written is undone unless ``commit()`` returns. It knows rows, sealed
/// boxes and tags, and neither keys nor plaintext.
///
/// The file is opened for each operation: that costs 45 microseconds, leaves no descriptor in
/// long-running programs, and lets a restored backup take effect at once.
public struct ItemStore: ~Copyable {
    public static let fileName = "items.sqlite"

    private let database: Database

    /// Opens the file to read from it; also where nothing can be written.
    ///
    /// - Parameters:
    ///   - directory: The checked store directory.
    ///   - storeID: 16 bytes, as the keybag has them.
    /// - Returns: Nil when there is no item file: nothing was stored yet.
    /// - Throws: `ItemStoreError`.
    public static func openForReading(
        in directory: borrowing StoreDirectory, storeID: [UInt8]
    ) throws(ItemStoreError) -> ItemStore? {
        guard try isPresent(in: directory) else { return nil }
        return try ItemStore(path: path(in: directory), storeID: storeID, begin: "BEGIN")
    }

    /// Opens the file to change it, as the only writer.
    ///
    /// - Parameters:
    ///   - directory: The checked store directory.
    ///   - storeID: 16 bytes, as the keybag has them.
    ///   - creating: Whether a missing file is made.
    /// - Returns: Nil when there is no item file and none was to be made.
    /// - Throws: `ItemStoreError`; `busy` when another writer did not finish in five seconds.
    public static func openForWriting(
        in directory: borrowing StoreDirectory, storeID: [UInt8], creating: Bool
    ) throws(ItemStoreError) -> ItemStore? {
        if try !isPresent(in: directory) {
            guard creating else { return nil }
            let emptyFile = try Schema.emptyFile(storeID: storeID)
            do {
                // False means that another process was first: its file is as good.
                _ = try directory.descriptor.createFile(fileName, with: emptyFile)
            } catch {
                throw ItemStoreError(error)
            }
            guard try isPresent(in: directory) else {
                throw .file(.system(SystemCallError("open", errno: ENOENT)))
            }
        }
        return try ItemStore(path: path(in: directory), storeID: storeID, begin: "BEGIN IMMEDIATE")
    }

    private init(path: String, storeID: [UInt8], begin: StaticString) throws(ItemStoreError) {
        let database = try Database(.file(path: path))
        try database.execute(begin)
        // Inside the transaction, so that what is checked is what is used.
        try Schema.check(database, storeID: storeID)
        self.database = database
    }

    private static func path(in directory: borrowing StoreDirectory) -> String {
        directory.path + "/" + fileName
    }

    /// Checks the file, and the journal that SQLite would roll back into it, by name.
    ///
    /// Never by opening them: closing any descriptor of a file drops all POSIX locks that this
    /// process has on it (fcntl(2)), those of another thread's transaction included. The names are
    /// in a directory that only their owner can change.
    private static func isPresent(
        in directory: borrowing StoreDirectory
    ) throws(ItemStoreError) -> Bool {
        guard try isPrivate(fileName, in: directory) else { return false }
        _ = try isPrivate(fileName + "-journal", in: directory)
        return true
    }

    private static func isPrivate(
        _ name: String, in directory: borrowing StoreDirectory
    ) throws(ItemStoreError) -> Bool {
        do {
            try directory.descriptor.checkPrivate(name, ownedBy: directory.owner)
            return true
        } catch .system(let error) where error.errno == ENOENT {
            return false
        } catch {
            throw .file(error)
        }
    }

    /// The item with this primary-key tag, or nil.
    public func row(
        primaryTag: [UInt8], boxes: ItemBoxes
    ) throws(ItemStoreError) -> ItemRow? {
        let query: Statement
        switch boxes {
        case .metadata:
            query = try Statement(
                """
                SELECT reference, item_class, accessibility, access_control, epoch, version,
                    primary_tag, metadata FROM item WHERE primary_tag = ?1
                """, on: database)
        case .metadataAndValue:
            query = try Statement(
                """
                SELECT reference, item_class, accessibility, access_control, epoch, version,
                    primary_tag, metadata, value FROM item WHERE primary_tag = ?1
                """, on: database)
        }
        try query.bind(primaryTag, at: 1)
        guard try query.step() else { return nil }
        return try ItemRow(query, boxes: boxes)
    }

    /// Every item, or every item that has a tag; metadata only, in no order.
    public func rows(tag: [UInt8]?) throws(ItemStoreError) -> [ItemRow] {
        let query: Statement
        if let tag {
            query = try Statement(
                """
                SELECT reference, item_class, accessibility, access_control, epoch, version,
                    primary_tag, metadata FROM item JOIN tag ON tag.item = item.row
                WHERE tag.tag = ?1
                """, on: database)
            try query.bind(tag, at: 1)
        } else {
            query = try Statement(
                """
                SELECT reference, item_class, accessibility, access_control, epoch, version,
                    primary_tag, metadata FROM item
                """, on: database)
        }
        var rows: [ItemRow] = []
        while try query.step() { rows.append(try ItemRow(query, boxes: .metadata)) }
        return rows
    }

    /// Adds an item.
    ///
    /// - Parameters:
    ///   - row: With its value.
    ///   - tags: Of its searchable attributes.
    /// - Throws: `duplicate` when an item has this primary-key tag.
    public func insert(_ row: ItemRow, tags: [[UInt8]]) throws(ItemStoreError) {
        let insertion = try Statement(
            """
            INSERT INTO item (reference, item_class, accessibility, access_control, epoch, version,
                primary_tag, metadata, value)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """, on: database)
        try row.bind(to: insertion)
        try insertion.run()
        try add(tags, to: database.lastInsertedRow)
    }

    /// Replaces the item that has the row's reference, with all its tags.
    ///
    /// - Parameters:
    ///   - row: With its value.
    ///   - tags: Of its searchable attributes.
    /// - Throws: `damaged` when this transaction has no such item.
    public func update(_ row: ItemRow, tags: [[UInt8]]) throws(ItemStoreError) {
        let number = try number(of: row.reference)
        let update = try Statement(
            """
            UPDATE item SET item_class = ?2, accessibility = ?3, access_control = ?4, epoch = ?5,
                version = ?6, primary_tag = ?7, metadata = ?8, value = ?9
            WHERE reference = ?1
            """, on: database)
        try row.bind(to: update)
        try update.run()
        let removal = try Statement("DELETE FROM tag WHERE item = ?1", on: database)
        try removal.bind(number, at: 1)
        try removal.run()
        try add(tags, to: number)
    }

    /// Removes the item with this primary-key tag.
    ///
    /// - Returns: False when there is none.
    public func delete(primaryTag: [UInt8]) throws(ItemStoreError) -> Bool {
        let deletion = try Statement("DELETE FROM item WHERE primary_tag = ?1", on: database)
        try deletion.bind(primaryTag, at: 1)
        try deletion.run()
        return database.changedRowCount > 0
    }

    /// Makes everything written durable, as one step, and ends the transaction.
    public consuming func commit() throws(ItemStoreError) {
        try database.execute("COMMIT")
    }

    private func number(of reference: [UInt8]) throws(ItemStoreError) -> Int64 {
        let query = try Statement("SELECT row FROM item WHERE reference = ?1", on: database)
        try query.bind(reference, at: 1)
        guard try query.step() else { throw .damaged(reason: "the item to replace is gone") }
        return try query.integer(at: 0)
    }

    private func add(_ tags: [[UInt8]], to number: Int64) throws(ItemStoreError) {
        let insertion = try Statement("INSERT INTO tag (tag, item) VALUES (?1, ?2)", on: database)
        for tag in tags {
            try insertion.bind(tag, at: 1)
            try insertion.bind(number, at: 2)
            try insertion.run()
            insertion.reset()
        }
    }
}

extension ItemRow {
    fileprivate init(_ query: borrowing Statement, boxes: ItemBoxes) throws(ItemStoreError) {
        let tagCount = Self.tagByteCount...Self.tagByteCount
        try self.init(
            reference: query.bytes(
                at: 0, count: Self.referenceByteCount...Self.referenceByteCount),
            itemClass: query.integer(at: 1, as: UInt8.self),
            accessibility: query.integer(at: 2, as: UInt8.self),
            accessControl: query.integer(at: 3, as: UInt8.self),
            epoch: query.integer(at: 4, as: UInt32.self),
            version: query.integer(at: 5),
            primaryTag: query.bytes(at: 6, count: tagCount),
            metadata: query.bytes(at: 7, count: 0...Self.maximumMetadataByteCount),
            value: boxes == .metadata
                ? nil : query.bytes(at: 8, count: 0...Self.maximumValueByteCount))
    }

    fileprivate func bind(to statement: borrowing Statement) throws(ItemStoreError) {
        try statement.bind(reference, at: 1)
        try statement.bind(Int64(itemClass), at: 2)
        try statement.bind(Int64(accessibility), at: 3)
        try statement.bind(Int64(accessControl), at: 4)
        try statement.bind(Int64(epoch), at: 5)
        try statement.bind(version, at: 6)
        try statement.bind(primaryTag, at: 7)
        try statement.bind(metadata, at: 8)
        try statement.bind(value ?? [], at: 9)
    }
}

extension ItemStoreError {
    /// What a failure to make the file means.
    fileprivate init(_ error: SystemCallError) {
        switch error.errno {
        case ENOSPC, EDQUOT: self = .noSpace
        case EROFS: self = .readOnly
        default: self = .file(.system(error))
        }
    }
}
