import Glibc
import LinuxSystem
import SecureMemory
import TestSupport
import Testing
import Vestry

@testable import Transfer

@Suite struct DocumentTests {
    static let docker = """
        {"auths": {
            "https://index.docker.io/v1/": {"auth": "YWxpY2U6cDpx"},
            "ghcr.io": {"auth": "Ym9iOng=", "identitytoken": "token"},
            "quay.io": {}
        }, "credsStore": "secretservice"}
        """

    @Test func dockersRegistriesAreInternetPasswords() throws {
        let batch = try DockerConfig.read(SecretBytes(Self.docker))
        #expect(batch.problems == [])
        let label = AttributeValue.string("Docker Credentials")
        #expect(
            batch.imported.sorted { $0.secret < $1.secret } == [
                Imported(
                    .internetPassword,
                    [
                        .label: label, .account: "alice", .server: "index.docker.io",
                        .networkProtocol: "htps", .path: "/v1/",
                        .securityDomain: "https://index.docker.io/v1/",
                    ], "p:q"),
                Imported(
                    .internetPassword,
                    [
                        .label: label, .account: "<token>", .server: "ghcr.io",
                        .networkProtocol: "htps", .securityDomain: "ghcr.io",
                    ], "token"),
            ])
        survivesChanges(of: Self.docker) { (file) throws(ImportProblem) in
            try DockerConfig.read(file)
        }
    }

    @Test func anAuthThatIsNoneIsAProblem() throws {
        let batch = try DockerConfig.read(
            SecretBytes(#"{"auths":{"a":{"auth":"!"},"b":{"auth":"eA=="},"c":1}}"#))
        #expect(batch.items.isEmpty && batch.problems.count == 3)
    }

    @Test(arguments: [
        ("{\n\n x}", 3), ("", 1), ("{\"a\":1,\n\"a\":2}", 2), ("[1,]", 1), ("\"\u{0}\"", 1),
    ])
    func brokenJSONIsRefusedWithItsLine(_ text: String, _ line: Int) {
        let error = #expect(throws: ImportProblem.self) {
            _ = try JSONDocument(SecretBytes(text)).value.isNull
        }
        #expect(error?.line == line)
    }

    @Test func deepJSONIsRefused() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: ImportProblem.self) {
            _ = try JSONDocument(SecretBytes(deep)).value.isNull
        }
    }

    static let keePass = """
        <?xml version="1.0" encoding="utf-8"?>
        <KeePassFile><Meta><RecycleBinUUID>BIN=</RecycleBinUUID></Meta><Root>
        <Group><UUID>G1==</UUID><Name>Root</Name>
        <Entry><UUID>E1==</UUID>
        <String><Key>Title</Key><Value>A &amp; B</Value></String>
        <String><Key>UserName</Key><Value>alice</Value></String>
        <String><Key>Password</Key><Value ProtectInMemory="True">new</Value></String>
        <String><Key>URL</Key><Value>https://example.org/x</Value></String>
        <Times><CreationTime>2020-01-31T18:00:00Z</CreationTime>
        <LastModificationTime>2024-02-29T12:00:00Z</LastModificationTime></Times>
        <History><Entry><String><Key>Title</Key><Value>old</Value></String>
        <String><Key>Password</Key><Value>old</Value></String></Entry></History>
        </Entry>
        <Group><UUID>BIN=</UUID><Entry><String><Key>Title</Key><Value>thrown away</Value></String>
        <String><Key>Password</Key><Value>x</Value></String></Entry></Group>
        <Entry><String><Key>Title</Key><Value>Bank</Value></String>
        <String><Key>Notes</Key><Value>one
        two</Value></String><String><Key>Password</Key><Value/></String></Entry>
        </Group></Root></KeePassFile>
        """

    @Test func keePassEntriesComeWithoutHistoryAndRecycleBin() throws {
        let batch = try KeePassXML.read(SecretBytes(Self.keePass))
        #expect(batch.problems == [])
        #expect(
            batch.imported == [
                Imported(
                    .internetPassword,
                    [
                        .label: "A & B", .account: "alice", .server: "example.org", .path: "/x",
                        .networkProtocol: "htps", .creationDate: .date(1_580_493_600),
                        .modificationDate: .date(1_709_208_000),
                    ], "new"),
                Imported(
                    .genericPassword,
                    [.service: "Bank", .label: "Bank", .account: "", .comment: "one\ntwo"], ""),
            ])
        survivesChanges(of: Self.keePass) { (file) throws(ImportProblem) in
            try KeePassXML.read(file)
        }
    }

    @Test func whatKeePassHasBesidesIsCounted() throws {
        let text = """
            <KeePassFile><Root><Group>
            <Entry><String><Key>Title</Key><Value>T</Value></String>
            <String><Key>otp</Key><Value>otpauth://x</Value></String>
            <String><Key>Password</Key><Value>p</Value></String>
            <Binary><Key>scan.png</Key><Value Ref="0"/></Binary></Entry>
            <Entry><String><Key>Title</Key><Value>U</Value></String>
            <String><Key>mine</Key><Value>1</Value></String></Entry>
            </Group></Root></KeePassFile>
            """
        let batch = try KeePassXML.read(SecretBytes(text))
        #expect(batch.leftOut == ["fields of one's own, of 2", "attachments, of 1"])
        #expect(try KeePassXML.read(SecretBytes(Self.keePass)).leftOut == [])
    }

    @Test func aDocumentTypeIsRefused() {
        let bomb = """
            <?xml version="1.0"?>
            <!DOCTYPE KeePassFile [<!ENTITY a SYSTEM "file:///etc/passwd">]>
            <KeePassFile>&a;</KeePassFile>
            """
        let error = #expect(throws: ImportProblem.self) { try KeePassXML.read(SecretBytes(bomb)) }
        #expect(error?.line == 2)
        #expect(throws: ImportProblem.self) { try KeePassXML.read(SecretBytes("<a/>")) }
        #expect(throws: ImportProblem.self) { try KeePassXML.read(SecretBytes("<KeePassFile>")) }
    }

    @Test func aValueThatIsStillEncryptedIsNamed() throws {
        let text = """
            <KeePassFile><Root><Group>
            <Entry><String><Key>Title</Key><Value>T</Value></String>
            <String><Key>Password</Key><Value Protected="True">AAAA</Value></String></Entry>
            </Group></Root></KeePassFile>
            """
        let batch = try KeePassXML.read(SecretBytes(text))
        #expect(batch.items.isEmpty && batch.problems.map(\.line) == [2])
    }

    static let dump = #"""
        keychain: "/Users/alice/Library/Keychains/login.keychain-db"
        version: 512
        class: "genp"
        attributes:
            0x00000007 <blob>="Label"
            0x00000008 <blob>=<NULL>
            "acct"<blob>="alice"
            "cdat"<timedate>=0x32303230303133313138303030305A00  "20200131180000Z\000"
            "gena"<blob>=0x00FF  "\000\377"
            "mdat"<timedate>=0x32303234303232393132303030305A00  "20240229120000Z\000"
            "svce"<blob>="A\134B"
        data:
        "p\303\251"
        keychain: "/Users/alice/Library/Keychains/login.keychain-db"
        version: 512
        class: "inet"
        attributes:
            "acct"<blob>="bob"
            "port"<uint32>=0x000001BB
            "ptcl"<uint32>="htps"
            "atyp"<blob>="form"
            "srvr"<blob>="example.org"
            "path"<blob>="/x"
        data:
        0x6E6577  "new"
        class: 0x80001000
        attributes:
            "alis"<blob>="cert"
        data:
        0x00
        """#

    @Test func aDumpOfMacOSIsPasswords() throws {
        let batch = try KeychainDump.read(SecretBytes(Self.dump))
        #expect(batch.problems.map(\.line) == [26])
        #expect(
            batch.imported == [
                Imported(
                    .genericPassword,
                    [
                        .label: "Label", .account: "alice", .service: #"A\B"#,
                        .generic: .data([0, 255]), .creationDate: .date(1_580_493_600),
                        .modificationDate: .date(1_709_208_000),
                    ], "pé"),
                Imported(
                    .internetPassword,
                    [
                        .account: "bob", .server: "example.org", .path: "/x", .port: 443,
                        .networkProtocol: "htps", .authenticationType: "form",
                    ], "new"),
            ])
        #expect(throws: ImportProblem.self) { try KeychainDump.read(SecretBytes("text")) }
        survivesChanges(of: Self.dump) { (file) throws(ImportProblem) in
            try KeychainDump.read(file)
        }
    }

    @Test func theFirstLineOfPassIsTheSecret() throws {
        let home = try TemporaryHome()
        for (name, text) in [
            ("web/example", "secret\nuser: alice\nurl: https://h\n\n"), ("plain", "x"),
            ("bad", "refuse"), (".hidden", "x"),
        ] {
            let path = home.path + "/" + name
            _ = unsafe mkdir(home.path + "/web", 0o700)
            let file = try PendingFile(path: path + ".gpg")
            try file.write(Array(text.utf8))
            _ = try file.place(isReplacing: false)
        }
        let batch = try PasswordStore.read(home.path) { (path) throws(ImportProblem) in
            guard let file = try? SeekableFile(path: path),
                let bytes = try? file.read(at: 0, count: file.byteCount),
                bytes != Array("refuse".utf8)
            else { throw ImportProblem("no") }
            return SecretBytes(bytes)
        }
        #expect(
            batch.imported == [
                Imported(.genericPassword, [.service: "plain"], "x"),
                Imported(
                    .genericPassword,
                    [.service: "web/example", .account: "alice", .comment: "url: https://h"],
                    "secret"),
            ])
        #expect(batch.problems == [ImportProblem("bad.gpg, no")])
        #expect(throws: ImportProblem.self) {
            try PasswordStore.read(home.path + "/none") { (_) throws(ImportProblem) in
                SecretBytes("")
            }
        }
    }
}

/// The names of a Secret Service's items; the service itself is a matter of the scripts' tests.
@Suite struct SecretServiceTests {
    typealias Case = (
        attributes: [String: String], label: String, itemClass: ItemClass,
        values: [ItemAttribute: AttributeValue]
    )

    static let table: [Case] = [
        (
            [
                "xdg:schema": "org.gnome.keyring.NetworkPassword", "server": "h", "user": "u",
                "protocol": "https", "port": "8443", "object": "share", "domain": "d",
            ], "L",
            .internetPassword,
            [
                .label: "L", .server: "h", .account: "u", .networkProtocol: "htps", .port: 8443,
                .path: "share", .securityDomain: "d",
            ]
        ),
        (
            ["xdg:schema": "org.example.Token", "service": "s", "username": "u", "env": "test"],
            "L",
            .genericPassword, [.label: "L", .service: "s", .account: "u", .comment: "env=test"]
        ),
        (
            ["b": "2", "a": "1"], "L", .genericPassword,
            [.label: "L", .service: "L", .account: "a=1,b=2", .comment: "a=1\nb=2"]
        ),
        ([:], "", .genericPassword, [.service: "", .account: ""]),
    ]

    @Test(arguments: table.indices)
    func attributesBecomeNames(_ index: Int) {
        let given = Self.table[index]
        let mapped = SecretService.attributes(given.attributes, label: given.label)
        #expect(mapped.itemClass == given.itemClass && mapped.values == given.values)
    }
}
