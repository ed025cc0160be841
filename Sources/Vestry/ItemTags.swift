internal import KeyClasses
internal import Sealing
internal import SecureMemory

/// Blind index values: they find items by their attributes in a file that holds no attribute.
///
/// A tag is keyed BLAKE2b-256, under a subkey of the index class key, of
///
///     size  field
///     1     item class
///     1     what the tag stands for (`Kind`)
///           each value: its size in bytes, 4, little-endian, then the value
///
/// which no two different inputs share. Accepted weakness: whoever holds the file sees which items
/// have an attribute in common, and how many.
struct ItemTags: ~Copyable {
    enum Kind: UInt8 {
        /// Service and account together.
        case primaryKey = 0
        case service = 1
        case account = 2
        case label = 3
    }

    private let key: SecretBytes

    init(indexKey: borrowing ClassKey) {
        key = indexKey.tagKey()
    }

    func primaryTag(of key: ItemKey) -> [UInt8] {
        tag(.primaryKey, [key.service, key.account])
    }

    func serviceTag(_ service: String) -> [UInt8] { tag(.service, [service]) }

    /// The tags of all searchable attributes.
    func searchTags(of metadata: ItemMetadata) -> [[UInt8]] {
        let label = metadata.label.map { [tag(.label, [$0])] } ?? []
        return [serviceTag(metadata.key.service), tag(.account, [metadata.key.account])] + label
    }

    private func tag(_ kind: Kind, _ values: [String]) -> [UInt8] {
        var message: [UInt8] = [ItemClass.genericPassword.number, kind.rawValue]
        for value in values {
            message += littleEndian(UInt32(clamping: value.utf8.count))
            message += value.utf8
        }
        return key.keyedHash(of: message, count: 32)
    }
}
