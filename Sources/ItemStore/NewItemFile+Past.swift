extension NewItemFile {
    /// Adds the old values, deleted items and least epochs of a damaged file, as far as they can be
    /// read; what belongs to no item is left out.
    ///
    /// - Returns: How many old values and deleted items could not be read.
    /// - Throws: `ItemStoreError` when there is not enough memory.
    public func copyPast(
        of file: borrowing ItemFileExamination
    ) throws(ItemStoreError) -> Int {
        let (source, copy) = (file.database, items.database)
        // Version 1 has none, and a file without these tables either.
        guard (try? Schema.number("SELECT count(*) FROM class_epoch", on: source)) != nil else {
            return 0
        }
        for (number, epoch) in try ItemStore(source).leastEpochs() {
            try items.setLeastEpoch(epoch, ofClass: number)
        }
        var lostCount = 0
        for number in Self.numbers(
            file, "SELECT row FROM deleted ORDER BY row",
            "SELECT row FROM deleted ORDER BY row DESC")
        {
            do throws(ItemStoreError) {
                try Self.copyDeleted(number, from: source, to: copy)
            } catch {
                lostCount += 1
            }
        }
        for number in Self.numbers(
            file, "SELECT row FROM old_value ORDER BY row",
            "SELECT row FROM old_value ORDER BY row DESC")
        {
            do throws(ItemStoreError) {
                try Self.copyOldValue(number, from: source, to: copy)
            } catch {
                lostCount += 1
            }
        }
        return lostCount
    }

    /// What a table shows from its beginning, and from its end.
    private static func numbers(
        _ file: borrowing ItemFileExamination, _ ascending: StaticString,
        _ descending: StaticString
    ) -> [Int64] {
        let first = file.column(ascending)
        guard !first.isComplete else { return first.numbers }
        return Set(first.numbers).union(file.column(descending).numbers).sorted()
    }

    private static func copyDeleted(
        _ number: Int64, from source: Database, to copy: Database
    ) throws(ItemStoreError) {
        let query = try Statement(
            """
            SELECT reference, item_class, accessibility, access_control, expires, epoch, version,
                value_epoch, value_version, primary_tag, metadata, value, gone, tags
            FROM deleted WHERE row = ?1
            """, on: source)
        try query.bind(number, at: 1)
        guard try query.step() else { return }
        let row = try ItemRow(query, boxes: .metadataAndValue)
        let insertion = try Statement(
            """
            INSERT INTO deleted (reference, item_class, accessibility, access_control, expires, epoch,
                version, value_epoch, value_version, primary_tag, metadata, value, gone, tags, row)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
            """, on: copy)
        try row.bind(to: insertion)
        try insertion.bind(row.value ?? [], at: 12)
        try insertion.bind(query.integer(at: 12), at: 13)
        try insertion.bind(query.bytes(at: 13, count: 0...ItemStore.tagsByteLimit), at: 14)
        try insertion.bind(number, at: 15)
        try insertion.run()
    }

    private static func copyOldValue(
        _ number: Int64, from source: Database, to copy: Database
    ) throws(ItemStoreError) {
        let query = try Statement(
            """
            SELECT row, accessibility, access_control, epoch, value_epoch, value_version, note, value,
                reference
            FROM old_value WHERE row = ?1
            """, on: source)
        try query.bind(number, at: 1)
        guard try query.step() else { return }
        let count = ItemRow.referenceByteCount
        let reference = try query.bytes(at: 8, count: count...count)
        // The class and the tag of its item do not matter here.
        let item = ItemRow(
            reference: reference, itemClass: 0, accessibility: 0, accessControl: 0, epoch: 0,
            version: 1, primaryTag: [], metadata: [], value: nil)
        let old = try OldValueRow(query, of: item, boxes: .metadataAndValue)
        let insertion = try Statement(
            """
            INSERT INTO old_value (row, reference, accessibility, access_control, epoch, value_epoch,
                value_version, note, value)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
            WHERE EXISTS (SELECT 1 FROM item WHERE reference = ?2)
                OR EXISTS (SELECT 1 FROM deleted WHERE reference = ?2)
            """, on: copy)
        try insertion.bind(number, at: 1)
        try insertion.bind(reference, at: 2)
        try insertion.bind(Int64(old.row.accessibility), at: 3)
        try insertion.bind(Int64(old.row.accessControl), at: 4)
        try insertion.bind(Int64(old.row.epoch), at: 5)
        try insertion.bind(Int64(old.row.valueEpoch), at: 6)
        try insertion.bind(old.row.valueVersion, at: 7)
        try insertion.bind(old.row.metadata, at: 8)
        try insertion.bind(old.row.value ?? [], at: 9)
        try insertion.run()
    }
}
