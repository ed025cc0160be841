internal import ItemStore
internal import KeyClasses
internal import Sealing
internal import SecureMemory

/// What is known about an old value besides its box, as it is sealed in its note.
///
///     offset  size  field
///     0       1     version, 1
///     1       8     modification date of the item with this value
///     9       8     when the value was replaced
///     17      0     or 32: BLAKE2b-256 of the value box, where a deposit key sealed it
///
/// Dates are seconds since 1970 as IEEE 754, little-endian, finite.
struct OldValueNote: Equatable {
    static let version: UInt8 = 1
    private static let byteCount = 17

    var modified: Double
    var replaced: Double
    /// What the value box must hash to, where anybody can make one.
    var valueDigest: [UInt8]?

    init(modified: Double, replaced: Double, valueDigest: [UInt8]?) {
        self.modified = modified
        self.replaced = replaced
        self.valueDigest = valueDigest
    }

    var encoded: [UInt8] {
        [Self.version] + littleEndian(modified.bitPattern) + littleEndian(replaced.bitPattern)
            + (valueDigest ?? [])
    }

    init(parsing bytes: Span<UInt8>) throws(MetadataError) {
        guard !bytes.isEmpty else { throw .malformed }
        guard bytes[0] == Self.version else { throw .unsupportedVersion(bytes[0]) }
        let digestCount = bytes.count - Self.byteCount
        guard digestCount == 0 || digestCount == ItemMetadata.valueDigestByteCount else {
            throw .malformed
        }
        func date(_ offset: Int) -> Double {
            Double(bitPattern: (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * $1) })
        }
        (modified, replaced) = (date(1), date(9))
        guard modified.isFinite, replaced.isFinite else { throw .malformed }
        if digestCount > 0 { valueDigest = (Self.byteCount..<bytes.count).map { bytes[$0] } }
    }
}

extension ItemRow {
    /// Seals a note, and makes it the old value's.
    mutating func seal(note: OldValueNote, with key: OperationKey, in storeID: StoreID) {
        epoch = key.epoch
        metadata = key.metadataKey.seal(
            SecretBytes(copying: note.encoded.span),
            context: BoxContext(storeID: storeID, row: self).bytes(of: .note))
    }
}
