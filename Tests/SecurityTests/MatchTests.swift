import Foundation
import Testing
import Vestry
import VestryTesting

@testable import Security

/// The conditions of `kSecMatch…` on a keychain.
@Suite struct MatchTests {
    /// A condition, and which certificates meet it, by the names of their files.
    struct Row: CustomTestStringConvertible, @unchecked Sendable {
        let conditions: CFDictionary
        let found: String

        init(_ conditions: CFDictionary, _ found: String) {
            self.conditions = conditions
            self.found = found
        }

        var testDescription: String { "\(conditions) finds \(found)" }
    }

    static func name(of certificate: String) -> Data {
        (try? SecCertificateCopyNormalizedSubjectSequence(readCertificate(certificate)))
            ?? Data()
    }

    static let then = Date(timeIntervalSince1970: 2_000_000_000)
    static let rows = [
        Row([:], "chain-leaf ec rsa"),
        Row([kSecMatchTrustedOnly: false], "chain-leaf ec rsa"),
        Row([kSecMatchTrustedOnly: true, kSecMatchValidOnDate: then], "chain-leaf"),
        Row(
            [kSecMatchPolicy: SecPolicyCreateBasicX509(), kSecMatchValidOnDate: then], "chain-leaf"),
        Row(
            [
                kSecMatchPolicy: [SecPolicyCreateSSL(true, "www.example.org")],
                kSecMatchTrustedOnly: true, kSecMatchValidOnDate: then,
            ], "chain-leaf"),
        Row(
            [kSecMatchPolicy: SecPolicyCreateSSL(true, nil), kSecMatchValidOnDate: then],
            "chain-leaf"),
        Row([kSecMatchPolicy: SecPolicyCreateSSL(false, nil), kSecMatchValidOnDate: then], ""),
        Row(
            [kSecMatchPolicy: SecPolicyCreateSSL(true, "example.com"), kSecMatchValidOnDate: then],
            ""),
        Row([kSecMatchIssuers: [name(of: "chain-root.cer")]], "chain-leaf"),
        Row(
            [kSecMatchIssuers: [name(of: "chain-root.cer"), name(of: "rsa.cer")]], "chain-leaf rsa"),
        Row([kSecMatchIssuers: [Data([0x30, 0])]], ""),
        Row([kSecMatchEmailAddressIfPresent: "alice@example.org"], "chain-leaf ec rsa"),
        Row([kSecMatchEmailAddressIfPresent: "bob@example.org"], "chain-leaf rsa"),
        Row([kSecMatchValidOnDate: then], "chain-leaf ec rsa"),
        Row([kSecMatchValidOnDate: Date(timeIntervalSince1970: 2_300_000_000)], "chain-leaf rsa"),
        Row([kSecMatchValidOnDate: Date(timeIntervalSince1970: 0)], ""),
        Row([kSecMatchSubjectContains: "example"], "chain-leaf ec"),
        Row(
            [kSecMatchSubjectContains: "EXAMPLE.ORG", kSecMatchCaseInsensitive: true],
            "chain-leaf ec"),
        Row([kSecMatchSubjectContains: "Bucher"], ""),
        Row([kSecMatchSubjectContains: "Bucher", kSecMatchDiacriticInsensitive: true], "ec"),
        Row([kSecMatchSubjectContains: "bucher", kSecMatchDiacriticInsensitive: true], ""),
        Row(
            [
                kSecMatchSubjectContains: "bucher", kSecMatchDiacriticInsensitive: true,
                kSecMatchCaseInsensitive: true,
            ], "ec"),
        Row([kSecMatchSubjectStartsWith: "emailAddress"], "ec"),
        Row([kSecMatchSubjectEndsWith: "C=DE"], "ec"),
        Row([kSecMatchSubjectWholeString: "CN=www.example.org,O=Example"], "chain-leaf"),
        Row(
            [
                kSecMatchItemList: [
                    try? readCertificate("ec.cer"), try? readCertificate("chain-root.cer"),
                ]
            ],
            "ec"),
        Row([kSecMatchSearchList: [RequestTests.keychain as Any]], "chain-leaf ec rsa"),
    ]

    @Test(arguments: rows) func certificatesMeetConditions(_ row: Row) throws {
        var testing = try TestingKeychain().keychain
        testing.trustAnchors = [[UInt8](try file("chain-root.cer"))]
        try CurrentKeychain.$override.withValue(testing) {
            for name in ["chain-leaf", "ec", "rsa", "chain-intermediate"] {
                let item: CFDictionary = [
                    kSecValueRef: try readCertificate(name + ".cer"), kSecAttrAlias: name,
                ]
                #expect(SecItemAdd(item, nil) == errSecSuccess)
            }
            let query = row.conditions.merging([
                kSecClass: kSecClassCertificate, kSecMatchLimit: kSecMatchLimitAll,
                kSecReturnAttributes: true,
            ]) { $1 }
            let (status, result) = search(query)
            let found = (result as? [[String: Any]] ?? []).compactMap {
                $0[kSecAttrAlias] as? String
            }
            .filter { $0 != "chain-intermediate" }
            #expect(found.joined(separator: " ") == row.found)
            #expect([errSecSuccess, errSecItemNotFound].contains(status))
        }
    }

    @Test func identitiesMeetConditions() throws {
        try withKeychain { _ in
            for (name, key) in [("chain-leaf.cer", "chain-leaf.pkcs8"), ("ec.cer", "ec.pkcs8")] {
                #expect(try SecItemAdd([kSecValueRef: readCertificate(name)], nil) == errSecSuccess)
                let keyItem: CFDictionary = [
                    kSecClass: kSecClassKey, kSecValueData: try file(key),
                ]
                #expect(SecItemAdd(keyItem, nil) == errSecSuccess)
            }
            for (conditions, summary) in [
                ([kSecMatchEmailAddressIfPresent: "bob@example.org"], "www.example.org"),
                ([kSecMatchIssuers: [Self.name(of: "ec.cer")]], "mail.example.org"),
                ([kSecMatchSubjectContains: "DE"], "mail.example.org"),
                ([kSecMatchTrustedOnly: true], nil),
            ] as [(CFDictionary, String?)] {
                let query: CFDictionary = [kSecClass: kSecClassIdentity, kSecReturnRef: true]
                let identity = search(query.merging(conditions) { $1 }).1 as? SecIdentity
                var certificate: SecCertificate?
                if let identity { SecIdentityCopyCertificate(identity, &certificate) }
                #expect(certificate.flatMap { SecCertificateCopySubjectSummary($0) } == summary)
            }
        }
    }

    @Test(arguments: [
        ("café", [kSecMatchDiacriticInsensitive], true),
        ("cafe", [kSecMatchDiacriticInsensitive], true),
        ("CAFÉ", [kSecMatchDiacriticInsensitive], false),
        ("CAFE", [kSecMatchDiacriticInsensitive, kSecMatchCaseInsensitive], true),
        ("ｃａｆé", [kSecMatchWidthInsensitive], true), ("ｃａｆe", [kSecMatchWidthInsensitive], false),
        ("cafe", [kSecMatchCaseInsensitive], false), ("CAFÉ", [kSecMatchCaseInsensitive], true),
        ("cafe", [], false),
    ]) func textsMatchInOtherForms(_ account: String, _ keys: [String], _ isFound: Bool) throws {
        try withKeychain { _ in
            #expect(SecItemAdd(password([kSecAttrAccount: "café"]), nil) == errSecSuccess)
            var query = password([kSecAttrAccount: account])
            for key in keys { query[key] = true }
            #expect(search(query).0 == (isFound ? errSecSuccess : errSecItemNotFound))
        }
    }

    @Test func listedItemsAreTheOnlyOnes() throws {
        try withKeychain { _ in
            var references: [Data] = []
            for account in ["a", "b", "c"] {
                var reference: CFTypeRef?
                let item = password([kSecAttrAccount: account, kSecReturnPersistentRef: true])
                #expect(SecItemAdd(item, &reference) == errSecSuccess)
                references.append(try #require(reference as? Data))
            }
            let query = password([
                kSecMatchItemList: [references[2], references[0], Data(count: 16)],
                kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
            ])
            let found = search(query).1 as? [[String: Any]]
            #expect(found?.map { $0[kSecAttrAccount] as? String } == ["a", "c"])
            #expect(
                SecItemUpdate(password([kSecMatchItemList: [references[1]]]), [kSecAttrLabel: "L"])
                    == errSecSuccess)
            let labelled = search(password([kSecAttrLabel: "L", kSecReturnPersistentRef: true])).1
            #expect(labelled as? Data == references[1])
            #expect(
                search(password([kSecMatchItemList: [Data(count: 16)]])).0 == errSecItemNotFound)
        }
    }
}
