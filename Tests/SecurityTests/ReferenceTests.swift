import Foundation
import Testing
import Vestry
import VestryTesting

@testable import Security

/// Certificates, keys and identities as objects.
@Suite struct ReferenceTests {
    let certificateClass: CFDictionary = [kSecClass: kSecClassCertificate]
    let keyClass: CFDictionary = [kSecClass: kSecClassKey]
    let identityClass: CFDictionary = [kSecClass: kSecClassIdentity]

    func with(_ base: CFDictionary, _ more: CFDictionary) -> CFDictionary {
        base.merging(more) { $1 }
    }

    @Test func aCertificateSaysWhatItIs() throws {
        let der = try file("ec.cer")
        let certificate = try readCertificate("ec.cer")
        #expect(SecCertificateCopyData(certificate) == der)
        #expect(SecCertificateCopySubjectSummary(certificate) == "mail.example.org")
        var addresses: CFArray?
        #expect(SecCertificateCopyEmailAddresses(certificate, &addresses) == errSecSuccess)
        #expect(addresses as? [String] == ["post@example.org", "alice@example.org"])
        #expect(SecCertificateCopySerialNumberData(certificate, nil)?.count == 9)
        #expect(
            SecCertificateCopyNormalizedIssuerSequence(certificate)
                == SecCertificateCopyNormalizedSubjectSequence(certificate))
        let publicKey = try #require(SecCertificateCopyKey(certificate))
        #expect(try SecKeyCopyExternalRepresentation(publicKey, nil) == file("ec.x963-public"))
        let rsa = try #require(SecCertificateCopyKey(readCertificate("rsa.cer")))
        #expect(try SecKeyCopyExternalRepresentation(rsa, nil) == file("rsa.pkcs1-public"))
        #expect(SecCertificateCreateWithData(kCFAllocatorDefault, der.dropLast()) == nil)
        #expect(SecCertificateCreateWithData(nil, Data()) == nil)
        #expect(try certificate == readCertificate("ec.cer"))
        #expect(try certificate != readCertificate("rsa.cer"))
    }

    static let keys: [(String, CFString, CFString, String, Int)] = [
        ("ec.x963", kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClassPrivate, "ec.x963", 256),
        ("ec.x963-public", kSecAttrKeyTypeEC, kSecAttrKeyClassPublic, "ec.x963-public", 256),
        ("ec.pkcs8", kSecAttrKeyTypeEC, kSecAttrKeyClassPrivate, "ec.x963", 256),
        ("rsa.pkcs1", kSecAttrKeyTypeRSA, kSecAttrKeyClassPrivate, "rsa.pkcs1", 2048),
        ("rsa.pkcs8", kSecAttrKeyTypeRSA, kSecAttrKeyClassPrivate, "rsa.pkcs1", 2048),
        ("rsa.pkcs1-public", kSecAttrKeyTypeRSA, kSecAttrKeyClassPublic, "rsa.pkcs1-public", 2048),
    ]

    @Test(arguments: keys) func aKeySaysWhatItIs(
        _ name: String, _ type: CFString, _ keyClass: CFString, _ exported: String, _ size: Int
    ) throws {
        let key = try readKey(name, type, keyClass)
        #expect(try SecKeyCopyExternalRepresentation(key, nil) == file(exported))
        let attributes = try #require(SecKeyCopyAttributes(key))
        #expect("\(attributes[kSecAttrKeyType] ?? "")" == type)
        #expect("\(attributes[kSecAttrKeyClass] ?? "")" == keyClass)
        #expect(attributes[kSecAttrKeySizeInBits] as? Int == size)
        #expect((attributes[kSecAttrApplicationLabel] as? Data)?.count == 20)
        #expect(SecKeyGetBlockSize(key) == size / 8)
        let half = try #require(SecKeyCopyPublicKey(key))
        let whole = SecKeyCopyExternalRepresentation(half, nil)
        #expect(whole == (try file(size == 256 ? "ec.x963-public" : "rsa.pkcs1-public")))
        #expect(!"\(key)".contains("\(attributes[kSecAttrApplicationLabel] ?? "")"))
    }

    @Test func whatIsNoSuchKeyIsRefused() throws {
        let rsa: CFDictionary = [
            kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
        ]
        for (name, attributes) in [
            ("ec.x963", rsa), ("rsa.pkcs1-public", rsa), ("ec.cer", rsa), ("rsa.pkcs1", [:]),
            ("rsa.pkcs1", with(rsa, [kSecAttrKeySizeInBits: 1024])),
            ("rsa.pkcs1", with(rsa, [kSecAttrKeyClass: kSecAttrKeyClassSymmetric])),
        ] as [(String, CFDictionary)] {
            var error: Unmanaged<CFError>?
            #expect(SecKeyCreateWithData(try file(name), attributes, &error) == nil)
            #expect(error?.takeRetainedValue().code == Int(errSecParam))
        }
        let sized = with(rsa, [kSecAttrKeySizeInBits: 2048])
        #expect(SecKeyCreateWithData(try file("rsa.pkcs1"), sized, nil) != nil)
    }

    @Test(arguments: [kSecValueData, kSecValueRef])
    func aCertificateIsAddedAndFound(_ key: String) throws {
        try withKeychain { _ in
            let certificate = try readCertificate("ec.cer")
            let value: Any = key == kSecValueRef ? certificate : try file("ec.cer")
            var added: CFTypeRef?
            let item = with(certificateClass, [key: value, kSecReturnRef: true])
            #expect(SecItemAdd(item, &added) == errSecSuccess)
            #expect(added as? SecCertificate == certificate)
            #expect(SecItemAdd(item, nil) == errSecDuplicateItem)
            // Its subject's name is the label.
            let named = with(certificateClass, [kSecAttrLabel: "mail.example.org"])
            #expect(search(with(named, [kSecReturnRef: true])).1 as? SecCertificate == certificate)
            #expect(search(with(named, [kSecReturnData: true])).1 as? Data == (try file("ec.cer")))
            let both = search(with(named, [kSecReturnRef: true, kSecReturnAttributes: true])).1
            let dictionary = try #require(both as? [String: Any])
            #expect(dictionary[kSecValueRef] as? SecCertificate == certificate)
            #expect(dictionary[kSecAttrAccessible] as? String == kSecAttrAccessibleAfterFirstUnlock)
            let all = search(
                with(certificateClass, [kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll]))
            #expect(all.1 as? [SecCertificate] == [certificate])
            // An object names its item, and its class.
            #expect(search([kSecValueRef: certificate, kSecReturnData: true]).0 == errSecSuccess)
            #expect(
                SecItemUpdate([kSecValueRef: certificate], [kSecAttrLabel: "L"]) == errSecSuccess)
            let other = try readCertificate("rsa.cer")
            #expect(SecItemDelete([kSecValueRef: other]) == errSecItemNotFound)
            #expect(SecItemDelete(with(certificateClass, [kSecValueRef: certificate])) == 0)
            #expect(search(certificateClass).0 == errSecItemNotFound)
        }
    }

    @Test func whatIsNoCertificateIsNotAdded() throws {
        try withKeychain { _ in
            for value in [Data(), Data([1, 2]), try file("ec.x963")] {
                #expect(
                    SecItemAdd(with(certificateClass, [kSecValueData: value]), nil) == errSecParam)
            }
            let certificate = try readCertificate("ec.cer")
            #expect(
                SecItemAdd([kSecValueRef: certificate, kSecValueData: Data()], nil) == errSecParam)
            #expect(
                SecItemAdd(
                    [kSecValueRef: certificate, kSecAttrSerialNumber: Data([1])], nil)
                    == errSecParam)
            #expect(
                search([kSecValueRef: certificate, kSecAttrSerialNumber: Data([1])]).0
                    == errSecParam)
        }
    }

    @Test(arguments: keys) func aKeyIsAddedAndFound(
        _ name: String, _ type: CFString, _ keyClass: CFString, _ exported: String, _ size: Int
    ) throws {
        try withKeychain { _ in
            let key = try readKey(name, type, keyClass)
            var added: CFTypeRef?
            let item: CFDictionary = [
                kSecValueRef: key, kSecAttrApplicationTag: "tag", kSecReturnData: true,
            ]
            #expect(SecItemAdd(item, &added) == errSecSuccess)
            #expect(added as? Data == (try file(exported)))
            #expect(SecItemAdd(item, nil) == errSecDuplicateItem)
            let query = with(
                self.keyClass,
                [
                    kSecAttrApplicationTag: Data("tag".utf8), kSecAttrKeyType: type,
                    kSecAttrKeyClass: keyClass, kSecReturnRef: true,
                ])
            let found = try #require(search(query).1 as? SecKey)
            #expect(found == key)
            #expect(
                SecKeyCopyAttributes(found)?[kSecAttrApplicationTag] as? Data == Data("tag".utf8))
            #expect(SecItemDelete([kSecValueRef: found]) == errSecSuccess)
            #expect(search(query).0 == errSecItemNotFound)

            // The same by its bytes.
            let bytes = with(
                self.keyClass,
                [
                    kSecValueData: try file(name), kSecAttrKeyType: type,
                    kSecAttrKeyClass: keyClass, kSecAttrApplicationTag: "tag", kSecReturnRef: true,
                ])
            #expect(SecItemAdd(bytes, &added) == errSecSuccess)
            #expect(added as? SecKey == key)
            #expect(search(query).1 as? SecKey == key)
            #expect(
                search(with(query, [kSecReturnRef: false, kSecReturnData: true])).1 as? Data
                    == (try file(name)))
        }
    }

    /// What is no key of RSA or of an elliptic curve is stored as it is, and has no object.
    @Test func aSymmetricKeyIsBytes() throws {
        try withKeychain { _ in
            let name = with(keyClass, [kSecAttrApplicationTag: "aes"])
            let aes: CFDictionary = [
                kSecAttrKeyType: kSecAttrKeyTypeAES, kSecAttrKeyClass: kSecAttrKeyClassSymmetric,
                kSecValueData: Data(count: 32),
            ]
            #expect(SecItemAdd(with(name, aes), nil) == errSecSuccess)
            #expect(search(with(name, [kSecReturnData: true])).1 as? Data == Data(count: 32))
            let (status, object) = search(with(name, [kSecReturnRef: true]))
            #expect(status == errSecSuccess)
            #expect(object == nil)
        }
    }

    @Test func anIdentityIsFoundAddedAndRemovedWhole() throws {
        try withKeychain { _ in
            let reading = with(identityClass, [kSecReturnRef: true])
            #expect(search(reading).0 == errSecItemNotFound)
            #expect(try SecItemAdd([kSecValueRef: readCertificate("ec.cer")], nil) == errSecSuccess)
            #expect(search(reading).0 == errSecItemNotFound)
            let key = try readKey("ec.x963", kSecAttrKeyTypeEC, kSecAttrKeyClassPrivate)
            #expect(SecItemAdd([kSecValueRef: key], nil) == errSecSuccess)
            let identity = try #require(search(reading).1 as? SecIdentity)
            var (certificate, privateKey): (SecCertificate?, SecKey?)
            #expect(SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess)
            #expect(SecIdentityCopyPrivateKey(identity, &privateKey) == errSecSuccess)
            #expect(try certificate == readCertificate("ec.cer"))
            #expect(privateKey == key)

            let whole =
                search(
                    with(
                        reading,
                        [
                            kSecReturnAttributes: true, kSecReturnData: true,
                            kSecReturnPersistentRef: true, kSecMatchLimit: kSecMatchLimitAll,
                        ])
                ).1 as? [[String: Any]]
            let dictionary = try #require(whole?.first)
            #expect(whole?.count == 1)
            #expect(dictionary[kSecValueRef] as? SecIdentity == identity)
            #expect(dictionary[kSecValueData] as? Data == (try file("ec.cer")))
            #expect(dictionary[kSecAttrKeyClass] as? Int == 1)
            #expect(dictionary[kSecAttrIssuer] is Data)
            let reference = try #require(dictionary[kSecValuePersistentRef] as? Data)
            let byReference = with(reading, [kSecValuePersistentRef: reference])
            #expect(search(byReference).1 as? SecIdentity == identity)
            let listed = with(reading, [kSecMatchItemList: [identity]])
            #expect(search(listed).1 as? SecIdentity == identity)

            #expect(SecItemAdd([kSecValueRef: identity], nil) == errSecDuplicateItem)
            #expect(SecItemDelete([kSecValueRef: key]) == errSecSuccess)
            // One of both may be there.
            #expect(SecItemAdd([kSecValueRef: identity], nil) == errSecSuccess)
            #expect(SecItemUpdate(identityClass, [kSecAttrLabel: "L"]) == errSecParam)
            #expect(SecItemDelete([kSecValueRef: identity]) == errSecSuccess)
            #expect(search(certificateClass).0 == errSecItemNotFound)
            #expect(search(keyClass).0 == errSecItemNotFound)
            var added: CFTypeRef?
            #expect(
                SecItemAdd(
                    [kSecValueRef: identity, kSecAttrLabel: "mine", kSecReturnRef: true], &added)
                    == errSecSuccess)
            #expect(added as? SecIdentity == identity)
            #expect(search(with(keyClass, [kSecAttrLabel: "mine"])).0 == errSecSuccess)
            #expect(SecItemDelete(identityClass) == errSecSuccess)
            #expect(SecItemDelete(identityClass) == errSecItemNotFound)
            #expect(
                SecItemAdd(with(identityClass, [kSecValueData: Data()]), nil) == errSecParam)
        }
    }

    /// Passwords have no object; nobody is asked for one that was not to be read.
    @Test func aPasswordHasNoObject() throws {
        try withKeychain { testing in
            let name = password([kSecAttrAccount: "a"])
            let control = try #require(
                SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil))
            #expect(
                SecItemAdd(
                    with(name, [kSecValueData: Data([1]), kSecAttrAccessControl: control]), nil)
                    == errSecSuccess)
            let (status, object) = search(with(name, [kSecReturnRef: true]))
            #expect(status == errSecSuccess)
            #expect(object == nil)
            let both = search(with(name, [kSecReturnRef: true, kSecReturnPersistentRef: true]))
            let dictionary = try #require(both.1 as? [String: Any])
            #expect(dictionary.keys.sorted() == [kSecValuePersistentRef])
            let reference = try #require(dictionary[kSecValuePersistentRef])
            #expect(
                search([kSecValuePersistentRef: reference, kSecReturnRef: true]).0 == errSecSuccess)
            let all = with(name, [kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll])
            #expect((search(all).1 as? [Any])?.isEmpty == true)
        }
    }

    @Test func lockedObjectsAreNotMissing() throws {
        try withKeychain { testing in
            let key = try readKey("ec.x963", kSecAttrKeyTypeEC, kSecAttrKeyClassPrivate)
            #expect(SecItemAdd([kSecValueRef: key], nil) == errSecSuccess)
            #expect(try SecItemAdd([kSecValueRef: readCertificate("ec.cer")], nil) == errSecSuccess)
            testing.state = .afterFirstUnlock
            let reading: CFDictionary = [kSecReturnRef: true]
            #expect(search(with(certificateClass, reading)).0 == errSecSuccess)
            #expect(search(with(keyClass, reading)).0 == errSecInteractionNotAllowed)
            #expect(search(with(identityClass, reading)).0 == errSecInteractionNotAllowed)
            testing.state = .locked
            #expect(search(with(certificateClass, reading)).0 == errSecInteractionNotAllowed)
        }
    }
}
