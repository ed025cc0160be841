internal import SecureMemory
internal import Vestry

/// The forms in which `security` prints attributes and passwords.
enum SecurityText {
    /// The block that describes an item.
    static func block(_ record: ItemRecord, keychain path: String) -> String {
        let name =
            record.itemClass == .genericPassword
            ? record[.service]?.string : record[.server]?.string
        var lines = [
            "keychain: \(buffer(path))", "version: 512",
            "class: \(buffer(record.itemClass.rawValue))", "attributes:",
            "    0x00000007 <blob>=\(buffer(record[.label]?.string ?? name ?? ""))",
            "    0x00000008 <blob>=<NULL>",
        ]
        for row in record.itemClass == .genericPassword ? genericRows : internetRows {
            lines.append("    \(buffer(row.name))<\(row.type)>=\(value(row, of: record))")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private struct Row {
        let name: String
        let type: String
        /// Nil for what only Apple's keychain has.
        let attribute: ItemAttribute?

        init(_ name: String, _ type: String, _ attribute: ItemAttribute?) {
            self.name = name
            self.type = type
            self.attribute = attribute
        }
    }

    private static let genericRows = [
        Row("acct", "blob", .account), Row("cdat", "timedate", .creationDate),
        Row("crtr", "uint32", .creator), Row("cusi", "sint32", .hasCustomIcon),
        Row("desc", "blob", .kindDescription), Row("gena", "blob", .generic),
        Row("icmt", "blob", .comment), Row("invi", "sint32", .isInvisible),
        Row("mdat", "timedate", .modificationDate), Row("nega", "sint32", .isNegative),
        Row("prot", "blob", nil), Row("scrp", "sint32", .scriptCode),
        Row("svce", "blob", .service), Row("type", "uint32", .type),
    ]
    private static let internetRows = [
        Row("acct", "blob", .account), Row("atyp", "blob", .authenticationType),
        Row("cdat", "timedate", .creationDate), Row("crtr", "uint32", .creator),
        Row("cusi", "sint32", .hasCustomIcon), Row("desc", "blob", .kindDescription),
        Row("icmt", "blob", .comment), Row("invi", "sint32", .isInvisible),
        Row("mdat", "timedate", .modificationDate), Row("nega", "sint32", .isNegative),
        Row("path", "blob", .path), Row("port", "uint32", .port), Row("prot", "blob", nil),
        Row("ptcl", "uint32", .networkProtocol), Row("scrp", "sint32", .scriptCode),
        Row("sdmn", "blob", .securityDomain), Row("srvr", "blob", .server),
        Row("type", "uint32", .type),
    ]

    private static func value(_ row: Row, of record: ItemRecord) -> String {
        guard let attribute = row.attribute, let value = record[attribute] else { return "<NULL>" }
        switch value {
        case .string(let text):
            if attribute == .networkProtocol && text.isEmpty { return number(0) }
            let names: Set<ItemAttribute> = [.account, .service, .server]
            return text.isEmpty && !names.contains(attribute) ? "<NULL>" : buffer(text)
        case .data(let bytes): return buffer(bytes)
        case .number(let value): return number(UInt32(truncatingIfNeeded: value))
        case .bool(let bool): return number(bool ? 1 : 0)
        case .date(let seconds):
            let whole = Int64(exactly: seconds.rounded(.down)) ?? 0
            return buffer(Array((Moment.format(whole, "%Y%m%d%H%M%SZ") ?? "").utf8) + [0])
        }
    }

    /// Four bytes, the highest first.
    private static func number(_ number: UInt32) -> String {
        buffer([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
    }

    private static func buffer(_ text: String) -> String { buffer(Array(text.utf8)) }

    private static func buffer(_ bytes: [UInt8]) -> String {
        buffer(bytes.span).withBytes { shown in
            String(decoding: shown.indices.map { shown[$0] }, as: UTF8.self)
        }
    }

    /// Bytes in quotation marks where all of them are printable ASCII and no backslash; else in
    /// hexadecimal, and after it in quotation marks with octal escapes where any of them is.
    static func buffer(_ bytes: Span<UInt8>) -> SecretBytes {
        let printableCount = bytes.indices.count { isPlain(bytes[$0]) }
        let needsHexadecimal = printableCount < bytes.count
        return SecretBytes(
            capacity: 6 * bytes.count + 6,
            filledBy: { shown in
                var count = 0
                func put(_ byte: UInt8, _ shown: inout MutableSpan<UInt8>) {
                    shown[count] = byte
                    count += 1
                }
                if needsHexadecimal {
                    put(UInt8(ascii: "0"), &shown)
                    put(UInt8(ascii: "x"), &shown)
                    for index in bytes.indices {
                        put(digit(bytes[index] >> 4, UInt8(ascii: "A")), &shown)
                        put(digit(bytes[index] & 15, UInt8(ascii: "A")), &shown)
                    }
                    put(UInt8(ascii: " "), &shown)
                    if printableCount > 0 { put(UInt8(ascii: " "), &shown) }
                }
                guard printableCount > 0 || bytes.count == 0 else { return count }
                put(UInt8(ascii: "\""), &shown)
                for index in bytes.indices {
                    let byte = bytes[index]
                    if isPlain(byte) {
                        put(byte, &shown)
                    } else {
                        put(UInt8(ascii: "\\"), &shown)
                        for shift: UInt8 in [6, 3, 0] {
                            put(UInt8(ascii: "0") + (byte >> shift & 7), &shown)
                        }
                    }
                }
                put(UInt8(ascii: "\""), &shown)
                return count
            })
    }

    /// A password as `-w` prints it: as it is where all of it is printable ASCII, else in
    /// hexadecimal; then a line feed.
    static func passwordLine(_ bytes: Span<UInt8>) -> SecretBytes {
        let isPrintable = bytes.indices.allSatisfy { (0x20...0x7E).contains(bytes[$0]) }
        return SecretBytes(
            capacity: 2 * bytes.count + 1,
            filledBy: { shown in
                var count = 0
                for index in bytes.indices {
                    if isPrintable {
                        shown[count] = bytes[index]
                        count += 1
                    } else {
                        shown[count] = digit(bytes[index] >> 4, UInt8(ascii: "a"))
                        shown[count + 1] = digit(bytes[index] & 15, UInt8(ascii: "a"))
                        count += 2
                    }
                }
                shown[count] = UInt8(ascii: "\n")
                return count + 1
            })
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\\")
    }

    private static func digit(_ value: UInt8, _ ten: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : ten + value - 10
    }
}
