internal import Vestry

/// Where a credential of git's belongs: what git names of it, in the attributes of internet passwords.
///
///     protocol   networkProtocol: Apple's code where there is one, else the word itself
///     host       server, in small letters, and port
///     path       path, with a slash before it
///     username   account
///
/// The security domain is empty: those with another one are docker's or somebody else's.
struct GitCredentialPlace: Equatable {
    let scheme: String
    /// As git writes it, with the port.
    let host: String
    /// Nil for every path.
    let path: String?
    /// Nil for every account.
    let username: String?

    /// Takes the names out of a message.
    ///
    /// - Throws: `GitCredentialMessage.Problem` where they name nothing: that must not be taken for
    ///   everything.
    init(_ message: GitCredentialMessage) throws(GitCredentialMessage.Problem) {
        scheme = try message.text(of: .scheme) ?? ""
        let host = try message.text(of: .host)
        let path = try message.text(of: .path) ?? ""
        username = try message.text(of: .username)
        guard !scheme.isEmpty else { throw GitCredentialMessage.Problem("no protocol") }
        // An empty host is that of cert:///PATH.
        guard let host, !host.isEmpty || !path.isEmpty else {
            throw GitCredentialMessage.Problem("no host")
        }
        // Nobody's name; some program has not decoded what somebody has put there.
        guard !["%00", "%0a", "%0d"].contains(where: { host.lowercased().contains($0) }) else {
            throw GitCredentialMessage.Problem("an encoded control character in 'host'")
        }
        self.host = host
        self.path = path.isEmpty ? nil : path
    }

    /// The conditions on an item, of all accounts and paths where none is named.
    var attributes: [ItemAttribute: AttributeValue] {
        let (server, port) = serverAndPort
        var attributes: [ItemAttribute: AttributeValue] = [
            .networkProtocol: .string(Self.code(of: scheme)), .server: .string(server),
            .port: .number(Int64(port)), .securityDomain: "",
        ]
        if let path { attributes[.path] = .string("/" + path) }
        if let username { attributes[.account] = .string(username) }
        return attributes
    }

    /// Such as `https://git.example.org:8443/project.git`.
    var address: String { "\(scheme)://\(host)" + (path.map { "/" + $0 } ?? "") }

    /// What follows the last colon is a port where it can be nothing else, so that two different
    /// hosts are never one.
    private var serverAndPort: (String, UInt16) {
        let bytes = Array(host.utf8)
        let name = { (count: Int) in
            String(decoding: bytes[..<count].map(Self.lowercased), as: UTF8.self)
        }
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")),
            let port = UInt16(String(decoding: bytes[(colon + 1)...], as: UTF8.self)), port > 0,
            String(port).utf8.elementsEqual(bytes[(colon + 1)...]),
            // The colons of an IPv6 address are in brackets.
            bytes.lastIndex(of: UInt8(ascii: "]")) ?? 0 < colon
        else { return (name(bytes.count), 0) }
        return (name(colon), port)
    }

    /// ASCII alone, as the domain name system compares names.
    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Different protocols have different codes.
    private static func code(of scheme: String) -> String {
        let known = AttributeForm.protocols
        if let match = known.first(where: { $0.word == scheme }) { return match.value }
        return known.contains { $0.value == scheme } ? scheme + ":" : scheme
    }
}
