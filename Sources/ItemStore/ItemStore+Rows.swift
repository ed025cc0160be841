extension ItemStore {
    /// The item with this primary-key tag, or nil.
    public func row(
        primaryTag: [UInt8], boxes: ItemBoxes
    ) throws(ItemStoreError) -> ItemRow? {
        if let row = recentRow(primaryTag: primaryTag, boxes: boxes) { return row }
        try beginReading()
        let query: Statement
        switch boxes {
        case .metadata:
            query = try Statement(
                """
                SELECT reference, item_class, accessibility, access_control, expires, epoch,
                    version, value_epoch, value_version, primary_tag, metadata
                FROM item WHERE primary_tag = ?1
                """, on: database)
        case .metadataAndValue:
            query = try Statement(
                """
                SELECT reference, item_class, accessibility, access_control, expires, epoch,
                    version, value_epoch, value_version, primary_tag, metadata, value
                FROM item WHERE primary_tag = ?1
                """, on: database)
        }
        try query.bind(primaryTag, at: 1)
        guard try query.step() else { return nil }
        let row = try ItemRow(query, boxes: boxes)
        // A file of version 1 is read by SQLite each time, until a change brings it to version 2.
        if boxes == .metadataAndValue, database.isKeptOpen, try !needsMigration() {
            database.noteRead(row)
        }
        return row
    }

    /// Reads rows by their numbers, one after the other.
    public func reader(of boxes: ItemBoxes) throws(ItemStoreError) -> ItemRowReader {
        try beginReading()
        return try ItemRowReader(boxes, on: database)
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
            INSERT INTO item (reference, item_class, accessibility, access_control, expires, epoch,
                version, value_epoch, value_version, primary_tag, metadata, value)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """, on: database)
        try row.bind(to: insertion)
        try insertion.bind(row.value ?? [], at: 12)
        try insertion.run()
        let number = database.lastInsertedRow
        try add(tags, to: number)
        try checkFound(row, as: number)
    }

    /// Replaces the item that has the row's reference, with all its tags.
    ///
    /// - Parameters:
    ///   - row: Without a value, the stored one stays.
    ///   - tags: Of its searchable attributes.
    /// - Throws: `damaged` when this transaction has no such item; `duplicate` when another one has
    ///   the row's primary-key tag.
    public func update(_ row: ItemRow, tags: [[UInt8]]) throws(ItemStoreError) {
        guard let number = try number(reference: row.reference) else {
            throw .damaged(reason: "the item to replace is gone")
        }
        let update = try Statement(
            """
            UPDATE item SET item_class = ?2, accessibility = ?3, access_control = ?4, expires = ?5,
                epoch = ?6, version = ?7, value_epoch = ?8, value_version = ?9, primary_tag = ?10,
                metadata = ?11
            WHERE reference = ?1
            """, on: database)
        try row.bind(to: update)
        try update.run()
        if let value = row.value {
            let replacement = try Statement(
                "UPDATE item SET value = ?2 WHERE row = ?1", on: database)
            try replacement.bind(number, at: 1)
            try replacement.bind(value, at: 2)
            try replacement.run()
        }
        let removal = try Statement("DELETE FROM tag WHERE item = ?1", on: database)
        try removal.bind(number, at: 1)
        try removal.run()
        try add(tags, to: number)
        try checkFound(row, as: number)
    }

    /// The number of the item with this primary-key tag, or nil.
    public func number(primaryTag: [UInt8]) throws(ItemStoreError) -> Int64? {
        let query = try Statement("SELECT row FROM item WHERE primary_tag = ?1", on: database)
        try query.bind(primaryTag, at: 1)
        guard try query.step() else { return nil }
        return try query.integer(at: 0)
    }

    /// Removes the item with this row number, if there is one; its old values are not touched.
    public func delete(number: Int64) throws(ItemStoreError) {
        let deletion = try Statement("DELETE FROM item WHERE row = ?1", on: database)
        try deletion.bind(number, at: 1)
        try deletion.run()
    }

    /// Removes the items that ended at `now`, in seconds since 1970, or before, with their old values:
    /// what has an end is not kept beyond it.
    public func deleteExpired(now: Int64) throws(ItemStoreError) {
        // The second condition lets the index be used. Mostly there are none, and to look costs less
        // than the deletions.
        let query = try Statement(
            """
            SELECT 1 FROM item WHERE expires <= ?1 AND expires < 9223372036854775807 LIMIT 1
            """, on: database)
        try query.bind(now, at: 1)
        guard try query.step() else { return }
        query.reset()
        let oldValues = try Statement(
            """
            DELETE FROM old_value WHERE reference IN (SELECT reference FROM item
                WHERE expires <= ?1 AND expires < 9223372036854775807)
            """, on: database)
        try oldValues.bind(now, at: 1)
        try oldValues.run()
        let deletion = try Statement(
            """
            DELETE FROM item WHERE expires <= ?1 AND expires < 9223372036854775807
            """, on: database)
        try deletion.bind(now, at: 1)
        try deletion.run()
    }

    /// What a damaged index would not find again must not be taken for stored.
    private func checkFound(_ row: ItemRow, as number: Int64) throws(ItemStoreError) {
        guard try self.number(primaryTag: row.primaryTag) == number else {
            throw .damaged(reason: "an index does not find what was written")
        }
    }

    func add(_ tags: [[UInt8]], to number: Int64) throws(ItemStoreError) {
        let insertion = try Statement("INSERT INTO tag (tag, item) VALUES (?1, ?2)", on: database)
        for tag in tags {
            try insertion.bind(tag, at: 1)
            try insertion.bind(number, at: 2)
            try insertion.run()
            insertion.reset()
        }
    }
}

/// A prepared statement that reads rows by their numbers.
public struct ItemRowReader: ~Copyable {
    private let boxes: ItemBoxes
    private let query: Statement

    init(_ boxes: ItemBoxes, on database: Database) throws(ItemStoreError) {
        self.boxes = boxes
        query = try Statement(boxes.itemQuery, on: database)
    }

    /// The row with this number.
    ///
    /// - Throws: `damaged` when there is none: numbers come from tags of the same transaction.
    public func row(_ number: Int64) throws(ItemStoreError) -> ItemRow {
        guard let row = try rowIfPresent(number) else {
            throw .damaged(reason: "a tag of no item")
        }
        return row
    }

    /// The row with this number, or nil when there is none.
    public func rowIfPresent(_ number: Int64) throws(ItemStoreError) -> ItemRow? {
        query.reset()
        try query.bind(number, at: 1)
        guard try query.step() else { return nil }
        return try ItemRow(query, boxes: boxes)
    }
}

extension ItemRow {
    init(
        _ query: borrowing Statement, boxes: ItemBoxes, firstColumn first: CInt = 0
    ) throws(ItemStoreError) {
        try self.init(
            reference: query.bytes(
                at: first, count: Self.referenceByteCount...Self.referenceByteCount),
            itemClass: query.integer(at: first + 1, as: UInt8.self),
            accessibility: query.integer(at: first + 2, as: UInt8.self),
            accessControl: query.integer(at: first + 3, as: UInt32.self),
            expires: query.integer(at: first + 4),
            epoch: query.integer(at: first + 5, as: UInt32.self),
            version: query.integer(at: first + 6),
            valueEpoch: query.integer(at: first + 7, as: UInt32.self),
            valueVersion: query.integer(at: first + 8),
            primaryTag: query.bytes(at: first + 9, count: Self.tagByteCount...Self.tagByteCount),
            metadata: query.bytes(at: first + 10, count: 0...Self.maximumMetadataByteCount),
            value: boxes == .metadata
                ? nil : query.bytes(at: first + 11, count: 0...Self.maximumValueByteCount))
    }

    func bind(to statement: borrowing Statement) throws(ItemStoreError) {
        try statement.bind(reference, at: 1)
        try statement.bind(Int64(itemClass), at: 2)
        try statement.bind(Int64(accessibility), at: 3)
        try statement.bind(Int64(accessControl), at: 4)
        try statement.bind(expires, at: 5)
        try statement.bind(Int64(epoch), at: 6)
        try statement.bind(version, at: 7)
        try statement.bind(Int64(valueEpoch), at: 8)
        try statement.bind(valueVersion, at: 9)
        try statement.bind(primaryTag, at: 10)
        try statement.bind(metadata, at: 11)
    }
}
