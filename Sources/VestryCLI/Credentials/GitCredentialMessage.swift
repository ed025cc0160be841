internal import SecureMemory

/// What git says to a credential helper: lines `key=value`, up to an empty line or the end
/// (git-credential(1), "INPUT/OUTPUT FORMAT").
///
/// Only a line feed ends a line, and nothing is quoted. Keys that are not known are passed over, among
/// them everything that git says only to helpers that ask for it; of a key that comes twice the last
/// one counts.
final class GitCredentialMessage {
    /// What is wrong with a message; it names no value.
    struct Problem: Error, Equatable {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    enum Key: String, CaseIterable {
        case scheme = "protocol"
        case host, path, username, password, url, ephemeral
        case passwordExpiry = "password_expiry_utc"
        case refreshToken = "oauth_refresh_token"

        /// Whether its value says where a credential belongs; what is shown and compared, and no secret.
        var isName: Bool {
            switch self {
            case .scheme, .host, .path, .username: true
            default: false
            }
        }
    }

    /// The longest line, as git documents it.
    static let lineLimit = 65_535
    /// Of all lines; git itself sends a few hundred bytes, and a header line for each wwwauth[].
    static let byteLimit = 1 << 20

    private final class Value {
        let bytes: SecretBytes

        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }

    private var values: [Key: Value] = [:]

    /// Whether a message, as far as it was read, is complete.
    static func isWhole(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 0, bytes[0] != 0x0A else { return bytes.count > 0 }
        return bytes.indices.dropFirst().contains { bytes[$0] == 0x0A && bytes[$0 - 1] == 0x0A }
    }

    /// Reads a message.
    ///
    /// - Parameter message: All of it; what follows an empty line does not count.
    /// - Throws: `Problem`.
    init(_ message: borrowing SecretBytes) throws(Problem) {
        guard message.count < Self.byteLimit else { throw Problem("it is longer than 1 MiB") }
        try message.withBytes { (bytes) throws(Problem) in
            var start = 0
            while start < bytes.count, bytes[start] != 0x0A {
                var end = start
                while end < bytes.count, bytes[end] != 0x0A { end += 1 }
                try readLine(bytes.extracting(start..<end))
                start = end + 1
            }
        }
    }

    private func readLine(_ line: Span<UInt8>) throws(Problem) {
        guard line.count <= Self.lineLimit else {
            throw Problem("a line is longer than \(Self.lineLimit) bytes")
        }
        guard !line.indices.contains(where: { line[$0] == 0 }) else {
            throw Problem("a NUL byte")
        }
        guard let separator = line.indices.first(where: { line[$0] == UInt8(ascii: "=") }) else {
            throw Problem("a line without '='")
        }
        let name = (0..<separator).map { line[$0] }
        guard let key = Key.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name) }) else {
            return
        }
        let value = line.extracting((separator + 1)..<line.count)
        if key == .url {
            try readAddress(value)
        } else {
            values[key] = Value(SecretBytes(copying: value))
        }
    }

    /// Reads `SCHEME://[USER[:PASSWORD]@]HOST[/PATH]` in place of everything about it that was said
    /// before, by git's own rules (credential_from_url() of its credential.c).
    private func readAddress(_ url: Span<UInt8>) throws(Problem) {
        func index(of byte: UInt8, from start: Int, to end: Int) -> Int? {
            (start..<end).first { url[$0] == byte }
        }
        guard let colon = index(of: UInt8(ascii: ":"), from: 0, to: url.count), colon > 0,
            colon + 2 < url.count, url[colon + 1] == UInt8(ascii: "/"),
            url[colon + 2] == UInt8(ascii: "/")
        else { throw Problem("a url without a protocol") }
        let start = colon + 3
        let end = (start..<url.count).first { "/?#".utf8.contains(url[$0]) } ?? url.count
        values = values.filter { !$0.key.isName && $0.key != .password }
        values[.scheme] = Value(SecretBytes(copying: url.extracting(0..<colon)))
        var host = start
        if let at = index(of: UInt8(ascii: "@"), from: start, to: end) {
            let separator = index(of: UInt8(ascii: ":"), from: start, to: at) ?? at
            values[.username] = try Self.decoded(url.extracting(start..<separator))
            if separator < at {
                values[.password] = try Self.decoded(url.extracting((separator + 1)..<at))
            }
            host = at + 1
        }
        values[.host] = try Self.decoded(url.extracting(host..<end))
        var (first, last) = (end, url.count)
        while first < last, url[first] == UInt8(ascii: "/") { first += 1 }
        while last > first, url[last - 1] == UInt8(ascii: "/") { last -= 1 }
        if first < last { values[.path] = try Self.decoded(url.extracting(first..<last)) }
    }

    /// Decodes `%HEX`; a `%` without two digits stands for itself.
    private static func decoded(_ text: Span<UInt8>) throws(Problem) -> Value {
        var isForbidden = false
        let decoded = SecretBytes(
            capacity: text.count,
            filledBy: { bytes in
                var (index, count) = (0, 0)
                while index < text.count {
                    var byte = text[index]
                    if byte == UInt8(ascii: "%"), index + 2 < text.count,
                        let high = Hexadecimal.value(of: text[index + 1]),
                        let low = Hexadecimal.value(of: text[index + 2])
                    {
                        byte = high << 4 | low
                        index += 2
                    }
                    isForbidden = isForbidden || byte == 0 || byte == 0x0A
                    bytes[count] = byte
                    count += 1
                    index += 1
                }
                return count
            })
        guard !isForbidden else { throw Problem("a url with an encoded line feed or NUL byte") }
        return Value(decoded)
    }

    /// The value of a key that is no secret.
    ///
    /// - Returns: Nil where the message has none.
    /// - Throws: `Problem` for bytes that are no UTF-8, and for control characters.
    func text(of key: Key) throws(Problem) -> String? {
        guard let value = values[key] else { return nil }
        let bytes = value.bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw Problem("a control character in '\(key.rawValue)'")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Problem("'\(key.rawValue)' is not valid UTF-8")
        }
        return text
    }

    /// A secret value; nil where the message has none.
    func secret(of key: Key) -> SecretBytes? {
        guard let value = values[key] else { return nil }
        return value.bytes.withBytes { SecretBytes(copying: $0) }
    }

    func has(_ key: Key) -> Bool { values[key] != nil }
}
