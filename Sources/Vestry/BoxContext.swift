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
///     42      1     access control
///     43      1     which box: 1 metadata, 2 value
///     44      4     epoch of the class key, little-endian
///     48      8     version of the row, little-endian
///
/// So a box does not open in another row, as the other box, under an older version of its row, or
/// with a weaker class written beside it. What this cannot notice is the whole file put back to an
/// earlier state.
struct BoxContext {
    enum Box: UInt8 {
        case metadata = 1
        case value = 2
    }

    let storeID: StoreID
    let reference: [UInt8]
    let itemClass: UInt8
    let accessibility: UInt8
    let accessControl: UInt8
    let epoch: UInt32
    let version: Int64

    func bytes(of box: Box) -> [UInt8] {
        Array("VSTRYBOX".utf8) + storeID.bytes + reference
            + [itemClass, accessibility, accessControl, box.rawValue] + littleEndian(epoch)
            + (0..<8).map { UInt8(truncatingIfNeeded: version >> (8 * $0)) }
    }
}

extension BoxContext {
    init(_ row: ItemRow, in storeID: StoreID) {
        self.init(
            storeID: storeID, reference: row.reference, itemClass: row.itemClass,
            accessibility: row.accessibility, accessControl: row.accessControl, epoch: row.epoch,
            version: row.version)
    }
}
