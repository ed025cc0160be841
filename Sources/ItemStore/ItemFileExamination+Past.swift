// Old values and deleted items, read one by one past what cannot be read.
extension ItemFileExamination {
    /// The numbers of the old values or of the deleted items, ascending; of a damaged file, those that it
    /// shows.
    ///
    /// - Parameter place: `oldValue` or `deleted`; for items there is ``numbers()``.
    /// - Returns: None for a file of version 1.
    public func pastNumbers(of place: RowPlace) -> [Int64] {
        switch place {
        case .item: numbers()
        case .oldValue:
            pastNumbers(
                "SELECT row FROM old_value ORDER BY row",
                "SELECT row FROM old_value ORDER BY row DESC")
        case .deleted:
            pastNumbers(
                "SELECT row FROM deleted ORDER BY row",
                "SELECT row FROM deleted ORDER BY row DESC")
        }
    }

    /// What a table shows from its beginning, and from its end.
    private func pastNumbers(_ ascending: StaticString, _ descending: StaticString) -> [Int64] {
        let first = column(ascending)
        guard !first.isComplete else { return first.numbers }
        return Set(first.numbers).union(column(descending).numbers).sorted()
    }

    /// Reads an old value, or what there is of it.
    ///
    /// - Parameters:
    ///   - number: One of ``pastNumbers(of:)``.
    ///   - itemClass: The class of the item of a reference, which stands with the item alone; 0 where it
    ///     is not known.
    /// - Returns: A row whose metadata is the note.
    public func oldValue(
        _ number: Int64, itemClass: ([UInt8]) -> UInt8
    ) -> Reading {
        for boxes in [ItemBoxes.metadataAndValue, .metadata] {
            do throws(ItemStoreError) {
                guard let value = try OldValueRow(number, boxes, on: database) else {
                    return .absent
                }
                var row = value.row
                row.itemClass = itemClass(row.reference)
                return .row(row)
            } catch {
                // Its value can be on pages of its own.
            }
        }
        return .unreadable(reason: "its place in the file is damaged")
    }

    /// Reads a deleted item, or what there is of it.
    public func deleted(_ number: Int64) -> Reading {
        for boxes in [ItemBoxes.metadataAndValue, .metadata] {
            do throws(ItemStoreError) {
                let query = try Statement(boxes.deletedQuery, on: database)
                try query.bind(number, at: 1)
                guard try query.step() else { return .absent }
                return .row(try ItemRow(query, boxes: boxes))
            } catch {
                // As above.
            }
        }
        return .unreadable(reason: "its place in the file is damaged")
    }

    /// The tags that a deleted item had.
    ///
    /// - Returns: Nil when they cannot be read, or are none.
    public func deletedTags(of number: Int64) -> [[UInt8]]? {
        do throws(ItemStoreError) {
            let query = try Statement("SELECT tags FROM deleted WHERE row = ?1", on: database)
            try query.bind(number, at: 1)
            guard try query.step() else { return nil }
            let tags = try query.bytes(at: 0, count: 0...ItemStore.tagsByteLimit)
            let count = ItemRow.tagByteCount
            guard tags.count.isMultiple(of: count) else { return nil }
            return stride(from: 0, to: tags.count, by: count).map { Array(tags[$0..<$0 + count]) }
        } catch {
            return nil
        }
    }
}

extension OldValueRow {
    /// One by its number alone; the class and the tag of its item are not known.
    ///
    /// - Returns: Nil when there is none.
    /// - Throws: `ItemStoreError`.
    init?(_ number: Int64, _ boxes: ItemBoxes, on database: Database) throws(ItemStoreError) {
        let query: Statement
        switch boxes {
        case .metadataAndValue:
            query = try Statement(
                """
                SELECT row, accessibility, access_control, epoch, value_epoch, value_version, note,
                    value, reference
                FROM old_value WHERE row = ?1
                """, on: database)
        case .metadata:
            query = try Statement(
                """
                SELECT row, accessibility, access_control, epoch, value_epoch, value_version, note,
                    NULL, reference
                FROM old_value WHERE row = ?1
                """, on: database)
        }
        try query.bind(number, at: 1)
        guard try query.step() else { return nil }
        let count = ItemRow.referenceByteCount
        let item = ItemRow(
            reference: try query.bytes(at: 8, count: count...count), itemClass: 0,
            accessibility: 0, accessControl: 0, epoch: 0, version: 1, primaryTag: [],
            metadata: [], value: nil)
        try self.init(query, of: item, boxes: boxes)
    }
}
