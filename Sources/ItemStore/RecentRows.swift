/// Rows that were read last, sealed as they are, for as long as nobody changes the file.
///
/// Whether somebody has is one read of the file's header, without SQLite's locks. That is enough, for a
/// file with a rollback journal (sqlite.org/fileformat2.html, sections 1.3 and 3): whoever commits writes
/// a new change counter into the header before the journal goes, which is what makes the change count.
/// So the old header means that no change counted yet when it was read; a rollback after a crash leaves
/// what was before, which is what is here. A new header says nothing but that SQLite must look.
struct RecentRows {
    /// What must be the same: the first 22 bytes of the header from the format versions on.
    ///
    ///     offset  size  field
    ///     18      1     version for writing: 1 is a rollback journal
    ///     19      1     version for reading
    ///     20      4     reserved space, fractions of pages
    ///     24      4     change counter
    ///     28      12    size of the file, pages that are free
    struct Header: Equatable {
        static let offset: Int64 = 18
        static let byteCount = 22

        private let bytes: [UInt8]

        /// Nil for a file with a write-ahead log, whose header stays the same.
        init?(_ bytes: [UInt8]) {
            guard bytes.count == Self.byteCount, bytes[0] == 1, bytes[1] == 1 else { return nil }
            self.bytes = bytes
        }

        /// Whether the bytes are of a file with a write-ahead log.
        static func hasLog(_ bytes: [UInt8]) -> Bool { bytes.prefix(2).contains(2) }
    }

    private static let limit = 64
    /// Of both boxes of a row: all of them have half a megabyte at most.
    private static let rowByteLimit = 8192

    private var header: Header?
    /// By the beginnings of their tags, which are hashes already.
    private var rows: [UInt64: ItemRow] = [:]

    func row(primaryTag: [UInt8]) -> ItemRow? {
        guard let row = rows[Self.beginning(of: primaryTag)], row.primaryTag == primaryTag else {
            return nil
        }
        return row
    }

    private static func beginning(of tag: [UInt8]) -> UInt64 {
        tag.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    func isCurrent(_ header: Header?) -> Bool { header != nil && header == self.header }

    /// Takes in a row that was read, both boxes, while the file had this header.
    mutating func insert(_ row: ItemRow, _ header: Header) {
        guard let value = row.value, row.metadata.count + value.count <= Self.rowByteLimit else {
            return
        }
        if self.header != header || rows.count >= Self.limit { removeAll() }
        self.header = header
        rows[Self.beginning(of: row.primaryTag)] = row
    }

    mutating func removeAll() { (header, rows) = (nil, [:]) }
}
