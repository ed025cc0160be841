internal import KeyClasses
internal import Sealing
internal import SecureMemory

/// Blind index values: they find items by their attributes in a file that holds no attribute.
///
/// A tag is keyed BLAKE2b-256, under a subkey of the index class key, of
///
///     size  field
///     1     item class
///     1     what the tag stands for: the number of an attribute, or one of `Kind`
///           each value: number of its attribute, 1; its size in bytes, 4, little-endian; the value
///
/// with the values in ascending order of their numbers: so no two different inputs are the same
/// bytes. Values that are empty, zero or false are left out of the three combined tags: there they
/// are the same as absent ones. Accepted weakness: whoever holds the file sees which items have an
/// attribute in common, and how many.
struct ItemTags: ~Copyable {
    enum Kind: UInt8 {
        /// Everything that makes an item unique.
        case primaryKey = 0
        /// Access group and synchronizability: every query asks for them.
        case scope = 254
        /// What makes an item unique in its scope, but for what Apple's interface keeps to itself:
        /// so a search for one item finds it at once, however many share each of its attributes.
        case identity = 255
    }

    private let key: SecretBytes
    private let last = LastTag()

    /// Of one operation: an item that was found by its tag is checked by the same tag.
    private final class LastTag {
        var message: [UInt8] = []
        var tag: [UInt8] = []
    }

    init(indexKey: borrowing ClassKey) {
        key = indexKey.tagKey()
    }

    func primaryTag(of metadata: ItemMetadata) -> [UInt8] {
        primaryTag(metadata.itemClass, metadata.values)
    }

    func primaryTag(_ itemClass: ItemClass, _ values: AttributeList) -> [UInt8] {
        tag(itemClass, .primaryKey, values) { $0.isPrimary(in: itemClass) }
    }

    func scopeTag(_ itemClass: ItemClass, group: String, isSynchronizable: Bool) -> [UInt8] {
        let values: AttributeList = [
            .accessGroup: .string(group), .synchronizable: .bool(isSynchronizable),
        ]
        return tag(itemClass, .scope, values) { _ in true }
    }

    func identityTag(_ itemClass: ItemClass, _ values: AttributeList) -> [UInt8] {
        let attributes = itemClass.identifyingAttributes
        return tag(itemClass, .identity, values) { attributes.contains($0) }
    }

    /// The tag of one attribute; nil for one that has none.
    func tag(
        _ attribute: ItemAttribute, _ value: AttributeValue, in itemClass: ItemClass
    ) -> [UInt8]? {
        guard attribute.isTagged, let number = attribute.rule.number else { return nil }
        var message = Self.message(itemClass, number)
        message.append(number)
        value.appendEncoded(to: &message)
        return key.keyedHash(of: message, count: 32)
    }

    /// The tags of all searchable attributes.
    func searchTags(of metadata: ItemMetadata) -> [[UInt8]] {
        let (itemClass, values) = (metadata.itemClass, metadata.values)
        var tags = [
            identityTag(itemClass, values),
            scopeTag(
                itemClass, group: values[.accessGroup]?.string ?? "",
                isSynchronizable: values[.synchronizable]?.bool ?? false),
        ]
        for element in values.elements {
            if let tag = tag(element.attribute, element.value, in: itemClass) { tags.append(tag) }
        }
        return tags
    }

    private func tag(
        _ itemClass: ItemClass, _ kind: Kind, _ values: AttributeList,
        of isPart: (ItemAttribute) -> Bool
    ) -> [UInt8] {
        var message = Self.message(itemClass, kind.rawValue)
        for element in values.elements where isPart(element.attribute) && !element.value.isEmpty {
            message.append(element.number)
            element.value.appendEncoded(to: &message)
        }
        guard message != last.message else { return last.tag }
        let tag = key.keyedHash(of: message, count: 32)
        (last.message, last.tag) = (message, tag)
        return tag
    }

    private static func message(_ itemClass: ItemClass, _ kind: UInt8) -> [UInt8] {
        var message: [UInt8] = []
        // Most fit.
        message.reserveCapacity(128)
        message.append(itemClass.number)
        message.append(kind)
        return message
    }
}

extension ItemAttribute {
    /// Whether each of its values has a tag of its own.
    ///
    /// Not the dates of the keychain, which hardly two items share, and not what the scope holds.
    var isTagged: Bool {
        switch self {
        case .creationDate, .modificationDate, .accessGroup, .synchronizable: false
        default: rule.number != nil
        }
    }
}

extension ItemClass {
    /// The primary attributes that `ItemTags.Kind.identity` stands for.
    var identifyingAttributes: [ItemAttribute] {
        switch self {
        case .genericPassword: [.service, .account]
        case .internetPassword:
            [
                .account, .securityDomain, .server, .networkProtocol, .authenticationType, .port,
                .path,
            ]
        case .certificate: [.certificateType, .issuer, .serialNumber]
        case .key:
            [
                .keyClass, .applicationLabel, .applicationTag, .creator, .type, .keySizeInBits,
                .effectiveKeySize, .startDate, .endDate,
            ]
        case .identity: []
        }
    }
}
