import Foundation
import Testing
import Vestry
import VestryTesting

@testable import Security

/// `LACredentialType.applicationPassword`, and items that take one.
@Suite struct ApplicationPasswordTests {
    let name = password([kSecAttrService: "s", kSecAttrAccount: "a"])
    let item = password([
        kSecAttrService: "s", kSecAttrAccount: "a", kSecValueData: Data("secret".utf8),
        kSecAttrAccessControl: SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleWhenUnlocked, .applicationPassword, nil) as Any,
    ])

    func with(_ base: CFDictionary, _ credential: String?) -> CFDictionary {
        guard let credential else { return base }
        let context = LAContext()
        context.setCredential(Data(credential.utf8), type: .applicationPassword)
        return base.merging([kSecUseAuthenticationContext: context]) { $1 }
    }

    @Test func aContextHoldsACredentialUntilItEnds() {
        #expect(LACredentialType.applicationPassword.rawValue == 0)
        let context = LAContext()
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(!context.setCredential(Data(), type: .applicationPassword))
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(context.setCredential(Data("own".utf8), type: .applicationPassword))
        #expect(context.isCredentialSet(.applicationPassword))
        #expect(context.setCredential(nil, type: .applicationPassword))
        #expect(!context.isCredentialSet(.applicationPassword))
        context.setCredential(Data("own".utf8), type: .applicationPassword)
        context.invalidate()
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(!context.setCredential(Data("own".utf8), type: .applicationPassword))
        #expect(!context.isCredentialSet(.applicationPassword))
    }

    @Test func theFunctionsTakeThePasswordFromTheContext() throws {
        try withKeychain { _ in
            #expect(SecItemAdd(item, nil) == errSecParam)
            #expect(SecItemAdd(with(item, "own"), nil) == errSecSuccess)
            let read = name.merging([kSecReturnData: true]) { $1 }
            #expect(search(with(read, "own")).1 as? Data == Data("secret".utf8))
            #expect(search(with(read, "other")).0 == errSecAuthFailed)
            #expect(search(read).0 == errSecInteractionNotAllowed)

            // Attributes take no password, a new secret does.
            #expect(SecItemUpdate(name, [kSecAttrLabel: "L"]) == errSecSuccess)
            #expect(search(with(read, "own")).1 as? Data == Data("secret".utf8))
            let change: CFDictionary = [kSecValueData: Data("new".utf8)]
            #expect(SecItemUpdate(name, change) == errSecParam)
            #expect(SecItemUpdate(with(name, "own"), change) == errSecSuccess)
            #expect(search(with(read, "own")).1 as? Data == Data("new".utf8))

            let later: CFDictionary = [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]
            #expect(SecItemUpdate(name, later) == errSecInteractionNotAllowed)
            #expect(SecItemUpdate(with(name, "other"), later) == errSecAuthFailed)
            #expect(SecItemUpdate(with(name, "own"), later) == errSecSuccess)
            #expect(search(with(read, "own")).1 as? Data == Data("new".utf8))
            #expect(SecItemDelete(name) == errSecSuccess)
        }
    }

    /// A certificate or a key takes the password too, as data and as an object.
    @Test(arguments: [kSecClassCertificate, kSecClassKey], [kSecValueData, kSecValueRef])
    func certificatesAndKeysTakeIt(_ itemClass: CFString, _ form: CFString) throws {
        let value: Any =
            switch (itemClass, form) {
            case (kSecClassCertificate, kSecValueRef): try readCertificate("ec.cer")
            case (kSecClassCertificate, _): try file("ec.cer")
            case (_, kSecValueRef):
                try readKey("ec.x963", kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClassPrivate)
            default: Data("symmetric key".utf8)
            }
        try withKeychain { _ in
            let add: CFDictionary = [
                kSecClass: itemClass, form: value,
                kSecAttrAccessControl: SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleWhenUnlocked, .applicationPassword, nil) as Any,
            ]
            #expect(SecItemAdd(add, nil) == errSecParam)
            #expect(SecItemAdd(with(add, "own"), nil) == errSecSuccess)
            let read: CFDictionary = [kSecClass: itemClass, kSecReturnData: true]
            #expect(search(read).0 == errSecInteractionNotAllowed)
            #expect(search(with(read, "other")).0 == errSecAuthFailed)
            #expect(search(with(read, "own")).1 is Data)
        }
    }
}
