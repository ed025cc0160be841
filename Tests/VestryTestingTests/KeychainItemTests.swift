import SecureMemory
import TestSupport
import Testing
import Vestry
import VestryCodable
import VestryTesting

/// Values with types, and properties that are kept in the keychain.
@Suite struct KeychainItemTests {
    struct Login: Codable, Equatable {
        var user: String
        var attempts: Int
    }

    /// As a program declares its properties.
    struct Settings {
        @KeychainItem<String> var token: String?
        @KeychainItem<[UInt8]> var seed: [UInt8]?
        @KeychainItem<Login> var login: Login?

        init(_ keychain: Keychain) {
            _token = KeychainItem(
                service: "s", account: "token", label: "The token", accessibility: .whenUnlocked,
                in: keychain)
            _seed = KeychainItem(service: "s", account: "seed", in: keychain)
            _login = KeychainItem(service: "s", account: "login", in: keychain)
        }
    }

    /// In the keychain of whoever runs the program: nothing is opened before the first access.
    struct Declared {
        @KeychainItem(service: "s", account: "text") var text: String?
        @KeychainItem(service: "s", account: "login") var login: Login?
    }

    let testing: TestingKeychain
    var keychain: Keychain { testing.keychain }
    let settings: Settings

    init() throws {
        testing = try TestingKeychain()
        settings = Settings(testing.keychain)
    }

    func bytes(_ account: String) throws -> [UInt8] {
        try keychain.secret(for: ItemKey(service: "s", account: account)).exposed
    }

    @Test func propertiesAreItems() throws {
        #expect(settings.token == nil)
        #expect(settings.$token.error == nil)
        settings.token = "pässword\n"
        settings.seed = [0, 0xFF]
        settings.login = Login(user: "alice", attempts: 3)
        #expect(settings.token == "pässword\n")
        #expect(settings.seed == [0, 0xFF])
        #expect(settings.login == Login(user: "alice", attempts: 3))
        #expect(try bytes("token") == Array("pässword\n".utf8))
        #expect(try bytes("seed") == [0, 0xFF])
        #expect(try bytes("login") == Array(#"{"attempts":3,"user":"alice"}"#.utf8))
        let item = try keychain.item(for: settings.$token.key)
        #expect(item.label == "The token")
        #expect(item.accessibility == .whenUnlocked)
        settings.token = nil
        #expect(settings.token == nil)
        settings.token = nil
        #expect(settings.$token.error == nil)
    }

    @Test func aDeclarationNamesItsItem() {
        let declared = Declared()
        #expect(declared.$text.key == ItemKey(service: "s", account: "text"))
        #expect(declared.$login.key == ItemKey(service: "s", account: "login"))
    }

    @Test func whatFailsIsNoMissingItem() throws {
        settings.token = "x"
        testing.state = .locked
        #expect(settings.token == nil)
        #expect(settings.$token.error?.code == .locked)
        settings.token = "y"
        #expect(settings.$token.error?.code == .locked)
        #expect(throws: VestryError.self) { try settings.$token.read() }
        #expect(throws: VestryError.self) { try settings.$token.write(nil) }
        testing.state = .unlocked
        #expect(settings.token == "x")
        #expect(settings.$token.error == nil)
        try keychain.set(SecretBytes([0xFF]), for: settings.$token.key)
        #expect(settings.token == nil)
        #expect(settings.$token.error?.code == .conversion)
    }

    @Test func codableValuesAreJSON() throws {
        let key = ItemKey(service: "s", account: "login")
        try keychain.set(value: Login(user: "bob", attempts: 0), for: key, label: "L")
        #expect(try keychain.value(Login.self, for: key) == Login(user: "bob", attempts: 0))
        #expect(try keychain.item(for: key).label == "L")
        #expect(settings.login == Login(user: "bob", attempts: 0))
        func code(_ body: () throws(VestryError) -> Void) -> VestryError.Code? {
            do throws(VestryError) { try body() } catch { return error.code }
            return nil
        }
        #expect(
            code { () throws(VestryError) in _ = try keychain.value([Int].self, for: key) }
                == .conversion)
        #expect(
            code { () throws(VestryError) in try keychain.set(value: Double.nan, for: key) }
                == .conversion)
        #expect(try keychain.value(Login.self, for: key).user == "bob")
    }
}
