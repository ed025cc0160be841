internal import ItemStore
internal import KeyClasses

/// The associated data of a sealed box: a box opens only in the row that it was made for.
///
///     offset  size  field
///     0       8     "VSTRYBOX"
///     8       16    store id
///     24      16    reference of the item
///     40      1     item class
///     41      1     accessibility class
///     42      1     which box: 1 metadata, 2 value, 3 note of an old value
///     43      1     reserved, zero
///     44      4     access control, little-endian
///     48      4     epoch of the class key that seals this box, little-endian
///     52      8     metadata: version of the row; value, note: version of the value, little-endian
///     60      8     metadata: version of the value; value, note: 0
///     68      8     metadata: when the item ends; value, note: 0
///
/// So a box does not open in another row, as the other box, under an older version of its row, or
/// with a weaker class written beside it; and the metadata says which value it belongs to. So the value
/// box of an old value is the one that the item had, which needs no key to be kept, and it is no value
/// of the item any more. What this cannot notice is the whole file put back to an earlier state, or a
/// deleted item that somebody who can write to the file brings back as it was.
struct BoxContext {
    enum Box: UInt8 {
        case metadata = 1
        case value = 2
        case note = 3
    }

    let storeID: StoreID
    let row: ItemRow

    func bytes(of box: Box) -> [UInt8] {
        var bytes = Array("VSTRYBOX".utf8) + storeID.bytes + row.reference
        bytes += [row.itemClass, row.accessibility, box.rawValue, 0]
        bytes += littleEndian(row.accessControl)
        switch box {
        case .metadata:
            bytes += littleEndian(row.epoch) + littleEndian(row.version)
            bytes += littleEndian(row.valueVersion) + littleEndian(row.expires)
        case .note:
            bytes += littleEndian(row.epoch) + littleEndian(row.valueVersion)
            bytes += [UInt8](repeating: 0, count: 16)
        case .value:
            bytes += littleEndian(row.valueEpoch) + littleEndian(row.valueVersion)
            bytes += [UInt8](repeating: 0, count: 16)
        }
        return bytes
    }
}
