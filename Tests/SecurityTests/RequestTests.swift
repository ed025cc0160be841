import Foundation
import Testing
import Vestry

@testable import Security

/// What the keys of a dictionary mean, without a keychain: the tables of functions and of search keys.
@Suite struct RequestTests {
    typealias Operation = SecItemRequest.Operation

    static let all: [Operation] = [.add, .copy, .update, .change, .delete]

    /// A key with a value, the class, and what each function says to it.
    struct Row: CustomTestStringConvertible, @unchecked Sendable {
        let key: String
        let value: Any
        var itemClass = kSecClassGenericPassword
        /// Add, copy, update, the changes of an update, delete.
        let statuses: [OSStatus]

        init(_ key: String, _ value: Any, _ itemClass: String? = nil, _ statuses: OSStatus...) {
            self.key = key
            self.value = value
            if let itemClass { self.itemClass = itemClass }
            self.statuses = statuses
        }

        var testDescription: String { "\(key) = \(value) in \(itemClass)" }
    }

    static let bad = errSecParam
    static let wrongClass = errSecUnsupportedOperation
    static let cert = kSecClassCertificate
    static let inet = kSecClassInternetPassword
    static let identity = kSecClassIdentity
    static let policy = SecPolicyCreateBasicX509()
    static let certificate = try? readCertificate("ec.cer")
    static let keychain: SecKeychain? = {
        var keychain: SecKeychain?
        SecKeychainCopyDefault(&keychain)
        return keychain
    }()

    static let rows = [
        // Match.
        Row(kSecMatchLimit, kSecMatchLimitOne, nil, 0, 0, 0, bad, bad),
        Row(kSecMatchLimit, kSecMatchLimitAll, nil, 0, 0, 0, bad, 0),
        Row(kSecMatchLimit, 3, nil, 0, 0, 0, bad, bad),
        Row(kSecMatchLimit, 0, nil, bad, bad, bad, bad, bad),
        Row(kSecMatchLimit, "all", nil, bad, bad, bad, bad, bad),
        Row(kSecMatchLimit, 1.5, nil, bad, bad, bad, bad, bad),
        Row(kSecMatchPolicy, policy, nil, bad, wrongClass, wrongClass, bad, bad),
        Row(kSecMatchPolicy, policy, cert, bad, 0, 0, bad, bad),
        Row(kSecMatchPolicy, [policy], identity, bad, 0, 0, bad, bad),
        Row(kSecMatchPolicy, [policy, policy], cert, bad, bad, bad, bad, bad),
        Row(kSecMatchPolicy, "p", cert, bad, bad, bad, bad, bad),
        Row(kSecMatchIssuers, [Data()], nil, bad, wrongClass, wrongClass, bad, bad),
        Row(kSecMatchIssuers, [Data()], cert, bad, 0, 0, bad, bad),
        Row(kSecMatchIssuers, [Data](), cert, bad, bad, bad, bad, bad),
        Row(kSecMatchIssuers, ["x"], cert, bad, bad, bad, bad, bad),
        Row(kSecMatchEmailAddressIfPresent, "a@b", nil, bad, wrongClass, wrongClass, bad, bad),
        Row(kSecMatchEmailAddressIfPresent, "a@b", cert, bad, 0, 0, bad, bad),
        Row(kSecMatchEmailAddressIfPresent, 1, cert, bad, bad, bad, bad, bad),
        Row(kSecMatchSubjectContains, "x", nil, bad, wrongClass, wrongClass, bad, bad),
        Row(kSecMatchSubjectContains, "x", cert, bad, 0, 0, bad, bad),
        Row(kSecMatchSubjectStartsWith, "x", cert, bad, 0, 0, bad, bad),
        Row(kSecMatchSubjectEndsWith, "x", cert, bad, 0, 0, bad, bad),
        Row(kSecMatchSubjectWholeString, "x", cert, bad, 0, 0, bad, bad),
        Row(kSecMatchSubjectWholeString, 1, cert, bad, bad, bad, bad, bad),
        Row(kSecMatchHostOrSubdomainOfHost, "example.org", nil, bad, bad, bad, bad, bad),
        Row(kSecMatchHostOrSubdomainOfHost, "example.org", inet, bad, 0, 0, bad, bad),
        Row(kSecMatchCaseInsensitive, true, nil, bad, 0, 0, bad, bad),
        Row(kSecMatchCaseInsensitive, "yes", nil, bad, bad, bad, bad, bad),
        Row(kSecMatchDiacriticInsensitive, true, nil, bad, 0, 0, bad, bad),
        Row(kSecMatchDiacriticInsensitive, false, nil, 0, 0, 0, bad, 0),
        Row(kSecMatchWidthInsensitive, true, nil, bad, 0, 0, bad, bad),
        Row(kSecMatchWidthInsensitive, false, nil, 0, 0, 0, bad, 0),
        Row(kSecMatchWidthInsensitive, 1, nil, bad, bad, bad, bad, bad),
        Row(kSecMatchTrustedOnly, true, nil, bad, wrongClass, wrongClass, bad, bad),
        Row(kSecMatchTrustedOnly, true, cert, bad, 0, 0, bad, bad),
        Row(kSecMatchTrustedOnly, false, cert, 0, 0, 0, bad, 0),
        Row(kSecMatchValidOnDate, Date(), nil, bad, wrongClass, wrongClass, bad, bad),
        Row(kSecMatchValidOnDate, NSNull(), cert, bad, 0, 0, bad, bad),
        Row(kSecMatchValidOnDate, Date(), identity, bad, 0, 0, bad, bad),
        Row(kSecMatchValidOnDate, "now", cert, bad, bad, bad, bad, bad),
        Row(kSecMatchItemList, [Data()], nil, bad, 0, 0, bad, bad),
        Row(kSecMatchItemList, [Data](), nil, bad, bad, bad, bad, bad),
        Row(kSecMatchItemList, ["x"], nil, bad, bad, bad, bad, bad),
        Row(kSecMatchSearchList, [keychain as Any], nil, bad, 0, 0, bad, bad),
        Row(kSecMatchSearchList, [Data()], nil, bad, bad, bad, bad, bad),
        Row("m_Other", true, nil, bad, bad, bad, bad, bad),
        // Return.
        Row(kSecReturnData, true, nil, 0, 0, bad, bad, 0),
        Row(kSecReturnData, kCFBooleanTrue as Any, nil, 0, 0, bad, bad, 0),
        Row(kSecReturnData, false, nil, 0, 0, 0, bad, 0),
        Row(kSecReturnData, 1, nil, bad, bad, bad, bad, bad),
        Row(kSecReturnData, "true", nil, bad, bad, bad, bad, bad),
        Row(kSecReturnAttributes, true, nil, 0, 0, bad, bad, 0),
        Row(kSecReturnPersistentRef, true, nil, 0, 0, bad, bad, 0),
        Row(kSecReturnRef, true, nil, 0, 0, bad, bad, 0),
        Row(kSecReturnRef, false, nil, 0, 0, 0, bad, 0),
        Row("r_Other", true, nil, bad, bad, bad, bad, bad),
        // Value.
        Row(kSecValueData, Data([1]), nil, 0, 0, 0, 0, 0),
        Row(kSecValueData, "text", nil, bad, bad, bad, bad, bad),
        Row(kSecValueRef, Data(), nil, bad, bad, bad, bad, bad),
        Row(kSecValueRef, certificate as Any, cert, 0, 0, 0, bad, 0),
        Row(kSecValueRef, certificate as Any, identity, bad, bad, bad, bad, bad),
        Row(kSecValuePersistentRef, Data([1]), nil, bad, 0, 0, bad, 0),
        Row(kSecValuePersistentRef, "text", nil, bad, bad, bad, bad, bad),
        Row("v_Other", Data(), nil, bad, bad, bad, bad, bad),
        // Use.
        Row(kSecUseAuthenticationUI, kSecUseAuthenticationUIAllow, nil, 0, 0, 0, bad, 0),
        Row(kSecUseAuthenticationUI, kSecUseAuthenticationUIFail, nil, 0, 0, 0, bad, 0),
        Row(kSecUseAuthenticationUI, kSecUseAuthenticationUISkip, nil, bad, 0, bad, bad, bad),
        Row(kSecUseAuthenticationUI, "other", nil, bad, bad, bad, bad, bad),
        Row(kSecUseNoAuthenticationUI, true, nil, 0, 0, 0, bad, 0),
        Row(kSecUseOperationPrompt, "why", nil, 0, 0, 0, bad, 0),
        Row(kSecUseOperationPrompt, 1, nil, bad, bad, bad, bad, bad),
        Row(kSecUseAuthenticationContext, LAContext(), nil, 0, 0, 0, bad, 0),
        Row(kSecUseAuthenticationContext, NSObject(), nil, bad, bad, bad, bad, bad),
        Row(kSecUseDataProtectionKeychain, true, nil, 0, 0, 0, 0, 0),
        Row(kSecUseDataProtectionKeychain, "x", nil, bad, bad, bad, bad, bad),
        Row(kSecUseKeychain, NSObject(), nil, bad, bad, bad, bad, bad),
        Row(kSecUseKeychain, keychain as Any, nil, 0, bad, bad, bad, bad),
        Row(kSecUseItemList, [Data()], nil, bad, bad, bad, bad, bad),
        Row(kSecUseUserIndependentKeychain, true, nil, bad, bad, bad, bad, bad),
        // Attributes, callbacks, and what is none of these.
        Row(kSecAttrSynchronizable, kSecAttrSynchronizableAny, nil, bad, 0, 0, bad, 0),
        Row("xxxx", "x", nil, bad, bad, bad, bad, bad),
        Row("persistent", Data(), nil, bad, bad, bad, bad, bad),
        Row("f_Callback", 1, nil, 0, 0, 0, bad, 0),
        Row("", 1, nil, bad, bad, bad, bad, bad),
        Row("class2", "genp", nil, bad, bad, bad, bad, bad),
    ]

    func status(_ dictionary: CFDictionary, _ operation: Operation) -> OSStatus {
        code { () throws(VestryError) in _ = try SecItemRequest(dictionary, for: operation) }
    }

    @Test(arguments: rows) func eachFunctionTakesWhatItCan(_ row: Row) {
        for (operation, expected) in zip(Self.all, row.statuses) {
            var dictionary: CFDictionary = [row.key: row.value]
            if operation != .change { dictionary[kSecClass] = row.itemClass }
            #expect(status(dictionary, operation) == expected, "\(operation)")
        }
    }

    @Test(arguments: [Operation.add, .copy, .update, .delete])
    func everyDictionaryHasAClass(_ operation: Operation) {
        #expect(status([:], operation) == errSecParam)
        #expect(status([kSecClass: 1], operation) == errSecParam)
        #expect(status([kSecClass: "other"], operation) == errSecNoSuchClass)
        for name in [
            kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate,
            kSecClassKey, kSecClassIdentity,
        ] {
            #expect(status([kSecClass: name], operation) == errSecSuccess)
        }
        #expect(
            status([kSecValuePersistentRef: Data(count: 16)], operation)
                == (operation == .add ? errSecParam : errSecSuccess))
    }

    @Test func changesHaveNoClass() {
        #expect(status(password(), .change) == errSecParam)
        #expect(status([kSecAttrLabel: "x"], .change) == errSecSuccess)
    }

    @Test func aDictionaryHasAtMost128Keys() {
        var dictionary = password()
        for number in 1..<128 { dictionary["f_key\(number)"] = 1 }
        #expect(status(dictionary, .copy) == errSecSuccess)
        dictionary["f_key"] = 1
        #expect(status(dictionary, .copy) == errSecParam)
    }

    @Test func synchronizableItemsAreMatchedByTheLimitAlone() {
        for value in [kCFBooleanTrue as Any, false, kSecAttrSynchronizableAny] {
            let query = password([
                kSecAttrSynchronizable: value, kSecMatchLimit: kSecMatchLimitAll,
            ])
            #expect(status(query, .copy) == errSecSuccess)
            #expect(
                status(query.merging([kSecMatchCaseInsensitive: true]) { $1 }, .copy)
                    == errSecParam)
        }
    }

    @Test func aDeletionByReferenceHasNoOtherCondition() {
        let query = password([kSecValuePersistentRef: Data(count: 16)])
        #expect(status(query, .delete) == errSecSuccess)
        for more in [[kSecAttrAccount: "a"], [kSecAttrSynchronizable: kSecAttrSynchronizableAny]] {
            #expect(status(query.merging(more) { $1 }, .delete) == errSecParam)
        }
    }

    @Test func queriesSayWhatTheirKeysSay() throws {
        func query(_ more: CFDictionary) throws -> ItemQuery {
            try SecItemRequest(password(more), for: .copy).query
        }
        let plain = try query([:])
        #expect(plain.itemClass == .genericPassword)
        #expect(plain.synchronizable == .no && plain.limit == nil && plain.accessGroups == nil)
        #expect(plain.attributes.isEmpty && plain.persistentReference == nil)
        #expect(plain.authenticationUI == .allow && !plain.isCaseInsensitive)
        #expect(try query([kSecMatchLimit: kSecMatchLimitOne]).limit == .one)
        #expect(try query([kSecMatchLimit: kSecMatchLimitAll]).limit == .all)
        #expect(try query([kSecMatchLimit: 7]).limit == .number(7))
        #expect(
            try query([kSecAttrSynchronizable: kSecAttrSynchronizableAny]).synchronizable == .any)
        #expect(try query([kSecAttrSynchronizable: true]).attributes == [.synchronizable: 1])
        #expect(try query([kSecMatchCaseInsensitive: true]).isCaseInsensitive)
        #expect(
            try query([kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]).authenticationUI
                == .skip)
        #expect(
            try query([kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]).authenticationUI
                == .fail)
        #expect(try query([kSecUseNoAuthenticationUI: true]).authenticationUI == .fail)
        #expect(try query([kSecUseNoAuthenticationUI: false]).authenticationUI == .allow)
        #expect(
            try query([kSecValuePersistentRef: Data([1, 2])]).persistentReference == [1, 2])
        let host = try SecItemRequest(
            [kSecClass: Self.inet, kSecMatchHostOrSubdomainOfHost: "h"], for: .copy)
        #expect(host.query.hostOrSubdomain == "h")
        for (key, match) in [
            (kSecMatchSubjectContains, ItemQuery.TextMatch.contains("s")),
            (kSecMatchSubjectStartsWith, .startsWith("s")),
            (kSecMatchSubjectEndsWith, .endsWith("s")), (kSecMatchSubjectWholeString, .whole("s")),
        ] {
            let request = try SecItemRequest([kSecClass: Self.cert, key: "s"], for: .copy)
            #expect(request.query.subject == match)
        }
    }

    /// An item without constraints has no access control to be compared with, only an accessibility.
    @Test func emptyAccessControlMatchesTheAccessibility() throws {
        let empty = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil))
        let request = try SecItemRequest(password([kSecAttrAccessControl: empty]), for: .copy)
        #expect(request.query.attributes == [.accessible: "ak"])
        #expect(
            status(
                password([kSecAttrAccessControl: empty, kSecAttrAccessible: "ck"]), .copy)
                == errSecParam)
        let added = try SecItemRequest(password([kSecAttrAccessControl: empty]), for: .add)
        #expect(added.attributes == [.accessControl: .data(Array("ak:0".utf8))])
    }
}
