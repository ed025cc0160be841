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

    private static let magic = Array("VSTRYBOX".utf8)
    private static let byteCount = 76

    func bytes(of box: Box) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        bytes += Self.magic
        bytes += storeID.bytes
        bytes += row.reference
        bytes.append(row.itemClass)
        bytes.append(row.accessibility)
        bytes.append(box.rawValue)
        bytes.append(0)
        bytes.append(littleEndian: row.accessControl)
        switch box {
        case .metadata:
            bytes.append(littleEndian: row.epoch)
            bytes.append(littleEndian: row.version)
            bytes.append(littleEndian: row.valueVersion)
            bytes.append(littleEndian: row.expires)
        case .note:
            bytes.append(littleEndian: row.epoch)
            bytes.append(littleEndian: row.valueVersion)
            bytes.append(littleEndian: UInt64(0))
            bytes.append(littleEndian: UInt64(0))
        case .value:
            bytes.append(littleEndian: row.valueEpoch)
            bytes.append(littleEndian: row.valueVersion)
            bytes.append(littleEndian: UInt64(0))
            bytes.append(littleEndian: UInt64(0))
        }
        return bytes
    }
}
