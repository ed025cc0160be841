import Foundation
import Security

/// A program of somebody else's on the keychain of whoever runs it.
@main
struct SecurityStranger {
    static func main() {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: "org.example.stranger",
            kSecAttrAccount as String: UUID().uuidString,
        ]
        var attributes = query
        attributes[kSecValueData as String] = Data("token".utf8)
        let added = SecItemAdd(attributes as CFDictionary, nil)
        var reading = query
        reading[kSecReturnData as String] = kCFBooleanTrue
        var result: CFTypeRef?
        let found = SecItemCopyMatching(reading as CFDictionary, &result)
        if added == errSecSuccess {
            check(found == errSecSuccess && result as? Data == Data("token".utf8), "it is there")
            check(SecItemDelete(query as CFDictionary) == errSecSuccess, "it can be removed")
        } else {
            // Nobody has logged in here: each function says what is the matter, and nothing is found.
            let reasons = [errSecNoSuchKeychain, errSecInteractionNotAllowed, errSecNotAvailable]
            check(reasons.contains(added) && found == added, "without a keychain, so it is said")
            check(SecItemDelete(query as CFDictionary) == added, "by a deletion too")
            check(result == nil, "there is no result")
        }
        check(SecCopyErrorMessageString(added, nil) != nil, "a code has a sentence")
        check(SecItemAdd([:] as CFDictionary, nil) == errSecParam, "a class is asked for")
        // libcrypto is looked for when it is needed, in a static program too.
        let certificate = SecCertificateCreateWithData(nil, Data() as CFData)
        check(certificate == nil, "nothing is no certificate")
        print("1 passed, 0 failed")
    }

    static func check(_ condition: Bool, _ claim: String) {
        guard condition else { fatalError("not so: \(claim)") }
    }
}
