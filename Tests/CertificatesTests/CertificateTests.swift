import Foundation
import SecureMemory
import TestSupport
import Testing

@testable import Certificates

func file(_ name: String) throws -> [UInt8] {
    let url = try #require(
        Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Certificates"))
    return Array(try Data(contentsOf: url))
}

/// The expected values are those that `openssl x509 -text` and `openssl asn1parse` print.
@Suite struct CertificateTests {
    @Test func readsWhatACertificateSays() throws {
        let certificate = try Certificate(der: try file("ec.cer"))
        #expect(certificate.version == 3)
        #expect(
            certificate.subjectText
                == "emailAddress=post@example.org,CN=mail.example.org,O=Bücher & Söhne,C=DE")
        #expect(certificate.summary == "mail.example.org")
        #expect(certificate.issuer == certificate.subject)
        #expect(certificate.subject.first == 0x30)
        #expect(try Certificate.text(ofName: certificate.subject) == certificate.subjectText)
        // The high bit is set, so DER puts a zero before it.
        #expect(certificate.serialNumber == bytes(hex: "00 8877665544332211"))
        #expect(
            certificate.subjectKeyID == bytes(hex: "6762ABADE0FD8978C46779A7D284D978C14BE0C6"))
        // The same here, because OpenSSL makes the identifier from the key's bits.
        #expect(certificate.publicKeyHash == certificate.subjectKeyID)
        #expect(certificate.validity == 1_796_012_028...2_111_372_028)
        #expect(certificate.emailAddresses == ["post@example.org", "alice@example.org"])
    }

    @Test func aSubjectWithoutACommonNameHasASummary() throws {
        let certificate = try Certificate(der: try file("rsa.cer"))
        #expect(certificate.summary == "Example")
        #expect(certificate.serialNumber == [5])
        #expect(certificate.emailAddresses == [])
    }

    @Test func rejectsEveryTruncationAndAByteMore() throws {
        let der = try file("ec.cer")
        for count in 0..<der.count {
            #expect(throws: CertificateError.malformed) {
                try Certificate(der: Array(der.prefix(count)))
            }
        }
        #expect(throws: CertificateError.malformed) { try Certificate(der: der + [0]) }
        #expect(throws: CertificateError.malformed) { try Certificate.text(ofName: der) }
    }

    @Test func noSingleByteChangeTraps() throws {
        let der = try file("ec.cer")
        for offset in der.indices {
            for change in [0x01, 0x80, 0xFF] as [UInt8] {
                var changed = der
                changed[offset] ^= change
                _ = try? Certificate(der: changed)
            }
        }
    }

    static let keys: [(String, KeyDescription.Algorithm, Bool, Int64)] = [
        ("ec.pkcs8", .ellipticCurve, true, 256), ("ec.sec1", .ellipticCurve, true, 256),
        ("ec.spki", .ellipticCurve, false, 256), ("rsa.pkcs8", .rsa, true, 2048),
        ("rsa.pkcs1", .rsa, true, 2048), ("rsa.pkcs1-public", .rsa, false, 2048),
        ("ed25519.pkcs8", .other, true, 256),
    ]

    @Test(arguments: keys)
    func readsKeys(
        _ name: String, _ algorithm: KeyDescription.Algorithm, _ isPrivate: Bool, _ bits: Int64
    ) throws {
        let der = try file(name)
        let key = try KeyDescription(SecretBytes(der))
        #expect(key.algorithm == algorithm)
        #expect(key.isPrivate == isPrivate)
        #expect(key.sizeInBits == bits)
        for count in 0..<der.count {
            #expect(throws: CertificateError.malformed) {
                try KeyDescription(SecretBytes(Array(der.prefix(count))))
            }
        }
        #expect(throws: CertificateError.malformed) {
            try KeyDescription(SecretBytes(der + [0]))
        }
    }

    @Test(arguments: [
        ("ec.cer", ["ec.pkcs8", "ec.sec1", "ec.spki"]),
        ("rsa.cer", ["rsa.pkcs8", "rsa.pkcs1", "rsa.pkcs1-public"]),
    ])
    func aKeyAndItsCertificateHaveOneHash(_ certificate: String, _ keys: [String]) throws {
        let hash = try Certificate(der: try file(certificate)).publicKeyHash
        for key in keys {
            #expect(try KeyDescription(SecretBytes(try file(key))).publicKeyHash == hash)
        }
    }

    /// OpenSSL's `-text` shows the point and K.
    @Test func aKeyIsExportedAsAppleDoes() throws {
        for (name, isPublicHalf, expected) in [
            ("ec.pkcs8", false, "ec.x963"), ("ec.sec1", false, "ec.x963"),
            ("ec.pkcs8", true, "ec.x963-public"), ("ec.spki", false, "ec.x963-public"),
            ("rsa.pkcs8", false, "rsa.pkcs1"), ("rsa.pkcs8", true, "rsa.pkcs1-public"),
        ] {
            let exported = try KeyDescription.exported(
                SecretBytes(try file(name)), form: .der, isPublicHalf: isPublicHalf)
            #expect(exported.exposed == (try file(expected)))
        }
        #expect(throws: CertificateError.malformed) {
            _ = try KeyDescription.exported(
                SecretBytes(try file("ed25519.pkcs8")), form: .der, isPublicHalf: true
            )
            .count
        }
    }

    @Test(arguments: [
        ("ec.x963", KeyDescription.Form.privatePoint, true),
        ("ec.x963-public", .publicPoint, false),
    ])
    func readsPoints(_ name: String, _ form: KeyDescription.Form, _ isPrivate: Bool) throws {
        let bytes = try file(name)
        let key = try KeyDescription(SecretBytes(bytes), form: form)
        #expect(key.algorithm == .ellipticCurve && key.sizeInBits == 256)
        #expect(key.isPrivate == isPrivate)
        #expect(
            key.publicKeyHash == (try KeyDescription(SecretBytes(file("ec.pkcs8")))).publicKeyHash)
        let exported = try KeyDescription.exported(SecretBytes(bytes), form: form)
        #expect(exported.exposed == bytes)
        for count in 0..<bytes.count {
            #expect(throws: CertificateError.malformed) {
                try KeyDescription(SecretBytes(Array(bytes.prefix(count))), form: form)
            }
        }
        #expect(throws: CertificateError.malformed) {
            try KeyDescription(SecretBytes(bytes + [0]), form: form)
        }
        // No point of the curve.
        var other = bytes
        other[20] ^= 1
        #expect(throws: CertificateError.malformed) {
            try KeyDescription(SecretBytes(other), form: form)
        }
    }

    @Test(arguments: [("ec.cer", "ec.x963-public"), ("rsa.cer", "rsa.pkcs1-public")])
    func aCertificateHasAPublicKey(_ certificate: String, _ key: String) throws {
        let der = try file(certificate)
        let (description, exported) = try Certificate.publicKey(of: der)
        #expect(exported == (try file(key)))
        #expect(description.publicKeyHash == (try Certificate(der: der)).publicKeyHash)
        #expect(!description.isPrivate)
        #expect(throws: CertificateError.malformed) { try Certificate.publicKey(of: [1]) }
    }

    struct TrustCase: CustomTestStringConvertible, Sendable {
        var chain = ["chain-leaf.cer", "chain-intermediate.cer"]
        var anchors: [String]? = ["chain-root.cer"]
        var purpose = Certificate.Purpose.any
        var hostName: String?
        var time: Int64 = 2_000_000_000
        var isTrusted = false

        var testDescription: String { "\(chain) \(purpose) \(hostName ?? "-") at \(time)" }
    }

    static let trustCases = [
        TrustCase(isTrusted: true),
        TrustCase(chain: ["chain-leaf.cer"]),
        TrustCase(chain: ["chain-leaf.cer", "ec.cer", "chain-intermediate.cer"], isTrusted: true),
        TrustCase(anchors: []), TrustCase(anchors: nil), TrustCase(anchors: ["ec.cer"]),
        TrustCase(chain: ["ec.cer"], anchors: ["ec.cer"], isTrusted: true),
        TrustCase(purpose: .tlsServer, isTrusted: true), TrustCase(purpose: .tlsClient),
        TrustCase(purpose: .tlsServer, hostName: "www.example.org", isTrusted: true),
        TrustCase(hostName: "example.org"), TrustCase(hostName: "192.0.2.2"),
        TrustCase(hostName: "192.0.2.1", isTrusted: true),
        TrustCase(hostName: "www.example.org\0.example.com"),
        TrustCase(time: 1_700_000_000), TrustCase(time: 2_500_000_000),
        // A leaf cannot issue.
        TrustCase(chain: ["ec.cer", "chain-leaf.cer"]),
    ]

    @Test(arguments: trustCases) func aChainLeadsToAnAnchor(_ trust: TrustCase) throws {
        let isTrusted = try Certificate.isTrusted(
            trust.chain.map(file), anchors: trust.anchors?.map(file), purpose: trust.purpose,
            hostName: trust.hostName, at: trust.time)
        #expect(isTrusted == trust.isTrusted)
    }

    @Test func noCertificateIsNotTrusted() {
        #expect(throws: CertificateError.malformed) {
            try Certificate.isTrusted([], anchors: [], purpose: .any, hostName: nil, at: 0)
        }
    }
}

@Suite struct PEMTests {
    private func block(_ label: String, _ der: [UInt8]) -> String {
        let lines = Data(der).base64EncodedString(options: [.lineLength64Characters])
        return "-----BEGIN \(label)-----\n\(lines)\n-----END \(label)-----\n"
    }

    private func der(_ content: PEM.Content, _ text: String) throws(PEMError) -> [UInt8] {
        let found = try PEM.der(of: content, in: SecretBytes(copying: Array(text.utf8).span))
        return found.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    @Test(arguments: [
        ("CERTIFICATE", PEM.Content.certificate, "rsa.cer"),
        ("X509 CERTIFICATE", .certificate, "ec.cer"), ("PRIVATE KEY", .key, "ed25519.pkcs8"),
        ("RSA PRIVATE KEY", .key, "rsa.pkcs1"), ("EC PRIVATE KEY", .key, "ec.sec1"),
        ("PUBLIC KEY", .key, "ec.spki"), ("RSA PUBLIC KEY", .key, "rsa.pkcs1-public"),
    ])
    func givesTheBytesOfEachKind(_ label: String, _ content: PEM.Content, _ name: String) throws {
        let bytes = try file(name)
        #expect(try der(content, block(label, bytes)) == bytes)
        #expect(try der(content, "words before\n" + block(label, bytes) + "and after\n") == bytes)
    }

    @Test func blocksOfOtherKindsArePassedOver() throws {
        let key = try file("ec.sec1")
        let certificate = try file("ec.cer")
        let text =
            block("EC PARAMETERS", [6, 1, 0]) + block("EC PRIVATE KEY", key)
            + block("CERTIFICATE", certificate)
        #expect(try der(.key, text) == key)
        #expect(try der(.certificate, text) == certificate)
    }

    @Test func refusesWhatIsNotOnePlainBlock() throws {
        let certificate = block("CERTIFICATE", try file("ec.cer"))
        let encrypted = block("ENCRYPTED PRIVATE KEY", [0x30, 0])
        let oldEncrypted = block("RSA PRIVATE KEY", try file("rsa.pkcs1")).replacingOccurrences(
            of: "KEY-----\nM",
            with: "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nM")
        #expect(throws: PEMError.several) { try der(.certificate, certificate + certificate) }
        #expect(throws: PEMError.encrypted) { try der(.key, encrypted) }
        #expect(throws: PEMError.encrypted) { try der(.key, oldEncrypted) }
        #expect(throws: PEMError.none) { try der(.key, certificate) }
        #expect(throws: PEMError.none) { try der(.certificate, "") }
        #expect(throws: PEMError.none) { try der(.certificate, "no PEM\n") }
        #expect(throws: PEMError.none) {
            try der(.certificate, certificate + String(certificate.dropLast(30)))
        }
    }
}
