/// Where a row stands; the raw values are the names of the tables.
public enum RowPlace: String, CaseIterable, Sendable {
    case item
    case oldValue = "old_value"
    case deleted
}

/// A row, as far as it says which keys seal it.
public struct SealedRowNumber: Sendable {
    public let number: Int64
    public let sealing: RowSealing
}

extension ItemStore {
    /// The rows of one kind in the order of their numbers, a part of them.
    ///
    /// - Parameters:
    ///   - place: Which kind.
    ///   - after: The number of the last row that was seen; less than all at first.
    ///   - limit: How many at most.
    /// - Returns: Fewer than the limit where these are the last.
    /// - Throws: `ItemStoreError`.
    public func sealings(
        of place: RowPlace, after: Int64, limit: Int
    ) throws(ItemStoreError) -> [SealedRowNumber] {
        let query: Statement
        switch place {
        case .item:
            query = try Statement(
                """
                SELECT row, accessibility, access_control, epoch, value_epoch FROM item
                WHERE row > ?1 ORDER BY row LIMIT ?2
                """, on: database)
        case .oldValue:
            query = try Statement(
                """
                SELECT row, accessibility, access_control, epoch, value_epoch FROM old_value
                WHERE row > ?1 ORDER BY row LIMIT ?2
                """, on: database)
        case .deleted:
            query = try Statement(
                """
                SELECT row, accessibility, access_control, epoch, value_epoch FROM deleted
                WHERE row > ?1 ORDER BY row LIMIT ?2
                """, on: database)
        }
        try query.bind(after, at: 1)
        try query.bind(Int64(limit), at: 2)
        var rows: [SealedRowNumber] = []
        while try query.step() {
            rows.append(
                SealedRowNumber(
                    number: try query.integer(at: 0),
                    sealing: RowSealing(
                        accessibility: try query.integer(at: 1, as: UInt8.self),
                        accessControl: try query.integer(at: 2, as: UInt32.self),
                        epoch: try query.integer(at: 3, as: UInt32.self),
                        valueEpoch: try query.integer(at: 4, as: UInt32.self))))
        }
        return rows
    }

    /// A row with its value, wherever it stands; of an old value the metadata is the note.
    public func sealedRow(
        _ number: Int64, of place: RowPlace
    ) throws(ItemStoreError) -> ItemRow? {
        let query: Statement
        switch place {
        case .item:
            query = try Statement(ItemBoxes.metadataAndValue.itemQuery, on: database)
        case .oldValue:
            // What stands with the item alone is that of the item, deleted or not.
            query = try Statement(
                """
                SELECT old.reference, item.item_class, old.accessibility, old.access_control,
                    item.expires, old.epoch, old.value_version, old.value_epoch, old.value_version,
                    item.primary_tag, old.note, old.value
                FROM old_value AS old JOIN (
                    SELECT reference, item_class, expires, primary_tag FROM item
                    UNION ALL SELECT reference, item_class, expires, primary_tag FROM deleted
                ) AS item ON item.reference = old.reference
                WHERE old.row = ?1
                """, on: database)
        case .deleted:
            query = try Statement(ItemBoxes.metadataAndValue.deletedQuery, on: database)
        }
        try query.bind(number, at: 1)
        guard try query.step() else { return nil }
        return try ItemRow(query, boxes: .metadataAndValue)
    }

    /// Puts other boxes into a row, under their epochs; everything else stays.
    public func replaceBoxes(
        of number: Int64, in place: RowPlace, with row: ItemRow
    ) throws(ItemStoreError) {
        let update: Statement
        switch place {
        case .item:
            update = try Statement(
                """
                UPDATE item SET epoch = ?2, value_epoch = ?3, metadata = ?4, value = ?5
                WHERE row = ?1
                """, on: database)
        case .oldValue:
            update = try Statement(
                """
                UPDATE old_value SET epoch = ?2, value_epoch = ?3, note = ?4, value = ?5
                WHERE row = ?1
                """, on: database)
        case .deleted:
            update = try Statement(
                """
                UPDATE deleted SET epoch = ?2, value_epoch = ?3, metadata = ?4, value = ?5
                WHERE row = ?1
                """, on: database)
        }
        try update.bind(number, at: 1)
        try update.bind(Int64(row.epoch), at: 2)
        try update.bind(Int64(row.valueEpoch), at: 3)
        try update.bind(row.metadata, at: 4)
        try update.bind(row.value ?? [], at: 5)
        try update.run()
    }
}
