/// An item that was deleted and is kept for a while.
public struct DeletedRow: Sendable {
    /// Ascending in the order of deletion.
    public let number: Int64
    /// From when on nothing of it is kept, in seconds since 1970.
    public let gone: Int64
    /// As it was.
    public var row: ItemRow
}

/// How many deleted items are kept.
public struct DeletedLimit: Equatable, Sendable {
    public let itemCount: Int
    /// Of all of them together.
    public let byteCount: Int

    public init(itemCount: Int, byteCount: Int) {
        self.itemCount = itemCount
        self.byteCount = byteCount
    }
}

extension ItemStore {
    /// Puts an item among the deleted ones: its row as it is, without any key.
    ///
    /// - Parameters:
    ///   - number: Of the item.
    ///   - gone: Until when it is kept; its own end counts where that is earlier.
    /// - Throws: `ItemStoreError`; `damaged` when this transaction has no such item.
    public func keepDeleted(number: Int64, until gone: Int64) throws(ItemStoreError) {
        let query = try Statement(
            "SELECT tag FROM tag WHERE item = ?1 ORDER BY tag", on: database)
        try query.bind(number, at: 1)
        var tags: [UInt8] = []
        while try query.step() {
            tags += try query.bytes(at: 0, count: ItemRow.tagByteCount...ItemRow.tagByteCount)
        }
        let insertion = try Statement(
            """
            INSERT INTO deleted (gone, reference, item_class, accessibility, access_control, expires,
                epoch, version, value_epoch, value_version, primary_tag, tags, metadata, value)
            SELECT min(?2, expires), reference, item_class, accessibility, access_control, expires,
                epoch, version, value_epoch, value_version, primary_tag, ?3, metadata, value
            FROM item WHERE row = ?1
            """, on: database)
        try insertion.bind(number, at: 1)
        try insertion.bind(gone, at: 2)
        try insertion.bind(tags, at: 3)
        try insertion.run()
        guard database.changedRowCount == 1 else {
            throw .damaged(reason: "the item to delete is gone")
        }
        try delete(number: number)
    }

    /// Puts a deleted item back among the others, as it was.
    ///
    /// - Throws: `duplicate` when an item has its primary-key tag.
    public func restoreDeleted(_ number: Int64) throws(ItemStoreError) {
        let insertion = try Statement(
            """
            INSERT INTO item (reference, item_class, accessibility, access_control, expires, epoch,
                version, value_epoch, value_version, primary_tag, metadata, value)
            SELECT reference, item_class, accessibility, access_control, expires, epoch, version,
                value_epoch, value_version, primary_tag, metadata, value
            FROM deleted WHERE row = ?1
            """, on: database)
        try insertion.bind(number, at: 1)
        try insertion.run()
        guard database.changedRowCount == 1 else {
            throw .damaged(reason: "the deleted item is gone")
        }
        let item = database.lastInsertedRow
        let query = try Statement("SELECT tags FROM deleted WHERE row = ?1", on: database)
        try query.bind(number, at: 1)
        guard try query.step() else { throw .damaged(reason: "the deleted item is gone") }
        let tags = try query.bytes(at: 0, count: 0...Self.tagsByteLimit)
        query.reset()
        try add(
            stride(from: 0, to: tags.count, by: ItemRow.tagByteCount).map {
                Array(tags[$0..<min($0 + ItemRow.tagByteCount, tags.count)])
            }, to: item)
        try deleteDeleted(number)
    }

    /// Far more than an item can have searchable attributes.
    static let tagsByteLimit = 256 * ItemRow.tagByteCount

    /// The deleted items, the last deleted first.
    ///
    /// - Parameters:
    ///   - primaryTag: Those that have it; nil for all.
    ///   - reference: The one that has it; nil for all.
    /// - Returns: Their rows without values; none for a file of version 1.
    /// - Throws: `ItemStoreError`.
    public func deletedItems(
        primaryTag: [UInt8]? = nil, reference: [UInt8]? = nil
    ) throws(ItemStoreError) -> [DeletedRow] {
        guard try !needsMigration() else { return [] }
        let query: Statement
        if let key = primaryTag {
            query = try Statement(
                """
                SELECT row, gone, reference, item_class, accessibility, access_control, expires,
                    epoch, version, value_epoch, value_version, primary_tag, metadata
                FROM deleted WHERE primary_tag = ?1 ORDER BY row DESC
                """, on: database)
            try query.bind(key, at: 1)
        } else if let reference {
            query = try Statement(
                """
                SELECT row, gone, reference, item_class, accessibility, access_control, expires,
                    epoch, version, value_epoch, value_version, primary_tag, metadata
                FROM deleted WHERE reference = ?1
                """, on: database)
            try query.bind(reference, at: 1)
        } else {
            query = try Statement(
                """
                SELECT row, gone, reference, item_class, accessibility, access_control, expires,
                    epoch, version, value_epoch, value_version, primary_tag, metadata
                FROM deleted ORDER BY row DESC
                """, on: database)
        }
        var rows: [DeletedRow] = []
        while try query.step() { rows.append(try DeletedRow(query)) }
        return rows
    }

    /// Removes a deleted item for good; its old values are not touched.
    public func deleteDeleted(_ number: Int64) throws(ItemStoreError) {
        let deletion = try Statement("DELETE FROM deleted WHERE row = ?1", on: database)
        try deletion.bind(number, at: 1)
        try deletion.run()
    }

    /// Removes all deleted items and their old values for good.
    ///
    /// - Returns: How many items there were.
    /// - Throws: `ItemStoreError`.
    public func deleteAllDeleted() throws(ItemStoreError) -> Int {
        try Statement(
            "DELETE FROM old_value WHERE reference IN (SELECT reference FROM deleted)",
            on: database
        ).run()
        try Statement("DELETE FROM deleted WHERE row IS NOT NULL", on: database).run()
        return Int(database.changedRowCount)
    }

    /// Removes the deleted items whose time is over at `now`, with their old values.
    public func deleteGone(now: Int64) throws(ItemStoreError) {
        let query = try Statement("SELECT row FROM deleted WHERE gone <= ?1", on: database)
        try query.bind(now, at: 1)
        var numbers: [Int64] = []
        while try query.step() { numbers.append(try query.integer(at: 0)) }
        for number in numbers { try deleteForGood(number) }
    }

    /// Removes the deleted items beyond a limit, the first deleted first.
    public func trimDeleted(to limit: DeletedLimit) throws(ItemStoreError) {
        let query = try Statement(
            """
            SELECT row, length(metadata) + length(value) FROM deleted ORDER BY row DESC
            """, on: database)
        var (count, bytes): (Int, Int64) = (0, 0)
        var surplus: [Int64] = []
        while try query.step() {
            count += 1
            bytes = bytes.addingReportingOverflow(try query.integer(at: 1)).partialValue
            if count > limit.itemCount || bytes > limit.byteCount {
                surplus.append(try query.integer(at: 0))
            }
        }
        for number in surplus { try deleteForGood(number) }
    }

    private func deleteForGood(_ number: Int64) throws(ItemStoreError) {
        let deletion = try Statement(
            """
            DELETE FROM old_value
            WHERE reference = (SELECT reference FROM deleted WHERE row = ?1)
            """, on: database)
        try deletion.bind(number, at: 1)
        try deletion.run()
        try deleteDeleted(number)
    }
}

extension DeletedRow {
    fileprivate init(_ query: borrowing Statement) throws(ItemStoreError) {
        number = try query.integer(at: 0)
        gone = try query.integer(at: 1)
        row = try ItemRow(query, boxes: .metadata, firstColumn: 2)
    }
}
