import Foundation
import Testing
import VestryTestSupport

@testable import KeychainAccess

/// Internet passwords, and everything that lists items.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct ListingTests {
    let test: TestKeychain

    init() throws { test = try TestKeychain() }

    func keychain(_ server: String, _ type: ProtocolType = .https) -> Keychain {
        test.use { Keychain(server: server, protocolType: type) }
    }

    @Test func aServerIsHostPortProtocolAndAuthentication() throws {
        try keychain("https://h:1/path?query").set("one", key: "a")
        #expect(try keychain("https://h:1").get("a") == "one")
        // Without a port, any.
        #expect(try keychain("https://h").get("a") == "one")
        #expect(try keychain("https://h:2").get("a") == nil)
        #expect(try keychain("https://i:1").get("a") == nil)
        #expect(try keychain("https://h:1", .http).get("a") == nil)
        let form = test.use {
            Keychain(server: "https://h:1", protocolType: .https, authenticationType: .htmlForm)
        }
        #expect(try form.get("a") == nil)
        let item = try #require(keychain("https://h:1")[attributes: "a"])
        #expect(item.server == "h" && item.port == 1 && item.protocol == "htps")
        #expect(item.authenticationType == "dflt" && item.class == "inet" && item.path == "")
        #expect(item.account == "a" && item.service == nil && item.securityDomain == "")
    }

    /// KeychainAccess stops the program there.
    @Test(arguments: ["", "http://[", "https://h:port"])
    func aTextThatIsNoURLIsAnError(_ text: String) throws {
        let keychain = keychain(text)
        try #require(URL(string: text) == nil)
        #expect(status { _ = try keychain.get("a") } == .param)
        #expect(status { try keychain.set("x", key: "a") } == .param)
        #expect(status { try keychain.removeAll() } == .param)
        #expect(keychain["a"] == nil)
        #expect(keychain.allKeys() == [])
        #expect(keychain.server.host() == nil)
    }

    /// Without a host there would be no condition, and one server's items another's.
    @Test func aServerWithoutASchemeIsItsName() throws {
        try keychain("one.example/login").set("one", key: "a")
        #expect(try keychain("two.example").get("a") == nil)
        #expect(try keychain("https://one.example").get("a") == "one")
        try keychain("mailto:x@one.example").removeAll()
        try keychain("two.example").removeAll()
        #expect(try keychain("one.example").get("a") == "one")
    }

    @Test func entriesHaveTheirKeys() throws {
        let generic = test.use { Keychain(service: "s") }
        try generic.set("text", key: "a")
        try generic.accessibility(.whenUnlocked).synchronizable(true)
            .set(Data([0xFF]), key: "b")
        let items = generic.allItems()
        #expect(
            items.first as? [String: String] == [
                "class": "GenericPassword", "accessGroup": "default", "service": "s", "key": "a",
                "value": "text", "accessibility": "AfterFirstUnlock", "synchronizable": "false",
            ])
        #expect(items.last?["value"] as? Data == Data([0xFF]))
        #expect(items.last?["synchronizable"] as? String == "true")
        #expect(items.last?["accessibility"] as? String == "WhenUnlocked")

        try keychain("https://h").set("text", key: "a")
        #expect(
            keychain("https://h").allItems() as? [[String: String]] == [
                [
                    "class": "InternetPassword", "accessGroup": "default", "server": "h",
                    "protocol": "HTTPS", "authenticationType": "Default", "key": "a",
                    "value": "text", "accessibility": "AfterFirstUnlock",
                    "synchronizable": "false",
                ]
            ])
    }

    @Test func classMethodsListEveryService() throws {
        try test.use { try Keychain(service: "s").set("x", key: "a") }
        try test.use { try Keychain(service: "t").synchronizable(true).set("x", key: "b") }
        try keychain("https://h").set("x", key: "c")
        try test.use {
            let keys = Keychain.allKeys(.genericPassword)
            #expect(keys.map(\.0) == ["s", "t"] && keys.map(\.1) == ["a", "b"])
            let servers = Keychain.allKeys(.internetPassword)
            #expect(servers.map(\.0) == ["h"] && servers.map(\.1) == ["c"])
            // Synchronizable items are left out, as KeychainAccess leaves them out.
            let items = Keychain.allItems(.genericPassword)
            #expect(items.compactMap { $0["key"] as? String } == ["a"])
            #expect(Keychain.allItems(.internetPassword).count == 1)
            try Keychain(service: "s").removeAll()
            #expect(Keychain.allItems(.genericPassword).isEmpty)
        }
    }

    @Test func descriptionsHaveNoSecret() throws {
        let keychain = test.use { Keychain(service: "s") }
        #expect(keychain.description == "[]")
        try keychain.set("the secret", key: "a")
        for text in [keychain.description, keychain.debugDescription, "\(keychain)"] {
            #expect(text.contains("\"key\": \"a\"") && !text.contains("the secret"))
        }
        let item = try #require(keychain[attributes: "a"])
        for text in [item.description, item.debugDescription] {
            #expect(text.contains("\"acct\": a") && !text.contains("v_Data"))
        }
        #expect(item["v_Data"] as? Data == Data("the secret".utf8))
        #expect(item["svce"] as? String == "s")
        #expect(item["none"] == nil)
    }

    @Test func attributesHaveTheirTypes() throws {
        let keychain = test.use { Keychain(service: "s") }
        let before = Date().addingTimeInterval(-1)
        try keychain.accessibility(.whenUnlocked, authenticationPolicy: [])
            .set("x", key: "a")
        let item = try #require(keychain[attributes: "a"])
        let created = try #require(item.creationDate)
        #expect(created > before && item.modificationDate == created)
        #expect(item.persistentRef?.count == 16 && item.ref == nil)
        #expect(item.accessControl == nil && item.synchronizable == false)
    }
}
