package import SecureMemory
internal import Vestry

/// What a password manager keeps about one login, in its own words.
struct ForeignLogin {
    var title = ""
    var user = ""
    var address = ""
    var notes = ""
    var created: Double?
    var modified: Double?

    /// An internet password where there is an address with a host; else a generic password, whose
    /// service is the title or the address.
    func item(secret: consuming SecretBytes) -> ImportedItem {
        var attributes: [ItemAttribute: AttributeValue] = [.account: .string(user)]
        if !title.isEmpty { attributes[.label] = .string(title) }
        if let created { attributes[.creationDate] = .date(created) }
        if let modified { attributes[.modificationDate] = .date(modified) }
        let (parts, isWhole) = ForeignAddress.first(in: address)
        var comment = notes
        if !isWhole, parts != nil || !title.isEmpty {
            comment += (comment.isEmpty ? "" : "\n") + address
        }
        if !comment.isEmpty { attributes[.comment] = .string(comment) }
        guard let parts else {
            attributes[.service] = .string(title.isEmpty ? address : title)
            return ImportedItem(.genericPassword, attributes: attributes, secret: secret)
        }
        attributes.merge(parts.attributes) { $1 }
        return ImportedItem(.internetPassword, attributes: attributes, secret: secret)
    }
}

/// An address with a host: `SCHEME://[USER[:PASSWORD]@]HOST[:PORT][/PATH]` (RFC 3986, section 3), or a
/// host name alone.
///
/// Octets of the host, and the ":" before the port, may be written as `%HEX`.
struct ForeignAddress: Equatable {
    let scheme: String
    /// Before the "@", as it is written.
    let userInfo: String?
    let host: String
    let port: Int
    /// Without what follows "?" or "#"; empty for "/".
    let path: String

    /// Reads an address; nil for what has no host.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            return nil
        }
        var rest = bytes[...]
        if let colon = Self.firstIndex(of: "://", in: bytes) {
            let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
            guard !scheme.isEmpty else { return nil }
            self.scheme = scheme
            rest = bytes[(colon + 3)...]
        } else {
            // "www.example.org" and "www.example.org/login", but no "Bank".
            guard bytes.contains(UInt8(ascii: ".")), !bytes.contains(UInt8(ascii: "@")),
                bytes.first != UInt8(ascii: "/"), bytes.first != UInt8(ascii: ".")
            else { return nil }
            scheme = ""
        }
        let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        var authority = rest[..<end]
        let tail = rest[end...].prefix { !"?#".utf8.contains($0) }
        path = tail.elementsEqual("/".utf8) ? "" : String(decoding: tail, as: UTF8.self)
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            userInfo = String(decoding: authority[..<at], as: UTF8.self)
            authority = authority[(at + 1)...]
        } else {
            userInfo = nil
        }
        // git writes the ":" before a port so.
        guard let decoded = PercentEncoding.decoded(authority),
            String(validating: decoded, as: UTF8.self) != nil,
            !decoded.contains(where: { $0 <= 0x20 || $0 == 0x7F || "/?#@".utf8.contains($0) })
        else { return nil }
        authority = decoded[...]
        var port = 0
        let bracket = authority.lastIndex(of: UInt8(ascii: "]"))
        if let colon = authority.lastIndex(of: UInt8(ascii: ":")),
            bracket.map({ $0 < colon }) ?? true
        {
            let digits = authority[(colon + 1)...]
            guard let number = UInt16(String(decoding: digits, as: UTF8.self)) else { return nil }
            port = Int(number)
            authority = authority[..<colon]
        }
        guard !authority.isEmpty else { return nil }
        self.port = port
        host = String(decoding: authority, as: UTF8.self).lowercased()
    }

    /// The address that a text is, or the first one of several with commas between them.
    ///
    /// - Parameter text: As it is written; spaces around an address do not count.
    /// - Returns: Nil where none is there; and whether the text has no more than that.
    static func first(in text: String) -> (address: ForeignAddress?, isWhole: Bool) {
        // A path may have commas.
        let parts = text.split(separator: ",").map(trimmed)
        if parts.count > 1, parts.allSatisfy({ $0.contains("://") }) {
            return (parts.lazy.compactMap { ForeignAddress($0) }.first, false)
        }
        let whole = trimmed(text[...])
        let address = ForeignAddress(whole)
        return (address, address != nil || whole.isEmpty)
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }

    private static func firstIndex(of text: String, in bytes: [UInt8]) -> Int? {
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return nil }
        return (0...bytes.count - wanted.count).first {
            bytes[$0..<$0 + wanted.count].elementsEqual(wanted)
        }
    }

    var attributes: [ItemAttribute: AttributeValue] {
        var attributes: [ItemAttribute: AttributeValue] = [.server: .string(host)]
        if let code = Self.protocols[scheme] { attributes[.networkProtocol] = .string(code) }
        if port != 0 { attributes[.port] = .number(Int64(port)) }
        if !path.isEmpty { attributes[.path] = .string(path) }
        return attributes
    }

    /// Apple's codes (`kSecAttrProtocol`) for schemes.
    private static let protocols = [
        "http": "http", "https": "htps", "ftp": "ftp ", "ftps": "ftps", "ssh": "ssh ",
        "sftp": "ssh ", "imap": "imap", "imaps": "imps", "pop3": "pop3", "pop3s": "pops",
        "smtp": "smtp", "ldap": "ldap", "ldaps": "ldps", "smb": "smb ", "telnet": "teln",
        "irc": "irc ", "ircs": "ircs",
    ]
}

/// Octets that are written as `%HEX` (RFC 3986, section 2.1).
enum PercentEncoding {
    /// Decodes a text; nil where a `%` has no two digits after it.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Hexadecimal.value),
                let low = rest.popFirst().flatMap(Hexadecimal.value)
            else { return nil }
            decoded.append(high << 4 | low)
        }
        return decoded
    }
}

/// Digits of base 16.
enum Hexadecimal {
    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Base64 (RFC 4648, section 4), with its padding.
package enum Base64 {
    private static let symbols = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Encodes a secret.
    package static func encoded(_ secret: borrowing SecretBytes) -> SecretBytes {
        SecretBytes(
            count: (secret.count + 2) / 3 * 4,
            filledBy: { text in
                secret.withBytes { bytes in
                    var end = 0
                    for start in stride(from: 0, to: bytes.count, by: 3) {
                        let count = min(3, bytes.count - start)
                        var group: UInt32 = 0
                        for offset in 0..<3 {
                            let byte = offset < count ? bytes[start + offset] : 0
                            group = group << 8 | UInt32(byte)
                        }
                        for place in 0..<4 {
                            let value = Int(group >> (18 - 6 * UInt32(place)) & 63)
                            text[end] = place <= count ? symbols[value] : UInt8(ascii: "=")
                            end += 1
                        }
                    }
                }
            })
    }

    /// Decodes a secret; nil for what ``encoded(_:)`` does not give.
    package static func decoded(_ text: Span<UInt8>) -> SecretBytes? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var padding = 0
        while padding < 2, padding < text.count, text[text.count - 1 - padding] == UInt8(ascii: "=")
        {
            padding += 1
        }
        var isValid = true
        let secret = SecretBytes(
            count: text.count / 4 * 3 - padding,
            filledBy: { bytes in
                for start in stride(from: 0, to: text.count, by: 4) {
                    var group: UInt32 = 0
                    for offset in 0..<4 {
                        let isPadding = start + offset >= text.count - padding
                        let value = isPadding ? 0 : value(of: text[start + offset])
                        isValid = isValid && value != nil
                        group = group << 6 | UInt32(value ?? 0)
                    }
                    for place in 0..<3 {
                        let byte = UInt8(truncatingIfNeeded: group >> (16 - 8 * UInt32(place)))
                        let index = start / 4 * 3 + place
                        if index < bytes.count {
                            bytes[index] = byte
                        } else {
                            // Bits that belong to no byte are zero.
                            isValid = isValid && byte == 0
                        }
                    }
                }
            })
        guard isValid else { return nil }
        return .some(secret)
    }

    private static func value(of symbol: UInt8) -> UInt8? {
        symbols.firstIndex(of: symbol).map { UInt8($0) }
    }
}
