import Foundation
import SecureMemory
import TestSupport
import Testing

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
}
