public import SecureMemory

/// The bytes that pairs of hexadecimal digits stand for.
public func bytes(hex: String) -> [UInt8] {
    var digits = hex.compactMap(\.hexDigitValue)[...]
    var bytes: [UInt8] = []
    while let high = digits.popFirst(), let low = digits.popFirst() {
        bytes.append(UInt8(high << 4 | low))
    }
    return bytes
}

/// What is in an optional ~Copyable value: neither `#require` nor `Optional.map` takes one.
public func withValue<Value: ~Copyable, Result>(
    of optional: consuming Value?, _ body: (borrowing Value) throws -> Result
) rethrows -> Result? {
    switch consume optional {
    case .some(let value): return try body(value)
    case .none: return nil
    }
}

extension SecretBytes {
    /// A secret that is none: test data.
    public init(_ text: String) {
        self.init(Array(text.utf8))
    }

    public init(_ bytes: [UInt8]) {
        self.init(copying: bytes.span)
    }

    /// The bytes, for `#expect`, which takes no `~Copyable` operand.
    public var exposed: [UInt8] {
        withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }
}
