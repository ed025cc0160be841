internal import KeyClasses

/// The one encoding of a value, in metadata and in tags; its table stands with `ItemMetadata`.
extension AttributeValue {
    /// The size of the encoding in bytes.
    var encodedByteCount: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let bytes): bytes.count
        case .number, .date: 8
        case .bool: 1
        }
    }

    /// Appends the size of the encoding, 4 bytes, and the encoding.
    func appendEncoded(to bytes: inout [UInt8]) {
        bytes.append(littleEndian: UInt32(clamping: encodedByteCount))
        switch self {
        case .string(let text): bytes.append(contentsOf: text.utf8)
        case .data(let data): bytes.append(contentsOf: data)
        case .number(let number): bytes.append(littleEndian: number)
        case .bool(let bool): bytes.append(bool ? 1 : 0)
        // Adding zero makes a negative zero positive.
        case .date(let seconds): bytes.append(littleEndian: (seconds + 0).bitPattern)
        }
    }

    /// Reads what ``appendEncoded(to:)`` has appended, without the size; nil for other bytes.
    init?(encoded bytes: Span<UInt8>, as kind: Kind) {
        switch kind {
        case .string:
            guard let text = try? UTF8Span(validating: bytes) else { return nil }
            self = .string(String(copying: text))
        case .data:
            self = .data(Array(copying: bytes))
        case .number:
            guard let bits = Self.bits(bytes) else { return nil }
            self = .number(Int64(bitPattern: bits))
        case .bool:
            guard bytes.count == 1, bytes[0] <= 1 else { return nil }
            self = .bool(bytes[0] == 1)
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

    private static func bits(_ bytes: Span<UInt8>) -> UInt64? {
        guard bytes.count == 8 else { return nil }
        return bytes.indices.reduce(0) { $0 | UInt64(bytes[$1]) << (8 * UInt64($1)) }
    }
}

extension [UInt8] {
    /// Copies what somebody lends.
    init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
