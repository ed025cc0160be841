/// A JSON value (RFC 8259), for output alone.
///
/// Objects keep the order of their members, so that equal contents have equal bytes.
indirect enum JSON: Equatable {
    case null
    case bool(Bool)
    case number(Int64)
    case string(String)
    case array([JSON])
    case object([Member])

    struct Member: Equatable {
        let name: String
        let value: JSON

        init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// On one line, in UTF-8.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let bool): bool ? "true" : "false"
        case .number(let number): String(number)
        case .string(let string): Self.quoted(string)
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",")
                + "}"
        }
    }

    /// RFC 8259, section 7, asks for quotation mark, backslash and U+0000 to U+001F; DEL, C1 and the
    /// separators that JavaScript once refused are escaped too, so that a terminal obeys none.
    private static func quoted(_ string: String) -> String {
        var quoted = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\u{8}": quoted += "\\b"
            case "\u{C}": quoted += "\\f"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                // None of these is outside the basic plane, so one escape is enough.
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
