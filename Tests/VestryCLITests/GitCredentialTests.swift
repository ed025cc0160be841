import SecureMemory
import TestSupport
import Testing
import Vestry

@testable import VestryCLI

/// What git says, and what is kept of it.
@Suite struct GitCredentialTests {
    private func message(_ text: String) throws -> GitCredentialMessage {
        try GitCredentialMessage(SecretBytes(text))
    }

    private func place(_ text: String) throws -> GitCredentialPlace {
        try GitCredentialPlace(message(text))
    }

    private func text(_ secret: consuming SecretBytes?) -> String? {
        withValue(of: secret) { String(decoding: $0.exposed, as: UTF8.self) }
    }

    @Test func aMessageEndsWithAnEmptyLine() throws {
        let found = try message(
            "protocol=https\nhost=a=b\nhost=c\nusername=\nunknown=x\nwwwauth[]=y\n\nhost=d\n")
        #expect(try found.text(of: .scheme) == "https")
        #expect(try found.text(of: .host) == "c")
        #expect(try found.text(of: .username) == "")
        #expect(try found.text(of: .path) == nil)
        #expect(text(found.secret(of: .password)) == nil)
        let password = try message("password= p\r=\tq").secret(of: .password)
        #expect(text(password) == " p\r=\tq")
    }

    @Test(arguments: [
        ("", false), ("\n", true), ("a=b\n", false), ("a=b\n\n", true), ("a=b\n\nc", true),
        ("\na", true), ("a=b", false), ("a=b\r\n\r\n", false),
    ])
    func aMessageIsWholeAfterAnEmptyLine(_ text: String, _ isWhole: Bool) {
        #expect(GitCredentialMessage.isWhole(Array(text.utf8).span) == isWhole)
    }

    static let malformed = [
        "host", "a=b\nc\n", "a=b\n=\0\n", "host=a\0b\n", "url=\n", "url=x\n", "url=://h/\n",
        "url=https:/h\n", "url=https://h%0aost\n", "url=https://u:%0A@h\n", "url=https://h/%00\n",
    ]

    @Test(arguments: malformed) func aMalformedMessageIsRefused(_ text: String) {
        #expect(throws: GitCredentialMessage.Problem.self) { try message(text) }
    }

    static let unnamed = [
        "", "\n", "protocol=https\n", "host=h\n", "protocol=https\nhost=\n",
        "protocol=\nhost=h\n", "protocol=https\nhost=a\rb\n", "protocol=ht\ttps\nhost=h\n",
        "protocol=https\nhost=h\npath=\u{1}\n", "protocol=https\nhost=h\nusername=\u{7F}\n",
        "protocol=https\nhost=a%0Ab\n", "protocol=https\nhost=a%00b\n",
        "protocol=https\nhost=%0dh\n", "protocol=https\npath=p\n",
    ]

    @Test(arguments: unnamed) func whatNamesNoPlaceIsRefused(_ text: String) {
        #expect(throws: GitCredentialMessage.Problem.self) { try place(text) }
    }

    @Test func aPlaceIsWhatGitSays() throws {
        let found = try place(
            "protocol=https\nhost=Git.Example.org:8443\npath=a/b.git\nusername=u\n")
        #expect(found.address == "https://Git.Example.org:8443/a/b.git")
        #expect(
            found.attributes == [
                .networkProtocol: "htps", .server: "git.example.org", .port: 8443,
                .path: "/a/b.git", .account: "u", .securityDomain: "",
            ])
        let whole = try place("protocol=ssh\nhost=h\npath=\n")
        #expect(
            whole.attributes == [
                .networkProtocol: "ssh ", .server: "h", .port: 0, .securityDomain: "",
            ])
        let certificate = try place("protocol=cert\nhost=\npath=/k.pem\n")
        #expect(certificate.attributes[.path] == "//k.pem")
        #expect(certificate.attributes[.networkProtocol] == "cert")
    }

    static let hosts: [(String, String, Int64)] = [
        ("h:1", "h", 1), ("h:65535", "h", 65535), ("h:65536", "h:65536", 0), ("h:0", "h:0", 0),
        ("h:01", "h:01", 0), ("h:+1", "h:+1", 0), ("h:", "h:", 0), ("[::1]", "[::1]", 0),
        ("[::1]:2", "[::1]", 2), ("h:1:2", "h:1", 2), ("\u{C4}.De:1", "\u{C4}.de", 1),
        ("fe80::1%eth0", "fe80::1%eth0", 0),
    ]

    @Test(arguments: hosts) func aPortIsPartOfTheHost(
        _ host: String, _ server: String, _ port: Int64
    ) throws {
        let attributes = try place("protocol=https\nhost=\(host)\n").attributes
        #expect(attributes[.server] == .string(server))
        #expect(attributes[.port] == .number(port))
    }

    @Test func everyProtocolHasItsOwnCode() throws {
        let words =
            AttributeForm.protocols.flatMap { [$0.word, $0.value] } + ["cert", "sftp", "x"]
        var codes: [String: String] = [:]
        for word in Set(words) where !word.hasSuffix(" ") {
            let code = try place("protocol=\(word)\nhost=h\n").attributes[.networkProtocol]?.string
            let found = try #require(code)
            #expect(codes[found] == nil, "\(word) and \(codes[found] ?? "")")
            codes[found] = word
        }
    }

    @Test func aURLIsTakenApartAsGitDoes() throws {
        let found = try message(
            "username=x\npassword=y\npath=z\nurl=https://a%40b:c%3Ad%@h%2e:1//p%20q/?r//\n")
        #expect(try found.text(of: .scheme) == "https")
        #expect(try found.text(of: .username) == "a@b")
        #expect(text(found.secret(of: .password)) == "c:d%")
        #expect(try found.text(of: .host) == "h.:1")
        #expect(try found.text(of: .path) == "p q/?r")
        let bare = try message("username=x\npassword=y\nurl=http://h?@x\n")
        #expect(try bare.text(of: .host) == "h")
        #expect(try bare.text(of: .username) == nil)
        #expect(!bare.has(.password))
        // What follows counts again.
        #expect(try message("url=http://h\nhost=i\n").text(of: .host) == "i")
    }

    /// Of a credential: the item's secret and its end, and what git is told at 0 and at 100.
    static let credentials:
        [(said: String, kept: String, end: Int64?, early: String, late: String)] = [
            ("password=p\n", "p", nil, "password=p\n", "password=p\n"),
            ("password=\n", "", nil, "password=\n", "password=\n"),
            (
                "password=p\npassword_expiry_utc=50\n", "p", 50,
                "password=p\npassword_expiry_utc=50\n", "password_expiry_utc=50\n"
            ),
            (
                "password=p\noauth_refresh_token=r\n", "p\noauth_refresh_token=r", nil,
                "password=p\noauth_refresh_token=r\n", "password=p\noauth_refresh_token=r\n"
            ),
            (
                "password=p\noauth_refresh_token=r=\npassword_expiry_utc=50\n",
                "p\npassword_expiry_utc=50\noauth_refresh_token=r=", nil,
                "password=p\npassword_expiry_utc=50\noauth_refresh_token=r=\n",
                "password_expiry_utc=50\noauth_refresh_token=r=\n"
            ),
            (
                "password=p\noauth_refresh_token=\npassword_expiry_utc=0\n", "p", 0,
                "password_expiry_utc=0\n", "password_expiry_utc=0\n"
            ),
        ]

    @Test func aCredentialComesBackAsItWasSaid() throws {
        for row in Self.credentials {
            let given = try GitCredential(message(row.said))
            let found = withValue(of: given) { credential in
                let end = credential.itemEnd
                let secret = text(credential.itemSecret)
                let read = GitCredential(credential.itemSecret, end: end)
                let before = text(read.answer(username: "u", at: -1)) ?? ""
                let early = text(read.answer(username: "u", at: 0)) ?? ""
                let late = text(read.answer(username: "u", at: 100)) ?? ""
                #expect(before.hasPrefix("username=u\npassword="))
                return (end: end, kept: secret, early: early, late: late)
            }
            #expect(found?.end == row.end)
            #expect(found?.kept == row.kept)
            #expect(found?.early == "username=u\n" + row.early)
            #expect(found?.late == "username=u\n" + row.late)
        }
        let none = try GitCredential(message("username=u\n"))
        #expect(withValue(of: none) { _ in true } == nil)
    }

    @Test(arguments: ["", "x", "-1", "1 ", "99999999999999999999"])
    func aTimeThatIsNoneIsRefused(_ time: String) {
        #expect(throws: GitCredentialMessage.Problem.self) {
            let given = try GitCredential(message("password=p\npassword_expiry_utc=\(time)\n"))
            _ = withValue(of: given) { _ in }
        }
    }

    @Test func ofLinesThatAreNotGitsTheFirstIsThePassword() {
        let table = [
            ("p\n", "p"), ("p\nuser: x\n", "p"), ("\n", ""), ("", ""),
            ("p\n\npassword_expiry_utc=\n", "p"),
            ("p\noauth_refresh_token", "p"), ("p\npassword_expiry_utc=99999999999999999999", "p"),
        ]
        for (secret, password) in table {
            let credential = GitCredential(SecretBytes(secret))
            let (found, expiry) = (credential.password.exposed, credential.expiry)
            let hasRefreshToken = credential.hasRefreshToken
            #expect(found == Array(password.utf8))
            #expect(expiry == nil)
            #expect(!hasRefreshToken)
        }
        let isText = GitCredential(SecretBytes("a\0b")).isText
        #expect(!isText)
    }

    /// Whatever comes, it is an answer or a refusal.
    @Test func anyBytesAreReadOrRefused() {
        var random = SystemRandomNumberGenerator()
        let parts = [
            "protocol=", "https", "host=", "url=", "://", "%", "%0a", "@", ":", "/", "?", "\n",
            "\n\n",
            "=", "\r", "\0", "password=", "password_expiry_utc=", "oauth_refresh_token=", "9", "h",
            "username=", "path=", "[", "]", "\u{FF}", "ephemeral=",
        ].map { Array($0.utf8) }
        var understood = 0
        for _ in 0..<20_000 {
            var bytes: [UInt8] = Array("protocol=https\nhost=h\n".utf8)
            if Bool.random(using: &random) { bytes = [] }
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                if let part = parts.randomElement(using: &random) { bytes += part }
            }
            if Int.random(in: 0..<4, using: &random) == 0, let index = bytes.indices.randomElement()
            {
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
            _ = GitCredential(SecretBytes(bytes), end: nil).itemSecret.count
            _ = GitCredentialMessage.isWhole(bytes.span)
            guard let message = try? GitCredentialMessage(SecretBytes(bytes)) else { continue }
            if let given = try? GitCredential(message) {
                withValue(of: consume given) { _ = $0.answer(username: "u", at: 5).count }
            }
            guard let place = try? GitCredentialPlace(message) else { continue }
            _ = (place.attributes, place.address)
            understood += 1
        }
        #expect(understood > 1000)
    }
}
