public import LinuxSystem

/// An item file that may be damaged, read row by row past what cannot be read.
///
/// Like ``ItemStore`` it is one transaction, and sees one state of the file.
public struct ItemFileExamination: ~Copyable {
    /// What is wrong with the file as a whole, in words; empty for a sound one.
    ///
    /// None of them holds anything of an item.
    public let faults: [String]
    let database: Database
    /// Whether SQLite reads anything of it.
    private let isReadable: Bool

    /// Most faults that are told.
    private static let faultLimit = 100
    /// Most numbers that are tried one by one where nothing says which rows there are.
    private static let gapLimit: Int64 = 100_000

    /// Opens the file of a store.
    ///
    /// - Parameters:
    ///   - directory: The checked store directory.
    ///   - storeID: 16 bytes, as the keybag has them; nil where there is no keybag to compare with.
    ///   - isWriter: Whether other writers are kept out until this value goes.
    /// - Returns: Nil when there is no item file.
    /// - Throws: `ItemStoreError` for what is no damage: `file`, `busy`, `newerFormat`, `foreignStore`,
    ///   `readOnly`.
    public static func open(
        in directory: borrowing StoreDirectory, storeID: [UInt8]?, isWriter: Bool
    ) throws(ItemStoreError) -> ItemFileExamination? {
        guard try ItemStore.isPresent(in: directory) else { return nil }
        return try ItemFileExamination(
            path: ItemStore.path(in: directory), storeID: storeID, isWriter: isWriter)
    }

    private init(
        path: String, storeID: [UInt8]?, isWriter: Bool
    ) throws(ItemStoreError) {
        let database = try Database(.file(path: path))
        var faults: [String] = []
        var isReadable = true
        do throws(ItemStoreError) {
            if isWriter { try database.prepareForWriting() }
            try database.execute(isWriter ? "BEGIN IMMEDIATE" : "BEGIN")
            // Somebody has replaced it while this one waited.
            if isWriter, try database.hasMoved() { throw ItemStoreError.busy }
            try Schema.check(database, storeID: storeID)
        } catch .damaged(let reason) {
            faults.append(reason)
        }
        do throws(ItemStoreError) {
            faults += try Self.structuralFaults(of: database)
        } catch .damaged(let reason) {
            isReadable = false
            if !faults.contains(reason) { faults.append(reason) }
        }
        self.database = database
        self.faults = Array(faults.prefix(Self.faultLimit))
        self.isReadable = isReadable
    }

    // MARK: - The file

    /// What is wrong with pages, indexes, references and tables.
    private static func structuralFaults(
        of database: Database
    ) throws(ItemStoreError) -> [String] {
        var faults: [String] = []
        let check = try Statement("PRAGMA integrity_check(100)", on: database)
        do throws(ItemStoreError) {
            while try check.step() {
                let text = check.text(at: 0)
                if text != "ok" { faults.append(text) }
            }
        } catch .damaged(let reason) {
            // Pages that are not this file's can still leave others readable.
            faults.append(reason)
        }
        let orphans = try Statement("PRAGMA foreign_key_check", on: database)
        var orphanCount = 0
        do throws(ItemStoreError) {
            while try orphans.step() { orphanCount += 1 }
        } catch .damaged {
            // The integrity check has found it too.
        }
        if orphanCount > 0 { faults.append("tags that belong to no item: \(orphanCount)") }
        let version = try Schema.number("PRAGMA user_version", on: database)
        if try Schema.parts(of: database) != Schema.expectedParts(of: version) {
            faults.append("its tables are not those of an item file")
        }
        return faults
    }

    // MARK: - Rows

    /// Whether the table of items can be read from its beginning to its end.
    public var isComplete: Bool {
        isReadable && column("SELECT row FROM item ORDER BY row").isComplete
    }

    /// The numbers of the rows that there are, ascending; of a damaged file, also of those that must
    /// have been there.
    public func numbers() -> [Int64] {
        guard isReadable else { return [] }
        let ascending = column("SELECT row FROM item ORDER BY row")
        guard !ascending.isComplete || !faults.isEmpty else { return ascending.numbers }
        let byReference = column("SELECT row FROM item INDEXED BY sqlite_autoindex_item_1")
        var numbers = Set(ascending.numbers).union(byReference.numbers)
        if !ascending.isComplete {
            // What the table does not show from its beginning, it may show from its end.
            let descending = column("SELECT row FROM item ORDER BY row DESC")
            numbers.formUnion(descending.numbers)
            let byItem = column("SELECT item FROM tag INDEXED BY tag_by_item")
            let byTag = column("SELECT item FROM tag")
            numbers.formUnion(byItem.numbers + byTag.numbers)
            // Every item has a reference and tags: one whole index shows all of them.
            if ![byReference, byItem, byTag].contains(where: \.isComplete) {
                let first = (ascending.numbers.last ?? 0) + 1
                numbers.formUnion(inGap(from: first, to: descending.numbers.last ?? .max))
            }
        }
        return numbers.filter { $0 > 0 }.sorted()
    }

    /// Rows that only their own numbers find.
    private func inGap(from first: Int64, to last: Int64) -> [Int64] {
        guard first > 0, first <= last, let probe = try? ItemRowReader(.metadata, on: database)
        else { return [] }
        let end = last - first >= Self.gapLimit ? first + Self.gapLimit - 1 : last
        return (first...end).filter { number in
            let row: ItemRow?? = try? probe.rowIfPresent(number)
            return row != .some(nil) && row != nil
        }
    }

    func column(_ sql: StaticString) -> (numbers: [Int64], isComplete: Bool) {
        var numbers: [Int64] = []
        do throws(ItemStoreError) {
            let query = try Statement(sql, on: database)
            while try query.step() { numbers.append(try query.integer(at: 0)) }
            return (numbers, true)
        } catch {
            return (numbers, false)
        }
    }

    /// What can be read of one row.
    public enum Reading: Sendable {
        /// Nothing has this number any more but a tag or an index.
        case absent
        /// Not even its attributes can be read.
        case unreadable(reason: String)
        /// The value is nil when it cannot be read.
        case row(ItemRow)
    }

    /// Reads one row, or what there is of it.
    public func reading(_ number: Int64) -> Reading {
        do throws(ItemStoreError) {
            let row = try ItemRowReader(.metadataAndValue, on: database).rowIfPresent(number)
            return row.map(Reading.row) ?? .absent
        } catch {
            // Its value can be on pages of its own.
        }
        do throws(ItemStoreError) {
            let row = try ItemRowReader(.metadata, on: database).rowIfPresent(number)
            return row.map(Reading.row) ?? .absent
        } catch {
            return .unreadable(reason: "its place in the file is damaged")
        }
    }

    /// The tags of a row.
    ///
    /// - Returns: Nil when they cannot all be read.
    public func tags(of number: Int64) -> [[UInt8]]? {
        do throws(ItemStoreError) {
            let query = try Statement("SELECT tag FROM tag WHERE item = ?1", on: database)
            try query.bind(number, at: 1)
            var tags: [[UInt8]] = []
            while try query.step() {
                tags.append(
                    try query.bytes(at: 0, count: ItemRow.tagByteCount...ItemRow.tagByteCount))
            }
            return tags
        } catch {
            return nil
        }
    }
}

extension Schema {
    /// The tables, indexes and columns that a database has, in words, ascending.
    fileprivate static func parts(of database: Database) throws(ItemStoreError) -> [String] {
        let query = try Statement(
            """
            SELECT type || ' ' || name FROM sqlite_schema
            UNION ALL
            SELECT master.name || '.' || info.name || ' ' || info.type
            FROM sqlite_schema AS master, pragma_table_info(master.name) AS info
            WHERE master.type = 'table'
            ORDER BY 1
            """, on: database)
        var parts: [String] = []
        while try query.step() { parts.append(query.text(at: 0)) }
        return parts
    }

    fileprivate static func expectedParts(of version: Int64) throws(ItemStoreError) -> [String] {
        let database = try emptyDatabase(storeID: [UInt8](repeating: 0, count: 16))
        if version == 1 {
            try database.execute("DROP TABLE old_value")
            try database.execute("DROP TABLE deleted")
            try database.execute("DROP TABLE class_epoch")
        }
        return try parts(of: database)
    }
}
