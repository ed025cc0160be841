// swift-format-ignore-file: NeverForceUnwrap
import Foundation
import Security

// A program as tutorials write it: certificates and keys in the keychain, as objects. It must compile
// as it would on Apple's systems.

public struct KeychainFailure: Error, Equatable {
    public let status: OSStatus

    public init(status: OSStatus) { self.status = status }
}

public enum ClientCertificates {
    public static func store(certificate data: Data, label: String) throws {
        guard let certificate = SecCertificateCreateWithData(nil, data as CFData) else {
            throw KeychainFailure(status: errSecParam)
        }
        let addquery: [String: Any] = [
            kSecClass as String: kSecClassCertificate,
            kSecValueRef as String: certificate,
            kSecAttrLabel as String: label,
        ]
        let status = SecItemAdd(addquery as CFDictionary, nil)
        guard status == errSecSuccess else { throw KeychainFailure(status: status) }
    }

    public static func store(privateKey data: Data, tag: String) throws {
        let options: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeRSA,
            kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
            kSecAttrKeySizeInBits as String: 2048,
        ]
        var error: Unmanaged<CFError>?
        guard let key = SecKeyCreateWithData(data as CFData, options as CFDictionary, &error) else {
            throw error!.takeRetainedValue() as Error
        }
        let addquery: [String: Any] = [
            kSecClass as String: kSecClassKey,
            kSecAttrApplicationTag as String: tag.data(using: .utf8)!,
            kSecValueRef as String: key,
        ]
        let status = SecItemAdd(addquery as CFDictionary, nil)
        guard status == errSecSuccess else { throw KeychainFailure(status: status) }
    }

    public static func privateKey(tag: String) throws -> Data {
        let getquery: [String: Any] = [
            kSecClass as String: kSecClassKey,
            kSecAttrApplicationTag as String: tag.data(using: .utf8)!,
            kSecAttrKeyType as String: kSecAttrKeyTypeRSA,
            kSecReturnRef as String: true,
        ]
        var item: CFTypeRef?
        let status = SecItemCopyMatching(getquery as CFDictionary, &item)
        guard status == errSecSuccess else { throw KeychainFailure(status: status) }
        let key = item as! SecKey
        var error: Unmanaged<CFError>?
        guard let data = SecKeyCopyExternalRepresentation(key, &error) as Data? else {
            throw error!.takeRetainedValue() as Error
        }
        return data
    }

    public static func identity(label: String) -> SecIdentity? {
        let getquery: [String: Any] = [
            kSecClass as String: kSecClassIdentity,
            kSecAttrLabel as String: label,
            kSecMatchLimit as String: kSecMatchLimitOne,
            kSecReturnRef as String: kCFBooleanTrue!,
        ]
        var item: CFTypeRef?
        guard SecItemCopyMatching(getquery as CFDictionary, &item) == errSecSuccess else {
            return nil
        }
        return (item as! SecIdentity)
    }

    public static func summary(of identity: SecIdentity) -> String? {
        var certificate: SecCertificate?
        let status = SecIdentityCopyCertificate(identity, &certificate)
        guard status == errSecSuccess, let certificate else { return nil }
        return SecCertificateCopySubjectSummary(certificate) as String?
    }

    public static func remove(_ identity: SecIdentity) -> Bool {
        SecItemDelete([kSecValueRef as String: identity] as CFDictionary) == errSecSuccess
    }
}
