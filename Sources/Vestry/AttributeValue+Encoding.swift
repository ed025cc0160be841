internal import KeyClasses

/// The one encoding of a value, in metadata and in tags; its table stands with `ItemMetadata`.
extension AttributeValue {
    var encoded: [UInt8] {
        switch self {
        case .string(let text): Array(text.utf8)
        case .data(let bytes): bytes
        case .number(let number): littleEndian(number)
        case .bool(let bool): [bool ? 1 : 0]
        // Adding zero makes a negative zero positive.
        case .date(let seconds): littleEndian((seconds + 0).bitPattern)
        }
    }

    /// Reads what ``encoded`` gives; nil for other bytes.
    init?(encoded bytes: [UInt8], as kind: Kind) {
        switch kind {
        case .string:
            guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
            self = .string(text)
        case .data:
            self = .data(bytes)
        case .number:
            guard let bits = Self.bits(bytes) else { return nil }
            self = .number(Int64(bitPattern: bits))
        case .bool:
            guard bytes == [0] || bytes == [1] else { return nil }
            self = .bool(bytes == [1])
        case .date:
            guard let bits = Self.bits(bytes) else { return nil }
            let seconds = Double(bitPattern: bits)
            guard seconds.isFinite, (seconds + 0).bitPattern == bits else { return nil }
            self = .date(seconds)
        }
    }

    /// Whether it says no more than an absent value: empty, zero or false.
    ///
    /// In primary keys, as in Apple's, the two are the same.
    var isEmpty: Bool {
        switch self {
        case .string(let text): text.isEmpty
        case .data(let bytes): bytes.isEmpty
        case .number(let number): number == 0
        case .bool(let bool): !bool
        case .date(let seconds): seconds == 0
        }
    }

    private static func bits(_ bytes: [UInt8]) -> UInt64? {
        guard bytes.count == 8 else { return nil }
        return bytes.indices.reduce(0) { $0 | UInt64(bytes[$1]) << (8 * UInt64($1)) }
    }
}
