/// A value that an item had before its present one.
public struct OldValueRow: Sendable {
    /// Ascending in the order of replacement.
    public let number: Int64
    /// The item as it was with that value, as far as that matters for its boxes: the metadata is the
    /// note, and the row's version that of the value.
    public var row: ItemRow

    public init(number: Int64, row: ItemRow) {
        self.number = number
        self.row = row
    }
}

/// How much of an item's past is kept.
public struct HistoryLimit: Equatable, Sendable {
    public let valueCount: Int
    /// Of all old values of one item together.
    public let byteCount: Int

    public init(valueCount: Int, byteCount: Int) {
        self.valueCount = valueCount
        self.byteCount = byteCount
    }
}

extension ItemStore {
    /// Keeps the stored value of an item as an old one; its box is copied as it is, without any key.
    ///
    /// - Parameters:
    ///   - old: The item's row before the change, whose metadata is the old value's note.
    ///   - limit: What goes beyond it is removed, the oldest first.
    /// - Throws: `ItemStoreError`.
    public func keepValue(of old: ItemRow, limit: HistoryLimit) throws(ItemStoreError) {
        let insertion = try Statement(
            """
            INSERT INTO old_value (reference, accessibility, access_control, epoch, value_epoch,
                value_version, note, value)
            SELECT reference, accessibility, access_control, ?2, value_epoch, value_version, ?3, value
            FROM item WHERE reference = ?1
            """, on: database)
        try insertion.bind(old.reference, at: 1)
        try insertion.bind(Int64(old.epoch), at: 2)
        try insertion.bind(old.metadata, at: 3)
        try insertion.run()
        try trimOldValues(of: old.reference, to: limit)
    }

    private func trimOldValues(
        of reference: [UInt8], to limit: HistoryLimit
    ) throws(ItemStoreError) {
        let query = try Statement(
            """
            SELECT row, length(value) FROM old_value WHERE reference = ?1 ORDER BY row DESC
            """, on: database)
        try query.bind(reference, at: 1)
        var (count, bytes): (Int, Int64) = (0, 0)
        var surplus: [Int64] = []
        while try query.step() {
            let number = try query.integer(at: 0)
            count += 1
            bytes = bytes.addingReportingOverflow(try query.integer(at: 1)).partialValue
            if count > limit.valueCount || bytes > limit.byteCount { surplus.append(number) }
        }
        for number in surplus { try deleteOldValue(number) }
    }

    /// The old values of an item, the newest first.
    ///
    /// - Parameters:
    ///   - item: Its row, or the one that was deleted.
    ///   - boxes: Whether the values are read too, besides the notes.
    /// - Returns: None for a file of version 1.
    /// - Throws: `ItemStoreError`.
    public func oldValues(
        of item: ItemRow, boxes: ItemBoxes
    ) throws(ItemStoreError) -> [OldValueRow] {
        guard try !needsMigration() else { return [] }
        let query: Statement
        switch boxes {
        case .metadata:
            query = try Statement(
                """
                SELECT row, accessibility, access_control, epoch, value_epoch, value_version, note
                FROM old_value WHERE reference = ?1 ORDER BY row DESC
                """, on: database)
        case .metadataAndValue:
            query = try Statement(
                """
                SELECT row, accessibility, access_control, epoch, value_epoch, value_version, note,
                    value
                FROM old_value WHERE reference = ?1 ORDER BY row DESC
                """, on: database)
        }
        try query.bind(item.reference, at: 1)
        var values: [OldValueRow] = []
        while try query.step() { values.append(try OldValueRow(query, of: item, boxes: boxes)) }
        return values
    }

    /// Puts other boxes into an old value, sealed anew.
    public func replaceOldValue(_ old: OldValueRow) throws(ItemStoreError) {
        let update = try Statement(
            """
            UPDATE old_value SET accessibility = ?2, access_control = ?3, epoch = ?4,
                value_epoch = ?5, value_version = ?6, note = ?7, value = ?8
            WHERE row = ?1
            """, on: database)
        try update.bind(old.number, at: 1)
        try update.bind(Int64(old.row.accessibility), at: 2)
        try update.bind(Int64(old.row.accessControl), at: 3)
        try update.bind(Int64(old.row.epoch), at: 4)
        try update.bind(Int64(old.row.valueEpoch), at: 5)
        try update.bind(old.row.valueVersion, at: 6)
        try update.bind(old.row.metadata, at: 7)
        try update.bind(old.row.value ?? [], at: 8)
        try update.run()
    }

    /// Removes one old value, if it is there.
    public func deleteOldValue(_ number: Int64) throws(ItemStoreError) {
        let deletion = try Statement("DELETE FROM old_value WHERE row = ?1", on: database)
        try deletion.bind(number, at: 1)
        try deletion.run()
    }

    /// Removes the old values of one item.
    ///
    /// - Returns: How many there were.
    /// - Throws: `ItemStoreError`.
    @discardableResult
    public func deleteOldValues(of reference: [UInt8]) throws(ItemStoreError) -> Int {
        let deletion = try Statement("DELETE FROM old_value WHERE reference = ?1", on: database)
        try deletion.bind(reference, at: 1)
        try deletion.run()
        return Int(database.changedRowCount)
    }

    /// Removes the old values of all items, those of deleted ones too.
    ///
    /// - Returns: How many there were.
    /// - Throws: `ItemStoreError`.
    public func deleteAllOldValues() throws(ItemStoreError) -> Int {
        // The condition makes SQLite count.
        let deletion = try Statement("DELETE FROM old_value WHERE row IS NOT NULL", on: database)
        try deletion.run()
        return Int(database.changedRowCount)
    }
}

extension OldValueRow {
    init(
        _ query: borrowing Statement, of item: ItemRow, boxes: ItemBoxes
    ) throws(ItemStoreError) {
        number = try query.integer(at: 0)
        let version = try query.integer(at: 5)
        row = ItemRow(
            reference: item.reference, itemClass: item.itemClass,
            accessibility: try query.integer(at: 1, as: UInt8.self),
            accessControl: try query.integer(at: 2, as: UInt32.self),
            epoch: try query.integer(at: 3, as: UInt32.self), version: version,
            valueEpoch: try query.integer(at: 4, as: UInt32.self), valueVersion: version,
            primaryTag: item.primaryTag,
            metadata: try query.bytes(at: 6, count: 0...ItemRow.maximumMetadataByteCount),
            value: boxes == .metadata
                ? nil : try query.bytes(at: 7, count: 0...ItemRow.maximumValueByteCount))
    }
}
