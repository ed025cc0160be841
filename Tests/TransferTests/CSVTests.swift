import SecureMemory
import TestSupport
import Testing
import Vestry

@testable import Transfer

@Suite struct CSVTests {
    func fields(_ text: String) throws -> [[String]] {
        try CSVFile(Array(text.utf8).span).records.map { record in
            record.fields.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    static let table: [(String, [[String]])] = [
        ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]), ("a,b\nc,d", [["a", "b"], ["c", "d"]]),
        ("\"a,b\",\"c\"\"d\"", [["a,b", "c\"d"]]), ("\"a\nb\",c", [["a\nb", "c"]]),
        ("a,\n,b\n", [["a", ""], ["", "b"]]), ("\u{FEFF}a\nb", [["a"], ["b"]]),
        ("a\n\nb\n", [["a"], ["b"]]), ("\"\",a", [["", "a"]]), ("", []),
        ("a b , c", [["a b ", " c"]]),
    ]

    @Test(arguments: table.indices)
    func recordsAreAsRFC4180Says(_ index: Int) throws {
        let (text, expected) = Self.table[index]
        #expect(try fields(text) == expected)
    }

    @Test(arguments: [
        ("a\n\"b", 2), ("a\nb\"c", 2), ("\"a\"b", 1), ("\"a\nb\"\nc\"", 3), ("\"a\"\"", 1),
    ])
    func whatIsNoCSVIsRefusedWithItsLine(_ text: String, _ line: Int) {
        let error = #expect(throws: ImportProblem.self) { try fields(text) }
        #expect(error?.line == line)
    }

    @Test func aRecordWithAnotherNumberOfFieldsIsNamed() throws {
        let csv = try CSVFile(Array("a,b\nc\n\"d\n\",e\nf,g,h".utf8).span)
        #expect(csv.records.count == 2)
        #expect(csv.problems.map(\.line) == [2, 5])
        let wide = String(repeating: ",", count: 256)
        #expect(throws: ImportProblem.self) { try fields(wide) }
    }

    static let chromium = """
        name,url,username,password,note
        example.org,https://example.org:8443/login,alice,"p,1",N
        Bank,,bob,x,
        """

    @Test func columnsAreFoundByTheirNames() throws {
        let batch = try CSVLogins.read(SecretBytes(Self.chromium))
        #expect(batch.problems == [])
        #expect(
            batch.imported == [
                Imported(
                    .internetPassword,
                    [
                        .label: "example.org", .account: "alice", .server: "example.org",
                        .networkProtocol: "htps", .port: 8443, .path: "/login", .comment: "N",
                    ], "p,1"),
                Imported(
                    .genericPassword, [.service: "Bank", .label: "Bank", .account: "bob"], "x"),
            ])
        survivesChanges(of: Self.chromium) { (file) throws(ImportProblem) in
            try CSVLogins.read(file)
        }
    }

    @Test func whatIsLeftOutIsNamed() throws {
        let text = """
            folder,type,name,login_uri,login_username,login_password,login_totp
            ,login,Bank,,dave,pin,otpauth://x
            """
        let batch = try CSVLogins.read(SecretBytes(text))
        #expect(batch.leftOut == ["the columns 'type', 'login_totp'"])
        #expect(try CSVLogins.read(SecretBytes(Self.chromium)).leftOut == [])
    }

    static let addresses: [(String, server: String?, path: String?, comment: String?)] = [
        ("https://a.example.org,https://b.example.org/x", "a.example.org", nil, "N\n*"),
        ("what, https://b.example.org", nil, nil, "N\n*"),
        ("http://,https://b.example.org/x", "b.example.org", "/x", "N\n*"),
        ("https://a.example.org/x,y", "a.example.org", "/x,y", "N"),
        ("  https://a.example.org\t", "a.example.org", nil, "N"),
        ("the bank", nil, nil, "N\n*"), ("", nil, nil, "N"),
    ]

    @Test(arguments: addresses.indices)
    func noAddressIsLost(_ index: Int) throws {
        let (address, server, path, comment) = Self.addresses[index]
        let text = "title,url,password,note\nT,\"\(address)\",x,N"
        let item = try #require(try CSVLogins.read(SecretBytes(text)).items.first)
        #expect(item.attributes[.server]?.string == server)
        #expect(item.attributes[.path]?.string == path)
        #expect(item.attributes[.service]?.string == (server == nil ? "T" : nil))
        #expect(item.attributes[.comment]?.string == comment?.replacing("*", with: address))
    }

    @Test func keePassHasItsTitleUnderAccount() throws {
        let text = """
            "Account","Login Name","Password","Web Site","Comments"
            "Mail","alice","x","",""
            """
        let batch = try CSVLogins.read(SecretBytes(text), isKeePass: true)
        #expect(
            batch.imported == [
                Imported(
                    .genericPassword, [.service: "Mail", .label: "Mail", .account: "alice"], "x")
            ])
    }

    @Test func datesAreKept() throws {
        let text = """
            "Group","Title","Username","Password","URL","Notes","TOTP","Icon","Last Modified","Created"
            "Root","T","u","p","","","","0","2024-02-29T12:00:00Z","2020-01-31T18:00:00Z"
            """
        let item = try #require(try CSVLogins.read(SecretBytes(text)).imported.first)
        #expect(item.attributes[.modificationDate] == .date(1_709_208_000))
        #expect(item.attributes[.creationDate] == .date(1_580_493_600))
    }

    @Test(arguments: [
        ("", "it is empty"), ("name,user\na,b", "no column named 'password'"),
        ("password,password\na,b", "two columns mean the same"),
    ])
    func aFileWithoutItsColumnsIsRefused(_ text: String, _ reason: String) {
        let error = #expect(throws: ImportProblem.self) { try CSVLogins.read(SecretBytes(text)) }
        #expect(error?.reason == reason)
    }

    @Test func aPasswordWithoutAnyNameIsNamed() throws {
        let batch = try CSVLogins.read(SecretBytes("name,password\n,x\na,y\n"))
        #expect(batch.items.count == 1 && batch.problems.map(\.line) == [2])
    }

    @Test func datesOfOtherProgramsAreRead() {
        let table: [(String, Double?)] = [
            ("2020-01-31T18:00:00Z", 1_580_493_600), ("1970-01-01 00:00:00", 0),
            ("1580493600", 1_580_493_600), ("1580493600500", 1_580_493_600.5),
            ("1969-12-31T23:59:59Z", -1), ("", nil), ("2020-13-01T00:00:00Z", nil),
            ("2020-01-31T18:00:00+01", nil), ("soon", nil), ("2020-01-01", nil),
        ]
        for (text, expected) in table { #expect(ForeignDate.seconds(text) == expected) }
    }
}
