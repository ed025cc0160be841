internal import KeyClasses
internal import SecureMemory

/// A reason why opened metadata is not what this release writes.
enum MetadataError: Error, Equatable {
    case unsupportedVersion(UInt8)
    case malformed
}

/// The attributes of an item, as they are sealed in its metadata box.
///
/// Version 1. Numbers are little-endian. A set of attributes has one encoding, and only that one is
/// accepted:
///
///     offset  size  field
///     0       1     version, 1
///     1       1     number of attributes
///     2             attributes, strictly ascending by number, then the end
///
/// Attribute:
///
///     0       1     number (`AttributeRule.number`)
///     1       4     size of the value
///     5             value
///
/// The type of a value goes by the attribute:
///
///     string  UTF-8, at most 65,536 bytes
///     data    at most 65,536 bytes
///     number  8 bytes, signed
///     bool    1 byte, 0 or 1
///     date    8 bytes: seconds since 1970, IEEE 754; finite, and zero is positive
///
/// Every item has an access group, a creation date, a modification date that is not before it, and
/// says whether it is synchronizable. A password has its primary attributes besides (but for
/// the four that Apple's interface keeps to itself). Other attributes are there or not. Accessibility,
/// access control, reference and end of an item stand in its row.
struct ItemMetadata: Equatable {
    static let version: UInt8 = 1
    /// Of one text or of one piece of data.
    static let maximumValueByteCount = 65_536
    /// Of everything.
    static let maximumByteCount = 256 * 1024
    /// No attribute: BLAKE2b-256 of the value box, for values whose box anybody can make.
    private static let valueDigestNumber: UInt8 = 255
    static let valueDigestByteCount = 32

    let itemClass: ItemClass
    var values: AttributeList
    /// What the value box must hash to, where a deposit key sealed it.
    var valueDigest: [UInt8]?

    init(
        _ itemClass: ItemClass, _ values: AttributeList,
        valueDigest: [UInt8]? = nil
    ) {
        self.itemClass = itemClass
        self.values = values
        self.valueDigest = valueDigest
    }

    func encoded() -> SecretBytes {
        let count = values.elements.count + (valueDigest == nil ? 0 : 1)
        var bytes: [UInt8] = [Self.version, UInt8(count)]
        for element in values.elements {
            bytes.append(element.number)
            element.value.appendEncoded(to: &bytes)
        }
        // Its number is the highest.
        if let valueDigest {
            bytes.append(Self.valueDigestNumber)
            bytes.append(littleEndian: UInt32(clamping: valueDigest.count))
            bytes += valueDigest
        }
        return SecretBytes(copying: bytes.span)
    }

    init(parsing bytes: Span<UInt8>, of itemClass: ItemClass) throws(MetadataError) {
        guard bytes.count >= 2, bytes.count <= Self.maximumByteCount else { throw .malformed }
        guard bytes[0] == Self.version else { throw .unsupportedVersion(bytes[0]) }
        self.itemClass = itemClass
        values = AttributeList(capacity: Int(bytes[1]))
        var last: UInt8 = 0
        var offset = 2
        for _ in 0..<bytes[1] {
            guard bytes.count - offset >= 5 else { throw .malformed }
            let number = bytes[offset]
            guard number > last else { throw .malformed }
            last = number
            let count = (0..<4).reduce(0) { $0 | Int(bytes[offset + 1 + $1]) << (8 * $1) }
            offset += 5
            guard count <= Self.maximumValueByteCount, count <= bytes.count - offset else {
                throw .malformed
            }
            let value = bytes.extracting(offset..<offset + count)
            offset += count
            if number == Self.valueDigestNumber {
                guard count == Self.valueDigestByteCount else { throw .malformed }
                valueDigest = Array(copying: value)
            } else {
                guard let attribute = ItemAttribute.withNumber[Int(number)],
                    attribute.belongs(to: itemClass),
                    let parsed = AttributeValue(encoded: value, as: attribute.kind)
                else { throw .malformed }
                values.append(number, attribute, parsed)
            }
        }
        guard offset == bytes.count, isComplete else { throw .malformed }
    }

    /// Whether everything is there that an item of its class cannot be without.
    private var isComplete: Bool {
        guard values.has(.accessGroup), values.has(.synchronizable),
            let created = values[.creationDate]?.date,
            let modified = values[.modificationDate]?.date
        else { return false }
        return modified >= created
            && itemClass.defaultValues.elements.allSatisfy { values.has($0.attribute) }
    }
}

extension ItemMetadata {
    var modificationDate: Double { values[.modificationDate]?.date ?? 0 }
}

extension ItemAttribute {
    /// The attributes that stand in metadata, at the places that their numbers say.
    static let withNumber: [ItemAttribute?] = {
        var table = [ItemAttribute?](repeating: nil, count: Int(UInt8.max) + 1)
        for attribute in allCases {
            if let number = attribute.rule.number { table[Int(number)] = attribute }
        }
        return table
    }()
}

extension ItemClass {
    /// What an item has that was added without these attributes.
    var defaultValues: AttributeList {
        switch self {
        case .genericPassword: Self.genericPasswordDefaults
        case .internetPassword: Self.internetPasswordDefaults
        case .certificate, .key, .identity: AttributeList()
        }
    }

    private static let genericPasswordDefaults: AttributeList = [
        .service: "", .account: "",
    ]
    private static let internetPasswordDefaults: AttributeList = [
        .account: "", .securityDomain: "", .server: "", .networkProtocol: "",
        .authenticationType: "", .port: 0, .path: "",
    ]
}
