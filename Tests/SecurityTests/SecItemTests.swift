import Foundation
import SecureMemory
import Testing
import Vestry
import VestryTesting

@testable import Security

/// The four functions on a keychain.
@Suite struct SecItemTests {
    let item = password([
        kSecAttrService: "s", kSecAttrAccount: "a", kSecValueData: Data("secret".utf8),
    ])
    let name = password([kSecAttrService: "s", kSecAttrAccount: "a"])

    func with(_ base: CFDictionary, _ more: CFDictionary) -> CFDictionary {
        base.merging(more) { $1 }
    }

    @Test func defaultsAreApples() throws {
        try withKeychain { _ in
            #expect(SecItemAdd(item, nil) == errSecSuccess)
            #expect(SecItemAdd(item, nil) == errSecDuplicateItem)
            let (status, result) = search(with(name, [kSecReturnAttributes: true]))
            #expect(status == errSecSuccess)
            let attributes = try #require(result as? [String: Any])
            #expect(attributes[kSecAttrAccessible] as? String == kSecAttrAccessibleWhenUnlocked)
            #expect(attributes[kSecAttrSynchronizable] as? Bool ?? false == false)
            #expect(attributes[kSecAttrAccount] as? String == "a")
            #expect(attributes[kSecAttrCreationDate] is Date)
            #expect(attributes[kSecAttrModificationDate] is Date)
            #expect(attributes[kSecAttrAccessControl] is SecAccessControl)
            #expect(attributes[kSecValueData] == nil)
        }
    }

    @Test func resultsHaveTheirShapes() throws {
        try withKeychain { _ in
            #expect(SecItemAdd(item, nil) == errSecSuccess)
            #expect(SecItemAdd(with(item, [kSecAttrAccount: "b"]), nil) == errSecSuccess)
            #expect(search(name).1 == nil)
            #expect(SecItemCopyMatching(name, nil) == errSecSuccess)
            #expect(SecItemCopyMatching(with(name, [kSecReturnData: true]), nil) == errSecParam)

            let data = search(password([kSecReturnData: true])).1
            #expect(data as? Data == Data("secret".utf8))
            let reference = search(with(name, [kSecReturnPersistentRef: true])).1 as? Data
            #expect(reference?.count == 16)
            let both =
                search(
                    with(name, [kSecReturnData: true, kSecReturnPersistentRef: true])
                ).1 as? [String: Any]
            #expect(both?.count == 2)
            #expect(both?[kSecValuePersistentRef] as? Data == reference)
            #expect(both?[kSecValueData] as? Data == Data("secret".utf8))

            let all = password([kSecMatchLimit: kSecMatchLimitAll])
            #expect(
                search(with(all, [kSecReturnData: true])).1 as? [Data] == [
                    Data("secret".utf8), Data("secret".utf8),
                ])
            let list = search(with(all, [kSecReturnAttributes: true, kSecReturnData: true])).1
            let dictionaries = try #require(list as? [[String: Any]])
            #expect(dictionaries.map { $0[kSecAttrAccount] as? String } == ["a", "b"])
            #expect(dictionaries.map { $0[kSecValueData] is Data } == [true, true])
            let one = search(with(name, [kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true]))
            #expect((one.1 as? [Data])?.count == 1)
            #expect(search(password([kSecMatchLimit: 1, kSecReturnData: true])).1 is Data)
            #expect(
                (search(password([kSecMatchLimit: 5, kSecReturnData: true])).1 as? [Data])?.count
                    == 2)
        }
    }

    @Test func addReturnsWhatIsAskedFor() throws {
        try withKeychain { _ in
            var result: CFTypeRef?
            let asking = with(item, [kSecReturnPersistentRef: true, kSecReturnAttributes: true])
            #expect(SecItemAdd(asking, &result) == errSecSuccess)
            let returned = try #require(result as? [String: Any])
            #expect(returned[kSecAttrService] as? String == "s")
            let reference = try #require(returned[kSecValuePersistentRef] as? Data)
            let byReference: CFDictionary = [kSecValuePersistentRef: reference]
            #expect(
                search(with(byReference, [kSecReturnData: true])).1 as? Data
                    == Data("secret".utf8))
            #expect(SecItemUpdate(byReference, [kSecAttrLabel: "L"]) == errSecSuccess)
            #expect(SecItemDelete(byReference) == errSecSuccess)
            #expect(SecItemDelete(byReference) == errSecItemNotFound)
            #expect(SecItemAdd(with(item, [kSecReturnData: true]), &result) == errSecSuccess)
            #expect(result as? Data == Data("secret".utf8))
        }
    }

    @Test func updatesAndDeletionsAreOfAllMatches() throws {
        try withKeychain { _ in
            for account in ["a", "b", "c"] {
                #expect(SecItemAdd(with(item, [kSecAttrAccount: account]), nil) == errSecSuccess)
            }
            let service = password([kSecAttrService: "s"])
            #expect(
                SecItemUpdate(service, [kSecValueData: Data("new".utf8), kSecAttrLabel: "L"])
                    == errSecSuccess)
            let labelled = password([
                kSecAttrLabel: "L", kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true,
            ])
            #expect(search(labelled).1 as? [Data] == Array(repeating: Data("new".utf8), count: 3))
            #expect(
                SecItemUpdate(
                    with(service, [kSecAttrAccount: "b"]), [kSecAttrAccount: "a"])
                    == errSecDuplicateItem)
            #expect(SecItemDelete(service) == errSecSuccess)
            #expect(SecItemDelete(service) == errSecItemNotFound)
            #expect(SecItemUpdate(service, [kSecAttrLabel: "M"]) == errSecItemNotFound)
            #expect(search(labelled).0 == errSecItemNotFound)
        }
    }

    @Test func synchronizableItemsAreFoundWhenAskedFor() throws {
        try withKeychain { _ in
            #expect(SecItemAdd(item, nil) == errSecSuccess)
            let twin = with(item, [kSecAttrSynchronizable: true, kSecValueData: Data([2])])
            #expect(SecItemAdd(twin, nil) == errSecSuccess)
            let asking = with(name, [kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll])
            for (value, count) in [
                (nil, 1), (false as Any?, 1), (true, 1), (kSecAttrSynchronizableAny, 2),
            ] {
                var query = asking
                query[kSecAttrSynchronizable] = value
                #expect((search(query).1 as? [Data])?.count == count)
            }
            #expect(
                SecItemAdd(
                    with(
                        item,
                        [
                            kSecAttrSynchronizable: true, kSecAttrAccount: "d",
                            kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                        ]), nil) == errSecParam)
            #expect(SecItemDelete(name) == errSecSuccess)
            #expect(search(with(asking, [kSecAttrSynchronizable: true])).0 == errSecSuccess)
        }
    }

    @Test func groupsOfOthersAreRefused() throws {
        try withKeychain(accessGroups: ["one", "two"]) { _ in
            let foreign = [kSecAttrAccessGroup: "three"]
            #expect(SecItemAdd(with(item, foreign), nil) == errSecMissingEntitlement)
            #expect(search(with(name, foreign)).0 == errSecMissingEntitlement)
            #expect(SecItemDelete(with(name, foreign)) == errSecMissingEntitlement)
            #expect(SecItemAdd(with(item, [kSecAttrAccessGroup: "two"]), nil) == errSecSuccess)
            #expect(SecItemUpdate(name, foreign) == errSecMissingEntitlement)
            #expect(search(with(name, [kSecAttrAccessGroup: "one"])).0 == errSecItemNotFound)
            #expect(search(name).0 == errSecSuccess)
        }
    }

    /// Locked is never reported as missing (API-1), and a deletion works all the same.
    @Test func lockedItemsAreNotMissing() throws {
        try withKeychain { testing in
            let early = with(
                item,
                [
                    kSecAttrAccount: "early",
                    kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
                ])
            #expect(SecItemAdd(item, nil) == errSecSuccess)
            #expect(SecItemAdd(early, nil) == errSecSuccess)
            testing.state = .afterFirstUnlock
            let reading = with(name, [kSecReturnData: true])
            #expect(search(reading).0 == errSecInteractionNotAllowed)
            #expect(search(with(reading, [kSecAttrAccount: "early"])).0 == errSecSuccess)
            #expect(search(with(reading, [kSecAttrAccount: "x"])).0 == errSecItemNotFound)
            #expect(
                SecItemAdd(with(item, [kSecAttrAccount: "n"]), nil) == errSecInteractionNotAllowed)
            #expect(SecItemDelete(name) == errSecSuccess)
            testing.state = .locked
            #expect(search(reading).0 == errSecInteractionNotAllowed)
            testing.state = .noStore
            #expect(search(reading).0 == errSecNoSuchKeychain)
            testing.state = .unavailable
            #expect(search(reading).0 == errSecNotAvailable)
        }
    }

    @Test func passcodeItemsNeedALoginPassword() throws {
        try withKeychain { testing in
            let passcode = with(
                item, [kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly])
            testing.hasLoginPassword = false
            #expect(SecItemAdd(passcode, nil) == errSecAuthFailed)
            testing.hasLoginPassword = true
            #expect(SecItemAdd(passcode, nil) == errSecSuccess)
        }
    }

    @Test func itemsThatAskForTheUser() throws {
        try withKeychain { testing in
            let control = try #require(
                SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil))
            #expect(SecItemAdd(with(item, [kSecAttrAccessControl: control]), nil) == errSecSuccess)
            let reading = with(name, [kSecReturnData: true])
            #expect(search(reading).0 == errSecInteractionNotAllowed)
            let skip: CFDictionary = [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]
            #expect(search(with(reading, skip)).0 == errSecItemNotFound)
            testing.answerPresence(with: .granted)
            #expect(search(reading).1 as? Data == Data("secret".utf8))
            let fail: CFDictionary = [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]
            #expect(search(with(reading, fail)).0 == errSecInteractionNotAllowed)
            testing.answerPresence(with: .cancelled)
            #expect(search(reading).0 == errSecUserCanceled)
            testing.answerPresence(with: .wrongPassword)
            #expect(search(reading).0 == errSecAuthFailed)
            let attributes = search(with(name, [kSecReturnAttributes: true])).1 as? [String: Any]
            let returned = attributes?[kSecAttrAccessControl] as? SecAccessControl
            #expect(returned?.value == control.value)
        }
    }

    /// Secrets are kept to the byte (SEC-1, SEC-2, SEC-3, SEC-4).
    @Test(
        arguments: [
            Data(), Data("a\n\n".utf8), Data("a  ".utf8), Data("{\r\n\"k\": [section]\n}".utf8),
            Data([0, 255, 0]), Data(repeating: 7, count: 32_768),
            Data(repeating: 8, count: 8 << 20),
        ])
    func secretsAreExact(_ secret: Data) throws {
        try withKeychain { _ in
            #expect(SecItemAdd(with(item, [kSecValueData: secret]), nil) == errSecSuccess)
            #expect(search(with(name, [kSecReturnData: true])).1 as? Data == secret)
            let large = Data(repeating: 1, count: 8 << 20 + 1)
            #expect(SecItemUpdate(name, [kSecValueData: large]) == errSecDataTooLarge)
        }
    }

    /// Names are opaque texts and identities (ATT-1, ATT-2, ATT-3, ATT-5, ATT-6).
    @Test func namesAreKeptApart() throws {
        try withKeychain { _ in
            for account in [
                "", "None", "../../x", "/etc/passwd", String(repeating: "x", count: 5000),
            ] {
                let named =
                    [kSecAttrAccount: account, kSecValueData: Data(account.utf8)] as CFDictionary
                #expect(SecItemAdd(with(item, named), nil) == errSecSuccess)
                #expect(
                    SecItemAdd(with(item, [kSecAttrAccount: account, kSecAttrLabel: "other"]), nil)
                        == errSecDuplicateItem)
                let found = search(with(name, [kSecAttrAccount: account, kSecReturnData: true])).1
                #expect(found as? Data == Data(account.utf8))
            }
            let early = [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]
            let none = with(name, [kSecAttrAccount: "None"])
            #expect(SecItemUpdate(none, early) == errSecSuccess)
            #expect(search(with(none, early)).0 == errSecSuccess)
            #expect(SecItemDelete(none) == errSecSuccess)
            #expect(search(with(name, [kSecAttrAccount: ""])).0 == errSecSuccess)
        }
    }

    @Test func nsDictionariesAreTaken() throws {
        try withKeychain { _ in
            #expect(SecItemAdd(NSDictionary(dictionary: item), nil) == errSecSuccess)
            #expect(
                SecItemUpdate(
                    NSDictionary(dictionary: name), NSDictionary(dictionary: [kSecAttrLabel: "L"]))
                    == errSecSuccess)
            #expect(SecItemDelete(NSDictionary(dictionary: name)) == errSecSuccess)
            #expect(SecItemDelete(NSDictionary(dictionary: [1: 2])) == errSecParam)
        }
    }

    /// The handler is the program's; text and context come with the query.
    @Test func theUserIsAskedWithThePromptOfTheQuery() throws {
        let testing = try TestingKeychain()
        var keychain = testing.keychain
        keychain.presenceHandler = { question in
            switch question.text {
            case "right", "reason": SecretBytes(copying: Array("password".utf8).span)
            case "dismiss": nil
            default: SecretBytes(copying: Array(question.text.utf8).span)
            }
        }
        CurrentKeychain.$override.withValue(keychain) {
            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
            #expect(
                SecItemAdd(with(item, [kSecAttrAccessControl: control as Any]), nil)
                    == errSecSuccess)
            let read = with(name, [kSecReturnData: true])
            #expect(search(read).0 == errSecAuthFailed)
            let found = search(with(read, [kSecUseOperationPrompt: "right"]))
            #expect(found.1 as? Data == Data("secret".utf8))
            #expect(
                search(with(read, [kSecUseOperationPrompt: "dismiss"])).0 == errSecUserCanceled)
            let context = LAContext()
            context.localizedReason = "reason"
            let using = with(read, [kSecUseAuthenticationContext: context])
            #expect(search(using).1 as? Data == Data("secret".utf8))
            #expect(
                search(with(using, [kSecUseOperationPrompt: "other"])).0 == errSecAuthFailed)
            #expect(
                search(with(using, [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail])).0
                    == errSecInteractionNotAllowed)
            #expect(
                search(with(using, [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip])).0
                    == errSecItemNotFound)
            context.interactionNotAllowed = true
            #expect(search(using).0 == errSecInteractionNotAllowed)
            #expect(
                search(with(read, [kSecUseAuthenticationContext: "no context"])).0 == errSecParam)
        }
    }
}
