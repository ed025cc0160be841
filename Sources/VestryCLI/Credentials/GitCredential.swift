internal import SecureMemory

/// The secret of a credential of git's: the password, and what belongs to it.
///
/// With a refresh token the item's secret has further lines, as git's own helpers for libsecret and for
/// macOS write them:
///
///     PASSWORD
///     password_expiry_utc=SECONDS
///     oauth_refresh_token=TOKEN
///
/// Without one it is the password alone, and the end of its time is the item's end.
struct GitCredential: ~Copyable {
    let password: SecretBytes
    /// Seconds since 1970; nil for never.
    let expiry: Int64?
    private let token: SecretBytes
    let hasRefreshToken: Bool

    /// Takes the secret out of a message.
    ///
    /// - Returns: Nil where it has no password: there is nothing to keep.
    /// - Throws: `GitCredentialMessage.Problem` for a time that is none.
    init?(_ message: GitCredentialMessage) throws(GitCredentialMessage.Problem) {
        let expiry: Int64?
        if let text = try message.text(of: .passwordExpiry) {
            guard let seconds = Arguments.number(text, atMost: .max) else {
                throw GitCredentialMessage.Problem("'password_expiry_utc' is no number")
            }
            expiry = Int64(seconds)
        } else {
            expiry = nil
        }
        switch message.secret(of: .password) {
        case nil: return nil
        case .some(let password): self.password = password
        }
        self.expiry = expiry
        switch message.secret(of: .refreshToken) {
        case .some(let token):
            hasRefreshToken = token.count > 0
            self.token = token
        case nil:
            hasRefreshToken = false
            token = SecretBytes(capacity: 0, filledBy: { _ in 0 })
        }
    }

    /// Reads an item's secret; of lines that are none of git's only the first counts.
    ///
    /// - Parameters:
    ///   - secret: The item's.
    ///   - end: The item's end in seconds since 1970, where it has one.
    init(_ secret: borrowing SecretBytes, end: Int64? = nil) {
        var expiry = end
        var token = SecretBytes(capacity: 0, filledBy: { _ in 0 })
        let size = secret.count
        func lineEnd(from start: Int) -> Int {
            secret.withBytes { bytes in
                (start..<size).first { bytes[$0] == 0x0A } ?? size
            }
        }
        func value(_ start: Int, _ end: Int, of key: GitCredentialMessage.Key) -> SecretBytes? {
            let name = Array((key.rawValue + "=").utf8)
            guard
                let found = secret.slice(from: start, count: min(name.count, end - start)),
                found.withBytes({ bytes in name.elementsEqual(bytes.indices.map { bytes[$0] }) })
            else { return nil }
            return secret.slice(from: start + name.count, count: end - start - name.count)
        }
        let first = lineEnd(from: 0)
        var start = first + 1
        while start < size {
            let end = lineEnd(from: start)
            if let digits = value(start, end, of: .passwordExpiry) {
                let text = digits.withBytes { bytes in
                    String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
                }
                expiry = Arguments.number(text, atMost: .max).map { Int64($0) } ?? expiry
            } else if let found = value(start, end, of: .refreshToken) {
                token = found
            }
            start = end + 1
        }
        self.password =
            secret.slice(from: 0, count: first) ?? SecretBytes(capacity: 0, filledBy: { _ in 0 })
        self.expiry = expiry
        hasRefreshToken = token.count > 0
        self.token = token
    }

    /// Whether git's protocol can carry it.
    var isText: Bool {
        password.withBytes { bytes in !bytes.indices.contains { bytes[$0] == 0 } }
    }

    func isExpired(at now: Int64) -> Bool { expiry.map { $0 <= now } ?? false }

    /// The end of an item with this secret, in seconds since 1970; nil for never.
    ///
    /// A refresh token is of use when the password is not any more.
    var itemEnd: Int64? { hasRefreshToken ? nil : expiry }

    /// What is kept as the item's secret.
    var itemSecret: SecretBytes {
        guard hasRefreshToken else { return password.withBytes { SecretBytes(copying: $0) } }
        var lines = "\n"
        if let expiry { lines += "\(GitCredentialMessage.Key.passwordExpiry.rawValue)=\(expiry)\n" }
        lines += GitCredentialMessage.Key.refreshToken.rawValue + "="
        return Self.joined([.init(password), .init(lines), .init(token)])
    }

    /// What git is told.
    ///
    /// - Parameters:
    ///   - username: The account.
    ///   - now: Seconds since 1970. Git before 2.41 would use a password whose time is over: it gets
    ///     the rest alone.
    /// - Returns: Lines.
    func answer(username: String, at now: Int64) -> SecretBytes {
        var parts: [Part] = [.init("username=\(username)\n")]
        if !isExpired(at: now) { parts += [.init("password="), .init(password), .init("\n")] }
        if let expiry {
            parts.append(.init("\(GitCredentialMessage.Key.passwordExpiry.rawValue)=\(expiry)\n"))
        }
        if hasRefreshToken {
            parts += [
                .init("\(GitCredentialMessage.Key.refreshToken.rawValue)="), .init(token),
                .init("\n"),
            ]
        }
        return Self.joined(parts)
    }

    private final class Part {
        let bytes: SecretBytes

        init(_ text: String) { bytes = SecretBytes(copying: Array(text.utf8).span) }
        init(_ secret: borrowing SecretBytes) {
            bytes = secret.withBytes { SecretBytes(copying: $0) }
        }
    }

    private static func joined(_ parts: [Part]) -> SecretBytes {
        SecretBytes(
            count: parts.reduce(0) { $0 + $1.bytes.count },
            filledBy: { joined in
                var count = 0
                for part in parts {
                    part.bytes.withBytes { bytes in
                        for index in bytes.indices {
                            joined[count] = bytes[index]
                            count += 1
                        }
                    }
                }
            })
    }
}
