/// Reads fixed-size fields from the front of bytes that nobody trusts.
struct ByteCursor {
    private let bytes: [UInt8]
    private(set) var offset: Int
    private let end: Int

    /// Reads `bytes` from `offset` up to and without `end`, both inside of them.
    init(_ bytes: [UInt8], from offset: Int, to end: Int) {
        self.bytes = bytes
        self.offset = offset
        self.end = end
    }

    var isAtEnd: Bool { offset == end }

    mutating func take(_ count: Int) throws(KeybagError) -> [UInt8] {
        guard count >= 0, count <= end - offset else {
            throw .malformed("field at \(offset) runs over the end")
        }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    /// A cursor of its own over the next bytes.
    mutating func part(_ count: Int) throws(KeybagError) -> ByteCursor {
        let start = offset
        _ = try take(count)
        return ByteCursor(bytes, from: start, to: offset)
    }

    /// An unsigned little-endian number of as many bytes as `Number` has.
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self
    ) throws(KeybagError) -> Number {
        let field = try take(MemoryLayout<Number>.size)
        return field.reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    /// Bytes that every release writes as zero.
    mutating func reserved(_ count: Int) throws(KeybagError) {
        let start = offset
        guard try take(count).allSatisfy({ $0 == 0 }) else {
            throw .malformed("reserved bytes at \(start) are not zero")
        }
    }
}

extension [UInt8] {
    /// Appends a number, lowest byte first.
    mutating func append<Number: FixedWidthInteger & UnsignedInteger>(littleEndian value: Number) {
        for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> Number(shift)))
        }
    }
}
