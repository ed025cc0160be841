import Certificates
import Foundation
import SecureMemory
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// Certificates and keys as items; the files are those of the tests of `Certificates`.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct CertificateItemTests {
    let test: TestKeychain
    var keychain: Keychain { test.keychain }

    init() throws { test = try TestKeychain() }

    static func file(_ name: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "CertificatesTests/Certificates")
        return Array(try Data(contentsOf: folder.appending(path: name)))
    }

    @Test func aCertificateIsFoundByWhatItSays() throws {
        let der = try Self.file("ec.cer")
        try keychain.addCertificate(der: der)
        try keychain.addCertificate(der: try Self.file("rsa.cer"), attributes: [.label: "other"])
        let record = try #require(
            try keychain.find(
                ItemQuery(.certificate, [.label: "mail.example.org"]), wantingSecrets: true
            ).records.first)
        #expect(record.withSecret { $0.exposed } == der)
        #expect(record.accessibility == .afterFirstUnlock)
        #expect(record[.certificateType] == 3)
        for attribute in [
            .subject, .issuer, .serialNumber, .subjectKeyID, .publicKeyHash,
        ] as [ItemAttribute] {
            let value = try #require(record[attribute])
            let found = try keychain.find(ItemQuery(.certificate, [attribute: value])).records
            #expect(found.map(\.persistentReference) == [record.persistentReference])
        }
        #expect(
            code { () throws(VestryError) in try keychain.addCertificate(der: der) }
                == .duplicateItem)
    }

    @Test(arguments: [
        (ItemQuery.TextMatch.contains("Söhne"), 1), (.contains("EXAMPLE.org"), 0),
        (.startsWith("O=Example"), 1), (.endsWith("C=DE"), 1), (.whole("O=Example"), 1),
        (.contains("="), 2), (.contains("none"), 0),
    ])
    func aSubjectMatchesInPart(_ match: ItemQuery.TextMatch, _ count: Int) throws {
        for name in ["ec.cer", "rsa.cer"] {
            try keychain.addCertificate(der: try Self.file(name))
        }
        try keychain.add(.certificate, attributes: [.subject: .data([1, 2, 3])])
        var query = ItemQuery(.certificate)
        query.subject = match
        query.limit = .all
        query.isOnlyReadable = true
        let found = (try? keychain.find(query).records.count) ?? 0
        #expect(found == count)
        query.itemClass = .key
        #expect(code { () throws(VestryError) in _ = try keychain.find(query) } == .parameter)
    }

    @Test func whatIsNoCertificateOrContradictsItIsRefused() throws {
        let der = try Self.file("ec.cer")
        let refusals: [([UInt8], [ItemAttribute: AttributeValue])] = [
            ([], [:]), (Array(der.dropLast()), [:]), (der + [0], [:]),
            (der, [.serialNumber: .data([1])]), (der, [.account: "a"]),
        ]
        for (bytes, attributes) in refusals {
            #expect(
                code { () throws(VestryError) in
                    try keychain.addCertificate(der: bytes, attributes: attributes)
                } == .parameter)
        }
        let secret = SecretBytes("no key")
        #expect(code { () throws(VestryError) in try keychain.addKey(der: secret) } == .parameter)
    }

    @Test(arguments: [
        ("ec.sec1", 73 as AttributeValue?, 1 as AttributeValue, 256 as AttributeValue),
        ("ec.spki", 73, 0, 256), ("rsa.pkcs8", 42, 1, 2048), ("ed25519.pkcs8", nil, 1, 256),
    ])
    func aKeySaysWhatItIs(
        _ name: String, _ type: AttributeValue?, _ keyClass: AttributeValue,
        _ size: AttributeValue
    ) throws {
        try keychain.addKey(
            der: SecretBytes(try Self.file(name)), attributes: [.applicationTag: "tag"])
        let record = try #require(
            try keychain.find(
                ItemQuery(.key, [.applicationTag: "tag", .keyClass: keyClass]),
                wantingSecrets: true
            ).records.first)
        #expect(record[.type] == type)
        #expect(record[.keySizeInBits] == size)
        #expect(record[.applicationLabel]?.data?.count == 20)
        #expect(try record.withSecret { $0.exposed } == Self.file(name))
    }

    @Test func anIdentityIsACertificateAndItsPrivateKey() throws {
        func query(_ attributes: [ItemAttribute: AttributeValue] = [:]) -> ItemQuery {
            var query = ItemQuery(.identity, attributes)
            query.limit = .all
            return query
        }
        func codeOfSearch() -> VestryError.Code? {
            code { () throws(VestryError) in _ = try keychain.identities(query()) }
        }
        #expect(codeOfSearch() == .itemNotFound)
        try keychain.addCertificate(der: try Self.file("ec.cer"))
        try keychain.addCertificate(der: try Self.file("rsa.cer"))
        #expect(codeOfSearch() == .itemNotFound)
        // A public key makes no identity.
        try keychain.addKey(der: SecretBytes(try Self.file("ec.spki")))
        #expect(codeOfSearch() == .itemNotFound)
        try keychain.addKey(
            der: SecretBytes(try Self.file("ec.pkcs8")), attributes: [.applicationTag: "t"])
        let identities = try keychain.identities(query(), wantingSecrets: true)
        #expect(identities.map { $0.certificate[.label] } == ["mail.example.org"])
        let key = try #require(identities.first?.privateKey)
        #expect(try key.withSecret { $0.exposed } == Self.file("ec.pkcs8"))

        try keychain.addKey(der: SecretBytes(try Self.file("rsa.pkcs1")))
        #expect(try keychain.identities(query()).count == 2)
        #expect(try keychain.identities(ItemQuery(.identity)).count == 1)
        #expect(try keychain.identities(query([.label: "Example"])).count == 1)
        #expect(try keychain.identities(query([.applicationTag: "t"])).count == 1)
        #expect(
            code { () throws(VestryError) in _ = try keychain.find(query()) } == .parameter)
        // Keys are bound to the unlocked screen unless told otherwise.
        try keychain.lock()
        #expect(codeOfSearch() == .locked)
    }

    static let conditions:
        [(name: String, set: @Sendable (inout CertificateConditions) -> Void, [String])] =
            [
                ("nothing", { _ in }, ["chain-leaf.cer", "ec.cer", "rsa.cer"]),
                (
                    "the address of one, and those without",
                    { $0.emailAddressIfPresent = "Alice@example.org" },
                    ["chain-leaf.cer", "ec.cer", "rsa.cer"]
                ),
                (
                    "an address of none", { $0.emailAddressIfPresent = "bob@example.org" },
                    ["chain-leaf.cer", "rsa.cer"]
                ),
                (
                    "a later date", { $0.validityDate = 2_300_000_000 },
                    ["chain-leaf.cer", "rsa.cer"]
                ),
                ("a date before all", { $0.validityDate = 0 }, []),
                ("itself", { $0.issuers = [name(of: "ec.cer")] }, ["ec.cer"]),
                (
                    "its issuer", { $0.issuers = [name(of: "chain-intermediate.cer")] },
                    ["chain-leaf.cer"]
                ),
                (
                    "the issuer's issuer",
                    { $0.issuers = [[0x30, 0], name(of: "chain-root.cer")] }, ["chain-leaf.cer"]
                ),
                ("no issuer", { $0.issuers = [[0x30, 0]] }, []),
                ("trust", { trusted(&$0, .init()) }, ["chain-leaf.cer"]),
                ("a server", { trusted(&$0, .init(.tlsServer)) }, ["chain-leaf.cer"]),
                ("a client", { trusted(&$0, .init(.tlsClient)) }, []),
                (
                    "a host", { trusted(&$0, .init(.tlsServer, hostName: "www.example.org")) },
                    ["chain-leaf.cer"]
                ),
                ("another host", { trusted(&$0, .init(.tlsServer, hostName: "example.org")) }, []),
                ("trust too late", { trusted(&$0, .init(), at: 2_500_000_000) }, []),
            ]

    static func trusted(
        _ conditions: inout CertificateConditions, _ policy: CertificateConditions.Policy,
        at date: Double = 2_000_000_000
    ) {
        conditions.policy = policy
        conditions.validityDate = date
    }

    static func name(of certificate: String) -> [UInt8] {
        (try? Certificate(der: file(certificate)))?.subject ?? []
    }

    @Test(arguments: conditions.indices)
    func certificatesMeetConditions(_ index: Int) throws {
        let (name, set, expected) = Self.conditions[index]
        var keychain = keychain
        keychain.trustAnchors = [try Self.file("chain-root.cer")]
        for file in ["chain-leaf.cer", "ec.cer", "rsa.cer"] {
            try keychain.addCertificate(
                der: try Self.file(file), attributes: [.alias: .string(file)])
        }
        try keychain.addCertificate(der: try Self.file("chain-intermediate.cer"))
        // No certificate meets no condition on one.
        try keychain.add(.certificate, attributes: [.alias: "none"])
        var conditions = CertificateConditions()
        set(&conditions)
        var query = ItemQuery(.certificate)
        query.limit = .all
        query.certificate = conditions
        let found = (try? keychain.find(query).records) ?? []
        #expect(found.compactMap { $0[.alias]?.string } == expected, "\(name)")
        #expect((try? keychain.update(query, set: [.label: "met"])) ?? 0 == found.count)
        if !found.isEmpty { #expect(try keychain.delete(query) == found.count) }
        #expect(try keychain.find(ItemQuery(.certificate, [.alias: "none"])).records.count == 1)

        query.itemClass = .key
        #expect(code { () throws(VestryError) in _ = try keychain.find(query) } == .parameter)
    }

    @Test func aLockedIssuerIsNotTakenForNone() throws {
        var keychain = keychain
        keychain.trustAnchors = [try Self.file("chain-root.cer")]
        try keychain.addCertificate(der: try Self.file("chain-leaf.cer"))
        try keychain.addCertificate(
            der: try Self.file("chain-intermediate.cer"), attributes: [.accessible: "ak"])
        var query = ItemQuery(.certificate, [.label: "www.example.org"])
        query.certificate = CertificateConditions()
        query.certificate?.policy = .init()
        query.certificate?.validityDate = 2_000_000_000
        #expect(try keychain.find(query).records.count == 1)
        try keychain.lock()
        #expect(code { () throws(VestryError) in _ = try keychain.find(query) } == .locked)
    }

    @Test func identitiesMeetTheConditionsOnTheirCertificate() throws {
        try keychain.addCertificate(der: try Self.file("ec.cer"))
        try keychain.addKey(der: SecretBytes(try Self.file("ec.pkcs8")))
        var query = ItemQuery(.identity)
        query.certificate = CertificateConditions()
        query.certificate?.emailAddressIfPresent = "post@example.org"
        let found = try keychain.identities(query)
        #expect(found.count == 1)
        query.references = [found.first?.certificate.persistentReference ?? []]
        #expect(try keychain.identities(query).count == 1)
        query.certificate?.emailAddressIfPresent = "bob@example.org"
        #expect(
            code { () throws(VestryError) in _ = try keychain.identities(query) } == .itemNotFound)
    }

    @Test func referencesNarrowASearch() throws {
        let first = try keychain.addCertificate(der: try Self.file("ec.cer"))
        let second = try keychain.addCertificate(der: try Self.file("rsa.cer"))
        var query = ItemQuery(.certificate)
        query.limit = .all
        for references in [[first], [second], [first, second], []] {
            query.references = Set(references)
            let found = (try? keychain.find(query).records) ?? []
            #expect(found.map(\.persistentReference) == references)
        }
    }
}
