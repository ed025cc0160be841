internal import KeyClasses

/// What stands before the first item of a backup.
///
/// Numbers are little-endian.
///
///     offset  size  field
///     0       8     when it was made, in seconds since 1970
///     8       16    id of the store
struct BackupStart: Equatable {
    static let byteCount = 24

    let date: Int64
    let storeID: StoreID

    var encoded: [UInt8] { littleEndian(date) + storeID.bytes }

    init(date: Int64, storeID: StoreID) {
        self.date = date
        self.storeID = storeID
    }

    /// Reads what ``encoded`` gives; nil for another number of bytes.
    init?(parsing bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, let storeID = StoreID(Array(bytes[8...])) else {
            return nil
        }
        self.storeID = storeID
        date = Int64(bitPattern: number64(bytes, 0))
    }
}

/// What stands behind the last item of a backup, and ends it.
///
/// Numbers are little-endian.
///
///     offset  size  field
///     0       1     0: no item follows
///     1       8     number of items before
///     9       8     how many were left: of this device alone
///     17      8     with an application password
///     25      8     locked
///     33      8     damaged
struct BackupEnd: Equatable {
    static let mark: UInt8 = 0
    /// Without the mark.
    static let byteCount = 40

    let itemCount: Int
    let left: LeftItems

    var encoded: [UInt8] {
        [Self.mark] + littleEndian(Int64(itemCount)) + littleEndian(Int64(left.thisDeviceOnly))
            + littleEndian(Int64(left.applicationPassword)) + littleEndian(Int64(left.locked))
            + littleEndian(Int64(left.damaged))
    }

    init(itemCount: Int, left: LeftItems) {
        self.itemCount = itemCount
        self.left = left
    }

    /// Reads what follows the mark; nil for what no backup has.
    init?(parsing bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        var numbers: [Int] = []
        for offset in stride(from: 0, to: Self.byteCount, by: 8) {
            guard let number = Int(exactly: number64(bytes, offset)) else { return nil }
            numbers.append(number)
        }
        itemCount = numbers[0]
        left = LeftItems(
            thisDeviceOnly: numbers[1], applicationPassword: numbers[2], locked: numbers[3],
            damaged: numbers[4])
    }
}

private func number64(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
    (0..<8).reversed().reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
}

/// How many items a backup or an export does not have, and why.
public struct LeftItems: Equatable, Sendable {
    /// Items that never leave this machine.
    public var thisDeviceOnly = 0
    /// Items whose secret a program's own password seals, with a key that stays in the store.
    public var applicationPassword = 0
    /// Items that could not be read at that time.
    public var locked = 0
    /// Items that did not open.
    public var damaged = 0

    public var total: Int { thisDeviceOnly + applicationPassword + locked + damaged }
}
