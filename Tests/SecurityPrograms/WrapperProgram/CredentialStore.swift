// swift-format-ignore-file: NeverForceUnwrap
import Foundation
import Security

// A program as tutorials write it: a wrapper type that throws, updates and adds where there is
// nothing to update. It must compile as it would on Apple's systems.

public struct Credentials: Equatable, Sendable {
    public var user: String
    public var password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

public enum CredentialError: Error, Equatable {
    case absent
    case unreadable
    case status(OSStatus, String)
}

public struct CredentialStore: Sendable {
    let server: String

    public init(server: String) { self.server = server }

    public func save(_ credentials: Credentials) throws {
        let password = credentials.password.data(using: String.Encoding.utf8)!
        let query: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword,
            kSecAttrServer as String: server,
            kSecAttrProtocol as String: kSecAttrProtocolHTTPS,
        ]
        let changes: [String: Any] = [
            kSecAttrAccount as String: credentials.user,
            kSecValueData as String: password,
        ]
        var status = SecItemUpdate(query as CFDictionary, changes as CFDictionary)
        if status == errSecItemNotFound {
            var item = query.merging(changes) { $1 }
            item[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlock
            item[kSecAttrPort as String] = 443
            status = SecItemAdd(item as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw failure(status) }
    }

    public func load() throws -> Credentials {
        let query: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword,
            kSecAttrServer as String: server,
            kSecMatchLimit as String: kSecMatchLimitOne,
            kSecReturnAttributes as String: true,
            kSecReturnData as String: true,
        ]
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        guard status != errSecItemNotFound else { throw CredentialError.absent }
        guard status == errSecSuccess else { throw failure(status) }
        guard let existing = item as? [String: Any],
            let data = existing[kSecValueData as String] as? Data,
            let password = String(data: data, encoding: .utf8),
            let user = existing[kSecAttrAccount as String] as? String
        else { throw CredentialError.unreadable }
        return Credentials(user: user, password: password)
    }

    public func remove() throws {
        let query =
            [
                kSecClass: kSecClassInternetPassword,
                kSecAttrServer: server,
            ] as CFDictionary
        let status = SecItemDelete(query)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw failure(status) }
    }

    /// Everything there is, by user.
    public static func all() throws -> [String: Data] {
        let query: [CFString: Any] = [
            kSecClass: kSecClassInternetPassword,
            kSecMatchLimit: kSecMatchLimitAll,
            kSecReturnAttributes: kCFBooleanTrue as Any,
            kSecReturnData: kCFBooleanTrue!,
        ]
        var result: AnyObject?
        switch SecItemCopyMatching(query as CFDictionary, &result) {
        case errSecSuccess: break
        case errSecItemNotFound: return [:]
        case let status: throw CredentialError.status(status, "")
        }
        guard let items = result as? [[String: Any]] else { throw CredentialError.unreadable }
        var found: [String: Data] = [:]
        for item in items {
            guard let user = item[kSecAttrAccount as String] as? String else { continue }
            found[user] = item[kSecValueData as String] as? Data
        }
        return found
    }

    private func failure(_ status: OSStatus) -> CredentialError {
        .status(status, SecCopyErrorMessageString(status, nil) as String? ?? "unknown")
    }
}
