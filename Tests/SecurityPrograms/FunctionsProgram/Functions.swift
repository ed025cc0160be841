// swift-format-ignore-file: NeverForceUnwrap
import Foundation
import Security

// A program as tutorials write it: functions that save, read, update and delete and return Bool, on
// dictionaries of objects. It must compile as it would on Apple's systems.

public enum KeychainFunctions {
    static let service = "org.example.functions"

    static func query(_ account: String) -> [String: AnyObject] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service as AnyObject,
            kSecAttrAccount as String: account as AnyObject,
        ]
    }

    @discardableResult
    public static func save(_ data: Data, account: String) -> Bool {
        var query = query(account)
        query[kSecValueData as String] = data as AnyObject?
        query[kSecAttrAccessible as String] = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        SecItemDelete(query as CFDictionary)
        return SecItemAdd(query as CFDictionary, nil) == noError
    }

    public static func read(account: String) -> Data? {
        var query = query(account)
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        query[kSecReturnData as String] = kCFBooleanTrue
        var dataTypeRef: AnyObject? = nil
        let status: OSStatus = SecItemCopyMatching(query as CFDictionary, &dataTypeRef)
        guard status == errSecSuccess, let data = dataTypeRef as? Data else { return nil }
        return data
    }

    public static func readText(account: String) -> String? {
        var query = query(account)
        query[kSecReturnData as String] = kCFBooleanTrue
        var result: AnyObject?
        let status = withUnsafeMutablePointer(to: &result) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        guard status == noError else { return nil }
        return String(data: result as! Data, encoding: .utf8)
    }

    public static func update(_ data: Data, account: String) -> Bool {
        let changes: [String: AnyObject] = [kSecValueData as String: data as AnyObject]
        return SecItemUpdate(query(account) as CFDictionary, changes as CFDictionary)
            == errSecSuccess
    }

    public static func delete(account: String) -> Bool {
        SecItemDelete(query(account) as CFDictionary) == noError
    }

    public static func clear() -> Bool {
        let all = [kSecClass as String: kSecClassGenericPassword]
        return SecItemDelete(all as CFDictionary) == noError
    }

    /// The accounts, read from dictionaries of Foundation's.
    public static func accounts() -> [String] {
        let query = NSMutableDictionary()
        query[kSecClass as String] = kSecClassGenericPassword
        query[kSecAttrService as String] = service
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        query[kSecReturnAttributes as String] = true
        var items: CFTypeRef?
        guard SecItemCopyMatching(query, &items) == noError,
            let dictionaries = items as? [NSDictionary]
        else { return [] }
        return dictionaries.compactMap { $0[kSecAttrAccount as String] as? String }
    }

    public static func randomKey(_ count: Int) -> Data? {
        var bytes = [UInt8](repeating: 0, count: count)
        guard SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes) == errSecSuccess else {
            return nil
        }
        return Data(bytes)
    }

    public static func randomData(_ count: Int) -> Data {
        var data = Data(count: count)
        let status = data.withUnsafeMutableBytes {
            SecRandomCopyBytes(kSecRandomDefault, count, $0.baseAddress!)
        }
        return status == errSecSuccess ? data : Data()
    }

    private static let noError: OSStatus = errSecSuccess
}
