extension ItemStore {
    /// How many items there are for each class key.
    ///
    /// - Returns: The numbers, with the accessibility and the epoch of the key that seals the attributes.
    public func countsByKey() throws(ItemStoreError) -> [(
        accessibility: UInt8, epoch: UInt32, count: Int
    )] {
        let query = try Statement(
            """
            SELECT accessibility, epoch, count(*) FROM item
            GROUP BY accessibility, epoch
            """, on: database)
        var counts: [(accessibility: UInt8, epoch: UInt32, count: Int)] = []
        while try query.step() {
            counts.append(
                (
                    try query.integer(at: 0, as: UInt8.self),
                    try query.integer(at: 1, as: UInt32.self),
                    try query.integer(at: 2, as: Int.self)
                ))
        }
        return counts
    }
}
