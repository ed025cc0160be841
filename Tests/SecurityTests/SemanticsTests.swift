import Foundation
import Testing
import Vestry
import VestryTesting

@testable import Security

/// The table of what each function does where keys are absent or something is in the way.
@Suite struct SemanticsTests {
    enum Function: String, CaseIterable {
        case add
        case copy
        case update
        case delete
    }

    let name = password([kSecAttrService: "s", kSecAttrAccount: "a"])

    func with(_ more: CFDictionary) -> CFDictionary { name.merging(more) { $1 } }

    func call(
        _ function: Function, _ dictionary: CFDictionary,
        _ changes: CFDictionary = [kSecAttrLabel: "L"]
    ) -> OSStatus {
        switch function {
        case .add: SecItemAdd(dictionary, nil)
        case .copy: SecItemCopyMatching(dictionary, nil)
        case .update: SecItemUpdate(dictionary, changes)
        case .delete: SecItemDelete(dictionary)
        }
    }

    /// What an attribute of the item is now.
    func attribute(_ key: String) -> Any? {
        var query = with([kSecReturnAttributes: true])
        query[kSecAttrSynchronizable] = kSecAttrSynchronizableAny
        return (search(query).1 as? [String: Any])?[key]
    }

    @Test(arguments: Function.allCases) func nothingMatches(_ function: Function) throws {
        try withKeychain { _ in
            #expect(call(function, name) == (function == .add ? errSecSuccess : errSecItemNotFound))
        }
    }

    @Test(arguments: Function.allCases)
    func aCallerWithoutGroupsIsRefused(_ function: Function) throws {
        try withKeychain(accessGroups: []) { _ in
            #expect(call(function, name) == errSecMissingEntitlement)
        }
    }

    @Test(arguments: Function.allCases)
    func withoutAGroupAllAreMeantAndTheFirstGetsNewItems(_ function: Function) throws {
        try withKeychain(accessGroups: ["one", "two"]) { _ in
            #expect(SecItemAdd(with([kSecAttrAccessGroup: "two"]), nil) == errSecSuccess)
            #expect(call(function, name) == errSecSuccess)
            let one = with([kSecAttrAccessGroup: "one"])
            let two = with([kSecAttrAccessGroup: "two"])
            #expect(search(one).0 == (function == .add ? errSecSuccess : errSecItemNotFound))
            #expect(search(two).0 == (function == .delete ? errSecItemNotFound : errSecSuccess))
        }
    }

    @Test func anItemMovesToAnotherGroupOfTheCallers() throws {
        try withKeychain(accessGroups: ["one", "two"]) { _ in
            #expect(SecItemAdd(name, nil) == errSecSuccess)
            #expect(SecItemUpdate(name, [kSecAttrAccessGroup: "three"]) == errSecMissingEntitlement)
            #expect(SecItemUpdate(name, [kSecAttrAccessGroup: "two"]) == errSecSuccess)
            #expect(attribute(kSecAttrAccessGroup) as? String == "two")
        }
    }

    @Test(arguments: [kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleAfterFirstUnlock])
    func anUpdateLeavesTheAccessibilityThatItDoesNotName(_ accessible: String) throws {
        try withKeychain { _ in
            #expect(SecItemAdd(with([kSecAttrAccessible: accessible]), nil) == errSecSuccess)
            #expect(SecItemUpdate(name, [kSecAttrLabel: "L"]) == errSecSuccess)
            #expect(attribute(kSecAttrAccessible) as? String == accessible)
            #expect(attribute(kSecAttrSynchronizable) as? Int ?? 0 == 0)
        }
    }

    @Test(arguments: [Function.copy, .update, .delete])
    func onlyWhatIsNotSynchronizableIsMeant(_ function: Function) throws {
        try withKeychain { _ in
            #expect(SecItemAdd(with([kSecAttrSynchronizable: true]), nil) == errSecSuccess)
            #expect(call(function, name) == errSecItemNotFound)
            let any = with([kSecAttrSynchronizable: kSecAttrSynchronizableAny])
            #expect(call(function, any) == errSecSuccess)
        }
    }

    /// A locked item can be found by its primary attributes alone, which takes no key of its class.
    @Test(arguments: [
        (Function.add, errSecInteractionNotAllowed), (.copy, errSecInteractionNotAllowed),
        (.update, errSecInteractionNotAllowed), (.delete, errSecSuccess),
    ])
    func aLockedItemIsNeitherReadNorChanged(_ function: Function, _ expected: OSStatus) throws {
        try withKeychain { testing in
            if function != .add { #expect(SecItemAdd(name, nil) == errSecSuccess) }
            testing.state = .afterFirstUnlock
            #expect(call(function, name) == expected)
        }
    }

    @Test func theLastPasswordOfAnAccountProtectsNoMoreItems() throws {
        let passcode = [kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly]
        try withKeychain { testing in
            #expect(SecItemAdd(name, nil) == errSecSuccess)
            testing.hasLoginPassword = false
            #expect(SecItemUpdate(name, passcode) == errSecAuthFailed)
            #expect(SecItemAdd(password(passcode), nil) == errSecAuthFailed)
            testing.hasLoginPassword = true
            #expect(SecItemUpdate(name, passcode) == errSecSuccess)
        }
    }

    @Test func aUserInsideTheAccountCannotBeChanged() throws {
        try withKeychain { _ in
            #expect(SecItemAdd(with([kSecAttrMultiUser: Data([1])]), nil) == errSecSuccess)
            #expect(SecItemUpdate(name, [kSecAttrMultiUser: Data([2])]) == errSecSuccess)
            #expect(attribute(kSecAttrMultiUser) as? Data == Data([1]))
        }
    }

    @Test func whatAsksForTheUserIsRemovedWithoutAsking() throws {
        try withKeychain { testing in
            let control = try #require(
                SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleWhenUnlocked, .devicePasscode, nil))
            #expect(SecItemAdd(with([kSecAttrAccessControl: control]), nil) == errSecSuccess)
            testing.answerPresence(with: .cancelled)
            #expect(SecItemDelete(name) == errSecSuccess)
        }
    }

    /// The classes of accessibility: what is stored, and whether it may be carried away.
    static let accessibilities: [(CFString, String?, isThisDeviceOnly: Bool)] = [
        (kSecAttrAccessibleWhenUnlocked, "ak", false),
        (kSecAttrAccessibleAfterFirstUnlock, "ck", false),
        (kSecAttrAccessibleAlways, "ck", false),
        (kSecAttrAccessibleWhenUnlockedThisDeviceOnly, "aku", true),
        (kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, "cku", true),
        (kSecAttrAccessibleAlwaysThisDeviceOnly, "cku", true),
        (kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, "akpu", true),
        (kSecAttrAccessibleUntilReboot, nil, true),
    ]

    @Test(arguments: accessibilities)
    func aClassIsStoredAndBindsToTheDevice(
        _ accessible: CFString, _ stored: String?, _ isThisDeviceOnly: Bool
    ) throws {
        try withKeychain { testing in
            let item = with([kSecAttrAccessible: accessible])
            #expect(SecItemAdd(item, nil) == (stored == nil ? errSecParam : errSecSuccess))
            #expect(attribute(kSecAttrAccessible) as? String == stored)
            let synced = item.merging([kSecAttrSynchronizable: true, kSecAttrAccount: "b"]) { $1 }
            #expect(SecItemAdd(synced, nil) == (isThisDeviceOnly ? errSecParam : errSecSuccess))
            // When it is readable.
            guard let stored else { return }
            testing.state = .afterFirstUnlock
            let early = stored.hasPrefix("ck")
            #expect(search(name).0 == (early ? errSecSuccess : errSecInteractionNotAllowed))
            testing.state = .unlocked
            testing.hasLoginPassword = false
            let needsPassword = stored == "akpu"
            #expect(search(name).0 == (needsPassword ? errSecInteractionNotAllowed : errSecSuccess))
        }
    }

    @Test func anItemThatAsksForTheUserIsNotSynchronizable() throws {
        try withKeychain { _ in
            let control = try #require(
                SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil))
            #expect(
                SecItemAdd(
                    with([kSecAttrAccessControl: control, kSecAttrSynchronizable: true]), nil)
                    == errSecParam)
            #expect(
                SecItemAdd(
                    with([kSecAttrAccessControl: control, kSecAttrAccessible: "ck"]), nil)
                    == errSecParam)
        }
    }
}
