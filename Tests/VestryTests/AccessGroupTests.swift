import Foundation
import LinuxSystem
import SecureMemory
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// The file that says which access groups a program has.
@Suite struct AccessGroupFileTests {
    static let texts: [(String, String?, [String])] = [
        ("", "/usr/bin/a", ["default"]), ("# * = x\n\n  \t\n", "/usr/bin/a", ["default"]),
        ("* = one", "/usr/bin/a", ["one"]), ("* = one", nil, ["one"]),
        ("/usr/bin/a = one two\n* = three", "/usr/bin/a", ["one", "two"]),
        ("/usr/bin/a = one two\n* = three", "/usr/bin/b", ["three"]),
        ("/usr/bin/a = one two\n* = three", nil, ["three"]),
        ("/usr/bin/a = one", "/usr/bin/b", ["default"]),
        // The first line that fits counts.
        ("* = three\n/usr/bin/a = one", "/usr/bin/a", ["three"]),
        ("\t/opt/my program=a\tb \r\n", "/opt/my program", ["a", "b"]),
        ("/opt/a=b/c = one", "/opt/a=b/c", ["one"]),
        // Names are bytes.
        ("/opt/caf\u{E9} = one", "/opt/cafe\u{301}", ["default"]),
        ("* = Gruppe-é com.example:x", "/a", ["Gruppe-é", "com.example:x"]),
    ]

    @Test(arguments: texts.indices) func aLineGivesAProgramItsGroups(_ index: Int) throws {
        let (text, program, groups) = Self.texts[index]
        #expect(try AccessGroupFile.parse(text, program: program) == groups)
    }

    @Test(arguments: [
        "one", "= one", "* =", "* = \t", "mailer = one", "*x = one", "* = one\n/usr/bin/b",
        "* = one\n~/bin/b = two",
    ])
    func aLineThatIsNotUnderstoodGivesNoGroups(_ text: String) {
        #expect(
            code { () throws(VestryError) in
                _ = try AccessGroupFile.parse(text, program: "/usr/bin/a")
            } == .missingEntitlement)
    }

    @Test func aReplacedProgramKeepsItsName() {
        #expect(AccessGroupFile.program(link: "/usr/bin/a (deleted)") == "/usr/bin/a")
        #expect(AccessGroupFile.program(link: "/usr/bin/a") == "/usr/bin/a")
    }

    @Test func theFileIsInTheHomeOfTheAccountsRecord() throws {
        let home = try TemporaryHome()
        func groups() throws(VestryError) -> [String] {
            try AccessGroupFile.groups(of: home.account)
        }
        #expect(try groups() == ["default"])
        let folder = URL(filePath: home.path).appending(path: ".config/vestry")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "access-groups")
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        try Data("\(program) = mine shared\n".utf8).write(to: file)
        #expect(try groups() == ["mine", "shared"])

        // Whoever may write there decides where items go.
        for mode in [0o666, 0o664] {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: file.path)
            #expect(code { () throws(VestryError) in _ = try groups() } == .denied)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        #expect(try groups() == ["mine", "shared"])
        try Data(repeating: 0x23, count: UserFile.byteLimit + 1).write(to: file)
        #expect(code { () throws(VestryError) in _ = try groups() } == .inputOutput)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(code { () throws(VestryError) in _ = try groups() } == .denied)
    }
}

/// What an operation does with several groups.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct AccessGroupTests {
    @Test func aNewItemGoesToTheFirstGroupAndASearchLooksIntoAll() throws {
        let keychain = try TestKeychain(accessGroups: ["one", "two"])
        let store = keychain.keychain
        let name: [ItemAttribute: AttributeValue] = [.service: "s", .account: "a"]
        try store.add(.genericPassword, attributes: name)
        try store.add(
            .genericPassword, attributes: name.merging([.accessGroup: "two"]) { $1 })
        var query = ItemQuery(.genericPassword)
        query.limit = .all
        #expect(try store.find(query).records.map { $0[.accessGroup] } == ["one", "two"])
        query.attributes[.accessGroup] = "two"
        #expect(try store.find(query).records.count == 1)
        query.attributes[.accessGroup] = "three"
        #expect(code { () throws(VestryError) in _ = try store.find(query) } == .missingEntitlement)
    }

    @Test func withoutGroupsNoItemIsTouched() throws {
        let keychain = try TestKeychain(accessGroups: [])
        let store = keychain.keychain
        let key = ItemKey(service: "s", account: "a")
        let refused = VestryError.Code.missingEntitlement
        #expect(code { () throws(VestryError) in _ = try store.secret(for: key) } == refused)
        #expect(code { () throws(VestryError) in _ = try store.items() } == refused)
        #expect(
            code { () throws(VestryError) in try store.set(SecretBytes("x"), for: key) } == refused)
        #expect(code { () throws(VestryError) in try store.delete(key) } == refused)
        #expect(code { () throws(VestryError) in _ = try store.find(ItemQuery(.key)) } == refused)
        #expect(
            code { () throws(VestryError) in _ = try store.add(.key, attributes: [:]) } == refused)
        #expect(
            code { () throws(VestryError) in _ = try store.delete(ItemQuery(.key)) } == refused)
    }
}
