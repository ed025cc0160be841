import Foundation
import KernelKeyring
import KeyClasses
import Keybag
import SecureMemory
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// Whole stores as releases wrote them: with item files of schema 1 and 2.
///
/// Every later release reads it: no secret is ever lost.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct GoldenStoreTests {
    static let password = SecretBytes("correct horse")
    static let deviceKey = SecretBytes([UInt8](repeating: 7, count: 32))

    /// The items of the store; the last one asks for the user.
    static let items: [(ItemClass, [ItemAttribute: AttributeValue], String)] = [
        (
            .genericPassword,
            [
                .service: "api.example.org", .account: "deploy", .label: "Deployment",
                .comment: "schöne Grüße", .generic: .data([0, 0xFF]), .accessible: "ck",
            ], "token"
        ),
        (.genericPassword, [.service: "session", .account: "", .accessible: "ak"], ""),
        (
            .genericPassword,
            [.service: "this machine", .account: "alice", .accessible: "cku"], "device"
        ),
        (
            .internetPassword,
            [
                .server: "www.example.org", .account: "alice", .networkProtocol: "htps",
                .port: .number(8443), .path: "/login", .synchronizable: .bool(true),
                .accessible: "ck",
            ], "pässword"
        ),
        (
            .key,
            [
                .keyClass: .number(1), .applicationLabel: .data([1, 2, 3]),
                .applicationTag: .data([4]), .accessible: "ck",
            ], "key bytes"
        ),
        (
            .genericPassword,
            [
                .service: "bank", .account: "me",
                .accessControl: .data(AccessControl(.whenUnlocked, .userPresence).encoded),
            ], "1234"
        ),
    ]

    let home: TemporaryHome
    private let turn: KernelKeyringTurn

    init() throws {
        turn = try KernelKeyringTurn()
        home = try TemporaryHome()
        _ = try home.storeDirectory()
    }

    func openKeychain(_ keybag: Keybag) throws -> Keychain {
        let keys = try keybag.open(
            .loginPassword, password: Self.password, deviceKey: Self.deviceKey
        ).takeKeys()
        let keyring = KernelKeyring(store: keybag.storeID)
        _ = try keyring.linkPresence()
        for index in 0..<keys.count {
            if let key = keys.key(at: index) { try keyring.put(key) }
        }
        var keychain = Keychain(account: home.account)
        keychain.presenceAuthorizer = { [keybag] keyClass throws(VestryError) in
            let keys = try? keybag.open(
                .loginPassword, password: Self.password, deviceKey: Self.deviceKey
            ).takeKeys()
            guard let key = keys?.key(keyClass, epoch: 1) else { throw VestryError(.locked) }
            return key
        }
        return keychain
    }

    /// Puts a store into the home.
    private func openStore(_ name: String) throws -> Keychain {
        let folder = try #require(
            Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Golden"))
        for name in ["keybag", "items.sqlite"] {
            let contents = try Data(contentsOf: folder.appending(component: name))
            #expect(
                FileManager.default.createFile(
                    atPath: home.storePath + "/" + name, contents: contents,
                    attributes: [.posixPermissions: 0o600]))
        }
        let directory = try home.storeDirectory()
        return try openKeychain(#require(try Keybag.read(in: directory)))
    }

    private func expectEveryItem(in keychain: Keychain) throws {
        for (itemClass, attributes, secret) in Self.items {
            var query = ItemQuery(itemClass, attributes.filter { $0.key.isPrimary(in: itemClass) })
            query.synchronizable = .any
            let records = try keychain.find(query, wantingSecrets: true).records
            try #require(records.count == 1)
            #expect(records[0].string == secret)
            for (attribute, value) in attributes where attribute != .accessControl {
                #expect(records[0].attributes[attribute] == value)
            }
            #expect(
                records[0].accessControl == (attributes[.accessControl] == nil ? [] : .userPresence)
            )
            #expect(records[0].attributes[.creationDate] != nil)
        }
    }

    @Test(arguments: ["store-1", "store-2"])
    func everyItemIsReadWithAllItsAttributes(_ name: String) throws {
        defer { try? KernelKeyring.lockAll() }
        let keychain = try openStore(name)
        let bytes = try home.read("items.sqlite")
        try expectEveryItem(in: keychain)
        #expect(try home.read("items.sqlite") == bytes)
        // It is written to as well.
        try keychain.set(SecretBytes("new"), for: ItemKey(service: "session", account: ""))
        #expect(try keychain.string(for: ItemKey(service: "session", account: "")) == "new")
        try keychain.undo(ItemKey(service: "session", account: ""))
        try expectEveryItem(in: keychain)
    }

    @Test func theFirstWriteBringsAnOldFileToThisVersionAfterASnapshot() throws {
        defer { try? KernelKeyring.lockAll() }
        let keychain = try openStore("store-1")
        let bytes = try home.read("items.sqlite")
        try keychain.set(SecretBytes("new"), for: ItemKey(service: "session", account: ""))
        #expect(try home.read("items.sqlite")[60..<64] == [0, 0, 0, 2])
        let snapshots = try keychain.snapshots()
        #expect(snapshots.map(\.reason) == [.migration])
        let copy = try home.read("snapshots/" + snapshots[0].name + "/items.sqlite")
        #expect(copy.count == bytes.count)
        #expect(copy[60..<64] == [0, 0, 0, 1])
        // What the snapshot holds, which is of version 1, can be put back.
        try keychain.restore(snapshots[0])
        try expectEveryItem(in: keychain)
    }

    @Test func anOldFileWithoutItsSnapshotStaysAsItIs() throws {
        defer { try? KernelKeyring.lockAll() }
        let keychain = try openStore("store-1")
        let bytes = try home.read("items.sqlite")
        // No folder can be made under this name.
        try home.write([], to: "snapshots")
        #expect(
            code { () throws(VestryError) in
                try keychain.set(SecretBytes("new"), for: ItemKey(service: "session", account: ""))
            } == .denied)
        #expect(try home.read("items.sqlite") == bytes)
        try expectEveryItem(in: keychain)
    }

    @Test func whatIsKeptOfThePastIsReadToo() throws {
        defer { try? KernelKeyring.lockAll() }
        let keychain = try openStore("store-2")
        let key = ItemKey(service: "api.example.org", account: "deploy")
        #expect(try keychain.history(of: key).count == 2)
        try keychain.undo(key)
        #expect(try keychain.string(for: key) == "another token")
        let bank = ItemKey(service: "bank", account: "me")
        try keychain.undo(bank)
        #expect(try keychain.string(for: bank) == "0000")
    }

    /// Makes the store anew in the folder that `VESTRY_GOLDEN` names, for another format.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["VESTRY_GOLDEN"] != nil))
    func writesTheStore() throws {
        defer { try? KernelKeyring.lockAll() }
        let folder = try #require(ProcessInfo.processInfo.environment["VESTRY_GOLDEN"])
        let keybag = try Keybag.create(
            password: Self.password, deviceKey: Self.deviceKey, at: 0
        ).keybag
        let directory = try home.storeDirectory()
        try keybag.write(in: directory)
        let keychain = try openKeychain(keybag)
        for (itemClass, attributes, secret) in Self.items {
            try keychain.add(itemClass, attributes: attributes, secret: SecretBytes(secret))
        }
        for (service, old) in [("api.example.org", "another token"), ("bank", "0000")] {
            let query = ItemQuery(.genericPassword, [.service: .string(service)])
            let present = try #require(
                Self.items.first { $0.1[.service] == .string(service) }?.2)
            for secret in [old, present] {
                try keychain.update(query, secret: SecretBytes(secret))
            }
        }
        for name in ["keybag", "items.sqlite"] {
            try FileManager.default.copyItem(
                atPath: home.storePath + "/" + name, toPath: folder + "/" + name)
        }
    }
}
