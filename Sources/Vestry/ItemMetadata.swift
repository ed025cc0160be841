internal import SecureMemory

/// A reason why opened metadata is not what this release writes.
enum MetadataError: Error, Equatable {
    case unsupportedVersion(UInt8)
    case malformed
}

/// The attributes of an item, as they are sealed in its metadata box.
///
/// Version 1. Numbers are little-endian. A value has one encoding, and only that one is accepted:
///
///     offset  size  field
///     0       1     version, 1
///     1       1     number of attributes, 4 or 5
///     2             attributes, strictly ascending by id, then the end
///
/// Attribute:
///
///     0       1     id
///     1       4     size of the value
///     5             value
///
///     id  value
///     1   service, UTF-8, at most 65,536 bytes
///     2   account, likewise
///     3   label, likewise; the attribute is left out where there is none
///     4   creation date, seconds since 1970, signed, 8 bytes
///     5   modification date, likewise, not before the creation date
struct ItemMetadata: Equatable {
    static let version: UInt8 = 1
    static let maximumTextByteCount = 65_536

    let key: ItemKey
    let label: String?
    let creationDate: Int64
    let modificationDate: Int64

    private enum Attribute: UInt8 {
        case service = 1
        case account = 2
        case label = 3
        case creationDate = 4
        case modificationDate = 5
    }

    /// Checks what comes from a caller.
    static func check(_ key: ItemKey, label: String?) throws(VestryError) {
        let texts = [("service", key.service), ("account", key.account), ("label", label ?? "")]
        for (name, text) in texts where text.utf8.count > maximumTextByteCount {
            throw VestryError(
                .parameter, detail: "the \(name) has more than \(maximumTextByteCount) bytes")
        }
    }

    func encoded() -> SecretBytes {
        var attributes: [(Attribute, [UInt8])] = [
            (.service, Array(key.service.utf8)), (.account, Array(key.account.utf8)),
        ]
        if let label { attributes.append((.label, Array(label.utf8))) }
        attributes.append((.creationDate, Self.bytes(creationDate)))
        attributes.append((.modificationDate, Self.bytes(modificationDate)))

        var bytes: [UInt8] = [Self.version, UInt8(attributes.count)]
        for (attribute, value) in attributes {
            bytes.append(attribute.rawValue)
            bytes += Self.bytes(UInt32(clamping: value.count))
            bytes += value
        }
        return SecretBytes(copying: bytes.span)
    }

    init(key: ItemKey, label: String?, creationDate: Int64, modificationDate: Int64) {
        self.key = key
        self.label = label
        self.creationDate = creationDate
        self.modificationDate = modificationDate
    }

    init(parsing bytes: Span<UInt8>) throws(MetadataError) {
        guard bytes.count >= 2 else { throw .malformed }
        guard bytes[0] == Self.version else { throw .unsupportedVersion(bytes[0]) }
        var values: [Attribute: [UInt8]] = [:]
        var last: UInt8 = 0
        var offset = 2
        for _ in 0..<bytes[1] {
            guard bytes.count - offset >= 5 else { throw .malformed }
            guard let attribute = Attribute(rawValue: bytes[offset]), attribute.rawValue > last
            else { throw .malformed }
            last = attribute.rawValue
            let count = (0..<4).reduce(0) { $0 | Int(bytes[offset + 1 + $1]) << (8 * $1) }
            offset += 5
            guard count <= Self.maximumTextByteCount, count <= bytes.count - offset else {
                throw .malformed
            }
            values[attribute] = (offset..<offset + count).map { bytes[$0] }
            offset += count
        }
        guard offset == bytes.count else { throw .malformed }

        key = try ItemKey(
            service: Self.text(values[.service]), account: Self.text(values[.account]))
        if let label = values[.label] {
            self.label = try Self.text(label)
        } else {
            label = nil
        }
        creationDate = try Self.number(values[.creationDate])
        modificationDate = try Self.number(values[.modificationDate])
        guard modificationDate >= creationDate else { throw .malformed }
    }

    private static func text(_ bytes: [UInt8]?) throws(MetadataError) -> String {
        guard let bytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed
        }
        return text
    }

    private static func number(_ bytes: [UInt8]?) throws(MetadataError) -> Int64 {
        guard let bytes, bytes.count == 8 else { throw .malformed }
        let bits = bytes.indices.reduce(UInt64(0)) { $0 | UInt64(bytes[$1]) << (8 * UInt64($1)) }
        return Int64(bitPattern: bits)
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
