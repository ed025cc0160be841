import SecureMemory
import TestSupport
import Testing
import Vestry

@testable import Transfer

@Suite struct LineFormatTests {
    static let git = """
        https://alice:p%40ss@git.example.org
        http://bob:x:y@Host.example.org%3a8080/group/project.git\r

        # a comment
        https://a%20b:@h
        """

    @Test func gitsFileHasAnAddressInEachLine() {
        let batch = GitCredentials.read(SecretBytes(Self.git))
        #expect(batch.problems == [])
        #expect(
            batch.imported == [
                Imported(
                    .internetPassword,
                    [.account: "alice", .server: "git.example.org", .networkProtocol: "htps"],
                    "p@ss"),
                Imported(
                    .internetPassword,
                    [
                        .account: "bob", .server: "host.example.org", .networkProtocol: "http",
                        .port: 8080, .path: "/group/project.git",
                    ], "x:y"),
                Imported(
                    .internetPassword, [.account: "a b", .server: "h", .networkProtocol: "htps"], ""
                ),
            ])
        survivesChanges(of: Self.git) { (file) throws(ImportProblem) in GitCredentials.read(file) }
    }

    @Test(arguments: [
        "https://h", "alice:x@h", "https://alice@h", "https://a:%4@h", "text", "://a:b@h",
    ])
    func aLineOfGitsThatIsNoneIsNamed(_ line: String) {
        let batch = GitCredentials.read(SecretBytes("https://a:b@h\n" + line + "\n"))
        #expect(batch.items.count == 1 && batch.problems.map(\.line) == [2])
    }

    static let netrc = """
        # comment
        machine Mail.example.org login alice password "two words \\" here"
        machine h
          login bob
          account extra
          password s#cret
        macdef init
        machine not login a password b

        machine last login c password d
        """

    @Test func netrcIsWordsOverAnyNumberOfLines() throws {
        let batch = try NetrcFile.read(SecretBytes(Self.netrc))
        #expect(batch.problems == [])
        #expect(
            batch.imported == [
                Imported(
                    .internetPassword, [.server: "mail.example.org", .account: "alice"],
                    "two words \" here"),
                Imported(
                    .internetPassword, [.server: "h", .account: "bob", .comment: "extra"], "s#cret"),
                Imported(.internetPassword, [.server: "last", .account: "c"], "d"),
            ])
        survivesChanges(of: Self.netrc) { (file) throws(ImportProblem) in try NetrcFile.read(file) }
    }

    @Test func anEntryOfNetrcThatIsNoLoginIsNamed() throws {
        let batch = try NetrcFile.read(
            SecretBytes("machine a login b\n\nmachine c password d\ndefault password e"))
        #expect(batch.items.count == 1 && batch.problems.map(\.line) == [1, 4])
    }

    @Test(arguments: [
        ("machine a\nlogn b", 2), ("machine", 1), ("login a", 1),
        ("machine a password \"x\ny\"", 1),
        ("machine a\npassword", 2),
    ])
    func anythingElseInNetrcIsRefused(_ text: String, _ line: Int) {
        let error = #expect(throws: ImportProblem.self) { try NetrcFile.read(SecretBytes(text)) }
        #expect(error?.line == line)
    }

    static let addresses: [(String, ForeignAddress.Parts?)] = [
        ("https://h", ("https", "h", 0, "")), ("https://h/", ("https", "h", 0, "")),
        ("HTTPS://H:1/p?q#f", ("https", "h", 1, "/p")),
        ("www.example.org/x", ("", "www.example.org", 0, "/x")),
        ("https://[::1]:22/", ("https", "[::1]", 22, "")),
        ("https://[::1]", ("https", "[::1]", 0, "")),
        ("Bank", nil), ("", nil), ("https://", nil), ("https://h:99999", nil),
        ("a b.example.org", nil),
        ("mail@example.org", nil), ("/path.x", nil), ("https://h:x", nil),
    ]

    @Test(arguments: addresses.indices)
    func addressesAreTakenApart(_ index: Int) {
        let (text, expected) = Self.addresses[index]
        let address = ForeignAddress(text)
        let found = address.map { ($0.scheme, $0.host, $0.port, $0.path) }
        #expect("\(String(describing: found))" == "\(String(describing: expected))", "\(text)")
    }

    @Test func base64IsReadAndWritten() throws {
        for (plain, encoded) in [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"),
        ] {
            #expect(Base64.encoded(SecretBytes(plain)).exposed == Array(encoded.utf8))
            let decoded = withValue(of: Base64.decoded(Array(encoded.utf8).span)) { $0.exposed }
            #expect(decoded == Array(plain.utf8))
        }
        for wrong in ["Zg=", "Zh==", "Z===", "Zm9v\n", "Zm8==", "====", "Z=8=", "Zm9%"] {
            let isRefused = Base64.decoded(Array(wrong.utf8).span) == nil
            #expect(isRefused, "\(wrong)")
        }
    }
}

extension ForeignAddress {
    typealias Parts = (String, String, Int, String)
}
