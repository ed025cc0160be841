/// One line of an answer in the Assuan protocol, without its end.
///
/// Source: "Developing with Assuan" (the libassuan manual), section "Server responses".
enum AssuanLine: Equatable {
    /// The most bytes of a line, without its end.
    static let limit = 1000

    case done
    /// With a number of libgpg-error.
    case failure(AssuanRefusal)
    /// A part of the data stands behind the first ``dataOffset`` bytes, percent-encoded.
    case data
    /// A status or a comment, which mean nothing here.
    case remark
    /// What no answer to our commands has.
    case other

    /// The size of "D ".
    static let dataOffset = 2

    init(_ line: Span<UInt8>) {
        if Self.has(line, "D ") {
            self = .data
        } else if Self.has(line, "OK") {
            self = line.count == 2 || line[2] == 0x20 ? .done : .other
        } else if Self.has(line, "ERR ") {
            self = AssuanRefusal(line.extracting(4...)).map { .failure($0) } ?? .other
        } else if Self.has(line, "S ") || Self.has(line, "#") {
            self = .remark
        } else {
            self = .other
        }
    }

    private static func has(_ line: Span<UInt8>, _ word: StaticString) -> Bool {
        guard line.count >= word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { word in
            for index in word.indices where unsafe line[index] != word[index] {
                return false
            }
            return true
        }
    }
}

/// Why a server did not do what it was told.
struct AssuanRefusal: Error, Equatable {
    /// Of libgpg-error: the low 16 bits are the reason, the others say who says so.
    let code: UInt32
    /// In the server's words; can have any characters.
    let text: String

    init(code: UInt32, text: String) {
        self.code = code
        self.text = text
    }

    /// Reads what follows "ERR ": a number, and a text after a space.
    fileprivate init?(_ line: Span<UInt8>) {
        let bytes = line.indices.map { line[$0] }
        let parts = bytes.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first,
            let number = Arguments.number(
                String(decoding: first, as: UTF8.self), atMost: Int(UInt32.max))
        else { return nil }
        code = UInt32(number)
        text = parts.count == 2 ? String(decoding: parts[1], as: UTF8.self) : ""
    }

    /// The person has dismissed the question: GPG_ERR_CANCELED or GPG_ERR_FULLY_CANCELED.
    var isCancelled: Bool { [99, 198].contains(code & 0xFFFF) }

    /// Nobody has answered within the program's own time: GPG_ERR_TIMEOUT.
    var isTimeout: Bool { code & 0xFFFF == 62 }
}

/// One line that is sent.
enum AssuanCommand {
    /// A command with a text for people, which is cut where it would be too long for a line.
    ///
    /// - Parameters:
    ///   - name: The command.
    ///   - text: What it is about; any characters.
    /// - Returns: The line with its end.
    static func line(_ name: String, _ text: String = "") -> [UInt8] {
        var line = Array(name.utf8)
        if !text.isEmpty { line.append(0x20) }
        for scalar in text.unicodeScalars {
            let encoded = encoded(scalar)
            guard line.count + encoded.count <= AssuanLine.limit else { break }
            line += encoded
        }
        return line + [0x0A]
    }

    /// `OPTION`, whose values are never decoded.
    ///
    /// - Returns: The line with its end; nil for a value that cannot be said.
    static func option(_ name: String, _ value: String) -> [UInt8]? {
        let line = Array("OPTION \(name)=\(value)".utf8)
        guard !value.isEmpty, line.count <= AssuanLine.limit, line.allSatisfy({ $0 >= 0x20 })
        else { return nil }
        return line + [0x0A]
    }

    /// Percent-encoded where it would end the line, or be taken for an encoding.
    private static func encoded(_ scalar: Unicode.Scalar) -> [UInt8] {
        switch scalar {
        case "%": Array("%25".utf8)
        case "\n": Array("%0A".utf8)
        case "\r": Array("%0D".utf8)
        default: Array(String(scalar).utf8)
        }
    }
}
