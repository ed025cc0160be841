/// Which rows a search is about, in terms of tags.
public struct ItemSearch: Sendable {
    /// The one item that can match, where its reference is known.
    public var reference: [UInt8]?
    /// Tags that a row must have, all of them.
    public var tags: [[UInt8]]
    /// Tags of which a row must have one; none of them asks for nothing.
    public var alternatives: [[UInt8]]

    public init(
        reference: [UInt8]? = nil, tags: [[UInt8]] = [], alternatives: [[UInt8]] = []
    ) {
        self.reference = reference
        self.tags = tags
        self.alternatives = alternatives
    }
}

extension ItemStore {
    /// The numbers of the rows that match, ascending: the order in which they were added.
    ///
    /// The rarest tag leads, and the others are looked up for each row that has it. So a search
    /// costs what its rarest tag asks for, however many items there are.
    public func numbers(_ search: ItemSearch) throws(ItemStoreError) -> [Int64] {
        try beginReading()
        var numbers: [Int64]
        var rest = search.tags
        if let reference = search.reference {
            numbers = try number(reference: reference).map { [$0] } ?? []
        } else if let rarest = try indexOfRarest(rest) {
            numbers = try self.numbers(tag: rest.remove(at: rarest))
        } else if search.alternatives.isEmpty {
            return try allNumbers()
        } else {
            // A row can have several of them.
            var found: Set<Int64> = []
            for tag in search.alternatives { found.formUnion(try self.numbers(tag: tag)) }
            return found.sorted()
        }
        let probe = try Statement(
            "SELECT 1 FROM tag WHERE tag = ?1 AND item = ?2", on: database)
        func has(_ number: Int64, _ tag: [UInt8]) throws(ItemStoreError) -> Bool {
            probe.reset()
            try probe.bind(tag, at: 1)
            try probe.bind(number, at: 2)
            return try probe.step()
        }
        var matches: [Int64] = []
        next: for number in numbers {
            for tag in rest where try !has(number, tag) { continue next }
            var hasAlternative = search.alternatives.isEmpty
            for tag in search.alternatives where !hasAlternative {
                hasAlternative = try has(number, tag)
            }
            if hasAlternative { matches.append(number) }
        }
        return matches
    }

    /// The number of the row with this reference, or nil.
    public func number(reference: [UInt8]) throws(ItemStoreError) -> Int64? {
        try beginReading()
        let query = try Statement("SELECT row FROM item WHERE reference = ?1", on: database)
        try query.bind(reference, at: 1)
        guard try query.step() else { return nil }
        return try query.integer(at: 0)
    }

    /// Every tag counts as rare up to this many rows; counting further would cost more than it
    /// saves.
    private static let rareRowCount: Int64 = 256

    private func indexOfRarest(_ tags: [[UInt8]]) throws(ItemStoreError) -> Int? {
        guard tags.count > 1 else { return tags.indices.first }
        let query = try Statement(
            "SELECT count(*) FROM (SELECT 1 FROM tag WHERE tag = ?1 LIMIT ?2)", on: database)
        var rarest: (index: Int, count: Int64)?
        for (index, tag) in tags.enumerated() {
            query.reset()
            try query.bind(tag, at: 1)
            try query.bind(rarest?.count ?? Self.rareRowCount, at: 2)
            guard try query.step() else { continue }
            let count = try query.integer(at: 0)
            if count < rarest?.count ?? .max { rarest = (index, count) }
        }
        return rarest?.index
    }

    private func numbers(tag: [UInt8]) throws(ItemStoreError) -> [Int64] {
        let query = try Statement(
            "SELECT item FROM tag WHERE tag = ?1 ORDER BY item", on: database)
        try query.bind(tag, at: 1)
        return try Self.column(of: query)
    }

    private func allNumbers() throws(ItemStoreError) -> [Int64] {
        try Self.column(of: Statement("SELECT row FROM item ORDER BY row", on: database))
    }

    private static func column(of query: borrowing Statement) throws(ItemStoreError) -> [Int64] {
        var numbers: [Int64] = []
        while try query.step() { numbers.append(try query.integer(at: 0)) }
        return numbers
    }
}
