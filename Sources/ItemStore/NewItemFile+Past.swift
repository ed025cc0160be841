extension NewItemFile {
    /// Adds the least epochs of a damaged file, as far as they can be read.
    ///
    /// - Parameter file: The damaged file.
    /// - Throws: `ItemStoreError` when there is not enough memory.
    public func copyLeastEpochs(
        of file: borrowing ItemFileExamination
    ) throws(ItemStoreError) {
        // Version 1 has none, and a file without this table neither.
        guard let epochs = try? ItemStore(file.database).leastEpochs() else { return }
        for (number, epoch) in epochs { try items.setLeastEpoch(epoch, ofClass: number) }
    }

    /// Adds a deleted item of a damaged file.
    ///
    /// - Parameters:
    ///   - number: Its number there.
    ///   - file: The damaged file.
    ///   - primaryTag: In place of the one that stands there; nil for that.
    ///   - tags: Likewise.
    /// - Throws: `ItemStoreError`; `damaged` when it cannot be read.
    public func copyDeleted(
        _ number: Int64, of file: borrowing ItemFileExamination, primaryTag: [UInt8]?,
        tags: [[UInt8]]?
    ) throws(ItemStoreError) {
        let query = try Statement(
            """
            SELECT reference, item_class, accessibility, access_control, expires, epoch, version,
                value_epoch, value_version, primary_tag, metadata, value, gone, tags
            FROM deleted WHERE row = ?1
            """, on: file.database)
        try query.bind(number, at: 1)
        guard try query.step() else { throw .damaged(reason: "the deleted item is gone") }
        var row = try ItemRow(query, boxes: .metadataAndValue)
        if let primaryTag { row.primaryTag = primaryTag }
        let stored = try query.bytes(at: 13, count: 0...ItemStore.tagsByteLimit)
        let insertion = try Statement(
            """
            INSERT INTO deleted (reference, item_class, accessibility, access_control, expires, epoch,
                version, value_epoch, value_version, primary_tag, metadata, value, gone, tags, row)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
            """, on: items.database)
        try row.bind(to: insertion)
        try insertion.bind(row.value ?? [], at: 12)
        try insertion.bind(query.integer(at: 12), at: 13)
        try insertion.bind(tags.map { Array($0.joined()) } ?? stored, at: 14)
        try insertion.bind(number, at: 15)
        try insertion.run()
    }

    /// Adds an old value of a damaged file, if its item, or the deleted one, was added before.
    ///
    /// - Parameters:
    ///   - number: Its number there.
    ///   - file: The damaged file.
    /// - Returns: False when its item is not there.
    /// - Throws: `ItemStoreError`; `damaged` when it cannot be read.
    public func copyOldValue(
        _ number: Int64, of file: borrowing ItemFileExamination
    ) throws(ItemStoreError) -> Bool {
        let old = try OldValueRow(number, .metadataAndValue, on: file.database)
        guard let old else { throw .damaged(reason: "the old value is gone") }
        let insertion = try Statement(
            """
            INSERT INTO old_value (row, reference, accessibility, access_control, epoch, value_epoch,
                value_version, note, value)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
            WHERE EXISTS (SELECT 1 FROM item WHERE reference = ?2)
                OR EXISTS (SELECT 1 FROM deleted WHERE reference = ?2)
            """, on: items.database)
        try insertion.bind(number, at: 1)
        try insertion.bind(old.row.reference, at: 2)
        try insertion.bind(Int64(old.row.accessibility), at: 3)
        try insertion.bind(Int64(old.row.accessControl), at: 4)
        try insertion.bind(Int64(old.row.epoch), at: 5)
        try insertion.bind(Int64(old.row.valueEpoch), at: 6)
        try insertion.bind(old.row.valueVersion, at: 7)
        try insertion.bind(old.row.metadata, at: 8)
        try insertion.bind(old.row.value ?? [], at: 9)
        try insertion.run()
        return items.database.changedRowCount == 1
    }
}
