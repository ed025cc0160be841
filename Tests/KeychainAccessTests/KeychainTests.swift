import Foundation
import Testing
import VestryTestSupport

@testable import KeychainAccess

/// Reading and writing, on a real store with real kernel keys.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct KeychainTests {
    let test: TestKeychain
    let keychain: Keychain

    init() throws {
        let test = try TestKeychain()
        self.test = test
        keychain = test.use { Keychain(service: "s") }
    }

    @Test func returnsWhatWasSet() throws {
        #expect(try keychain.get("a") == nil)
        try keychain.set("one", key: "a")
        #expect(try keychain.get("a") == "one")
        #expect(try keychain.getString("a") == "one")
        #expect(try keychain.getData("a") == Data("one".utf8))
        try keychain.set("two", key: "a")
        #expect(try keychain.get("a") == "two")
        #expect(keychain.allKeys() == ["a"])
    }

    @Test(arguments: ["", "a\n", " a  ", "{\n \"k\": 1\r\n}\n", "\u{FEFF}b", "e\u{301}", "\0"])
    func keepsEveryByte(_ value: String) throws {
        try keychain.set(value, key: "a")
        #expect(try keychain.getData("a") == Data(value.utf8))
        #expect(try keychain.get("a").map { Array($0.utf8) } == Array(value.utf8))
    }

    @Test func anEmptyValueIsNotAnAbsentItem() throws {
        try keychain.set(Data(), key: "a")
        #expect(try keychain.getData("a") == Data())
        #expect(try keychain.getData("b") == nil)
    }

    @Test func bytesThatAreNoTextAreAConversionError() throws {
        try keychain.set(Data([0xFF, 0xFE]), key: "a")
        #expect(status { _ = try keychain.get("a") } == .conversionError)
        #expect(try keychain.getData("a") == Data([0xFF, 0xFE]))
        #expect(keychain["a"] == nil)
    }

    @Test func aTooLargeValueIsRefused() throws {
        let large = Data(count: 8 * 1024 * 1024 + 1)
        #expect(status { try keychain.set(large, key: "a") } == .dataTooLarge)
        #expect(try keychain.contains("a") == false)
    }

    @Test func subscriptsReadWriteAndRemove() throws {
        keychain["a"] = "one"
        #expect(keychain["a"] == "one")
        #expect(keychain[string: "a"] == "one")
        #expect(keychain[data: "a"] == Data("one".utf8))
        keychain[data: "a"] = Data([1])
        #expect(try keychain.getData("a") == Data([1]))
        keychain[string: "a"] = nil
        #expect(try keychain.contains("a") == false)
        keychain["a"] = nil
        #expect(keychain[attributes: "a"] == nil)
    }

    @Test func removingNothingIsNoError() throws {
        try keychain.remove("a")
        try keychain.removeAll()
        try keychain.set("one", key: "a")
        try keychain.remove("b")
        try keychain.remove("a")
        #expect(try keychain.get("a") == nil)
    }

    @Test func removeAllLeavesOtherServices() throws {
        let other = test.use { Keychain(service: "t") }
        let server = test.use { Keychain(server: "https://h", protocolType: .https) }
        for keychain in [keychain, other, server] { try keychain.set("x", key: "a") }
        try keychain.set("x", key: "b")
        try keychain.removeAll()
        #expect(keychain.allKeys() == [])
        #expect(other.allKeys() == ["a"])
        #expect(server.allKeys() == ["a"])
        #expect(try keychain.contains("a") == false)
    }

    @Test func anItemIsItsServiceItsGroupAndItsKey() throws {
        try test.use(groups: ["default", "g"]) {
            let (all, group) = (
                Keychain(service: "s"), Keychain(service: "s", accessGroup: "g")
            )
            try all.set("one", key: "a")
            #expect(try group.get("a") == nil)
            try group.set("two", key: "a")
            try group.set("three", key: "b")
            // Of all groups, the item that was added first.
            #expect(try all.get("a") == "one")
            #expect(try all.get("b") == "three")
            #expect(try group.get("a") == "two")
            #expect(try group.get("a") { $0?.accessGroup } == "g")
            #expect(Keychain.allKeys(.genericPassword).map(\.1) == ["a", "a", "b"])
            try group.removeAll()
            #expect(try all.get("a") == "one")
            #expect(try all.contains("b") == false)
        }
    }

    @Test func groupsOfOtherProgramsAreRefused() throws {
        let other = test.use { Keychain(service: "s", accessGroup: "g") }
        #expect(status { try other.set("x", key: "a") } == .missingEntitlement)
        #expect(status { _ = try other.get("a") } == .missingEntitlement)
        #expect(status { _ = try other.contains("a") } == .missingEntitlement)
        #expect(status { try other.removeAll() } == .missingEntitlement)
        #expect(other.allKeys() == [])
        test.use(groups: []) {
            #expect(status { _ = try other.get("a") } == .missingEntitlement)
            #expect(status { _ = try Keychain(service: "s").get("a") } == .missingEntitlement)
        }
    }

    @Test func theDefaultServiceIsTheEmptyName() throws {
        let keychain = test.use { Keychain() }
        #expect(keychain.service == "")
        #expect(test.use { Keychain(accessGroup: "g").service } == "")
        try keychain.set("one", key: "a")
        #expect(try test.use { try Keychain().get("a") } == "one")
        #expect(try test.use { try Keychain(service: "").get("a") } == "one")
        #expect(try self.keychain.get("a") == nil)
    }

    /// Each is a key of its own, `nil` the text included.
    @Test func keysAreOpaque() throws {
        let keys = ["", "None", "../../x", "/etc/passwd", "a/../b", "é", "e\u{301}"]
        for (number, key) in keys.enumerated() { try keychain.set("\(number)", key: key) }
        for (number, key) in keys.enumerated() { #expect(try keychain.get(key) == "\(number)") }
        #expect(keychain.allKeys().count == keys.count)
    }

    @Test func settingMovesAnItemToAnotherClass() throws {
        try keychain.set("one", key: "a")
        #expect(keychain[attributes: "a"]?.accessible == "ck")
        try keychain.accessibility(.whenUnlocked).set("two", key: "a")
        #expect(keychain[attributes: "a"]?.accessible == "ak")
        #expect(keychain.allKeys() == ["a"])
        try test.store.lock()
        #expect(status { _ = try keychain.get("a") } == .interactionNotAllowed)
    }

    static let accessibilities = Accessibility.allCases

    @Test(arguments: accessibilities)
    func writesEveryClass(_ accessibility: Accessibility) throws {
        let keychain = keychain.accessibility(accessibility)
        try keychain.set("one", key: "a")
        #expect(try keychain.get("a") == "one")
        let stored = accessibility.rawValue.replacingOccurrences(of: "dk", with: "ck")
        #expect(keychain[attributes: "a"]?.accessible == stored)
    }

    @Test func aLabelIsKeptUntilAnotherOneIsSet() throws {
        try keychain.label("L").comment("C").set("one", key: "a")
        try keychain.set("two", key: "a")
        #expect(try keychain.get("a") { $0?.label } == "L")
        #expect(try keychain.get("a") { $0?.comment } == "C")
        try keychain.label("M").set("three", key: "a")
        #expect(try keychain.get("a") { $0?.label } == "M")
    }

    @Test func configuringLeavesTheReceiver() {
        let other = keychain.label("L").synchronizable(true).accessibility(.always)
        #expect(keychain.label == nil && !keychain.synchronizable)
        #expect(keychain.accessibility == .afterFirstUnlock)
        #expect(keychain.authenticationUI == .allow)
        #expect(other.label == "L" && other.synchronizable && other.accessibility == .always)
        #expect(other.service == "s")
    }

    @Test func synchronizableItemsAreFoundUnlessTheFlagCounts() throws {
        let synced = keychain.synchronizable(true)
        try synced.set("one", key: "a")
        #expect(try keychain.get("a") == "one")
        #expect(try keychain.get("a", ignoringAttributeSynchronizable: false) == nil)
        #expect(try synced.get("a", ignoringAttributeSynchronizable: false) == "one")
        try keychain.remove("a", ignoringAttributeSynchronizable: false)
        #expect(try synced.get("a") == "one")
        // Both of the same key, side by side.
        try keychain.set("two", key: "a", ignoringAttributeSynchronizable: false)
        #expect(
            try keychain.getData("a", ignoringAttributeSynchronizable: false) == Data("two".utf8))
        #expect(try synced.get("a", ignoringAttributeSynchronizable: false) == "one")
        #expect(keychain.allKeys() == ["a", "a"])
        try keychain.remove("a")
        #expect(keychain.allKeys() == [])
    }

    @Test func settingChangesWhetherAnItemIsSynchronizable() throws {
        try keychain.set("one", key: "a")
        try keychain.synchronizable(true).set("two", key: "a")
        #expect(keychain.allKeys() == ["a"])
        #expect(keychain[attributes: "a"]?.synchronizable == true)
    }

    @Test func whatBindsToThisDeviceIsNotSynchronizable() {
        let keychain = keychain.synchronizable(true)
        for accessibility in [
            Accessibility.whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly,
            .whenPasscodeSetThisDeviceOnly, .alwaysThisDeviceOnly,
        ] {
            let keychain = keychain.accessibility(accessibility)
            #expect(status { try keychain.set("x", key: "a") } == .param)
        }
        #expect(keychain.allKeys() == [])
    }

    @Test func theProgramsOwnAttributesWin() throws {
        try keychain.label("L").attributes([
            "labl": "M", "desc": "kind", "icmt": "C", "gena": Data([1, 2]), "invi": true,
            "crtr": 0x6162_6364, "v_Data": Data("other".utf8), "pdmn": "ak",
        ]).set("one", key: "a")
        let item = try #require(keychain[attributes: "a"])
        #expect(item.label == "M" && item.attributeDescription == "kind" && item.comment == "C")
        #expect(item.generic == Data([1, 2]) && item.isInvisible == true && item.creator == "abcd")
        #expect(item.data == Data("other".utf8) && item.accessible == "ak")
        #expect(item.isNegative == nil && item.type == nil && item.port == nil)
    }

    @Test func attributesAreMerged() throws {
        try keychain.attributes(["labl": "L", "icmt": "C"]).attributes(["labl": "M"])
            .set("one", key: "a")
        #expect(keychain[attributes: "a"]?.label == "M")
        #expect(keychain[attributes: "a"]?.comment == "C")
    }

    @Test func otherAttributesAreRefused() {
        let bad: [[String: Any]] = [
            ["none": "x"], ["srvr": "x"], ["labl": ["x"]], ["cdat": Date()], ["labl": 1.5],
            ["pdmn": "zz"],
        ]
        for attributes in bad {
            let status = status { try keychain.attributes(attributes).set("x", key: "a") }
            #expect(status == .param || status == .readOnlyAttr)
        }
        #expect(keychain.allKeys() == [])
    }

    @Test func aKeychainThatWasNeverThereIsAnErrorAndNotAbsence() throws {
        let path = test.home.storePath + "/keybag"
        try FileManager.default.removeItem(atPath: path)
        #expect(status { _ = try keychain.get("a") } == .noSuchKeychain)
        #expect(status { try keychain.set("x", key: "a") } == .noSuchKeychain)
        #expect(keychain["a"] == nil)
        #expect(keychain.allKeys() == [])
        #expect(keychain.description == "[]")
    }
}
