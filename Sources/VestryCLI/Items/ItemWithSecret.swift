internal import SecureMemory
internal import Transfer
internal import Vestry

/// An item with its secret, as an object of JSON: the members of `vestry show`, and last the secret.
enum ItemWithSecret {
    /// Writes the object, in pieces.
    ///
    /// - Parameters:
    ///   - record: With its secret.
    ///   - write: Takes a piece.
    /// - Throws: What `write` throws.
    static func write(
        _ record: ItemRecord, to write: (Span<UInt8>) throws(VestryError) -> Void
    ) throws(VestryError) {
        func put(_ text: String) throws(VestryError) { try write(Array(text.utf8).span) }
        func put(_ secret: borrowing SecretBytes) throws(VestryError) {
            try secret.withBytes { (bytes) throws(VestryError) in try write(bytes) }
        }
        // Cut before the brace at the end.
        try put(String(ItemDescription(record).json.text.dropLast()))
        _ = try record.withSecret { (secret) throws(VestryError) in
            if let text = JSONSecret.quoted(secret) {
                try put(",\"secret\":")
                try put(text)
            } else {
                try put(",\"secretBase64\":\"")
                try put(Base64.encoded(secret))
                try put("\"")
            }
        }
        try put("}")
    }
}

/// A secret as a JSON text, which no `String` ever has.
enum JSONSecret {
    /// Quotes and escapes a secret; nil where it is no UTF-8.
    static func quoted(_ secret: borrowing SecretBytes) -> SecretBytes? {
        let isText = secret.withBytes { (try? UTF8Span(validating: $0)) != nil }
        guard isText else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        return secret.withBytes { plain in
            let escapeCount = plain.indices.count { isEscaped(plain[$0]) }
            return SecretBytes(
                capacity: plain.count + 5 * escapeCount + 2,
                filledBy: { bytes in
                    bytes[0] = UInt8(ascii: "\"")
                    var end = 1
                    for index in plain.indices {
                        let byte = plain[index]
                        if isEscaped(byte) {
                            for (offset, part) in "\\u00".utf8.enumerated() {
                                bytes[end + offset] = part
                            }
                            bytes[end + 4] = digits[Int(byte >> 4)]
                            bytes[end + 5] = digits[Int(byte & 15)]
                            end += 6
                        } else {
                            bytes[end] = byte
                            end += 1
                        }
                    }
                    bytes[end] = UInt8(ascii: "\"")
                    return end + 1
                })
        }
    }

    /// What RFC 8259, section 7, wants escaped, and DEL.
    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }
}
