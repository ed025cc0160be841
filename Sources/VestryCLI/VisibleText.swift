extension String {
    /// One line, one field, and nothing that a terminal would obey.
    ///
    /// A backslash becomes `\\`, a tab `\t`, a line feed `\n`, a carriage return `\r`; every other
    /// control character, and every character that reorders or hides text, becomes `\u{HEX}`. So two
    /// different names never look the same, and each can be read back.
    var escapedForTerminal: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\t": escaped += "\\t"
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case _ where scalar.isInvisible:
                escaped += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension Unicode.Scalar {
    /// Controls (C0, DEL, C1), format characters such as the bidirectional overrides (Unicode
    /// Technical Report 36, section 2.5), and line and paragraph separators.
    var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
