// swift-format-ignore-file: NeverForceUnwrap
import Foundation
import Security

// A program as tutorials write it: an actor around the calls, Codable values, access control. It
// must compile as it would on Apple's systems.

public struct Token: Codable, Equatable, Sendable {
    public let text: String
    public let expires: Date

    public init(text: String, expires: Date) {
        self.text = text
        self.expires = expires
    }
}

public actor TokenVault {
    public enum Failure: Error, Equatable {
        case duplicate
        case locked
        case other(OSStatus)
    }

    private let service: String
    private var cache: [String: Token] = [:]

    public init(service: String) { self.service = service }

    private func query(_ account: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
            kSecUseDataProtectionKeychain as String: true,
        ]
    }

    public func store(_ token: Token, for account: String) async throws {
        var attributes = query(account)
        attributes[kSecValueData as String] = try JSONEncoder().encode(token)
        attributes[kSecAttrSynchronizable as String] = kCFBooleanFalse
        try check(SecItemAdd(attributes as CFDictionary, nil))
        cache[account] = token
    }

    /// Stores a token that each read asks for.
    public func protect(_ token: Token, for account: String) throws {
        var error: Unmanaged<CFError>?
        guard
            let access = SecAccessControlCreateWithFlags(
                kCFAllocatorDefault, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .userPresence,
                &error)
        else { throw error!.takeRetainedValue() as Error }
        var attributes = query(account)
        attributes[kSecValueData as String] = try JSONEncoder().encode(token)
        attributes[kSecAttrAccessControl as String] = access as Any
        try check(SecItemAdd(attributes as CFDictionary, nil))
    }

    public func token(for account: String, silently: Bool = false) throws -> Token? {
        var query = query(account)
        query[kSecReturnData as String] = kCFBooleanTrue
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        if silently { query[kSecUseAuthenticationUI as String] = kSecUseAuthenticationUIFail }
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        try check(status)
        guard let data = result as? Data else { throw Failure.other(errSecDecode) }
        return try JSONDecoder().decode(Token.self, from: data)
    }

    public func forget(_ account: String) throws {
        cache[account] = nil
        try check(SecItemDelete(query(account) as CFDictionary))
    }

    private func check(_ status: OSStatus) throws {
        switch status {
        case errSecSuccess: return
        case errSecDuplicateItem: throw Failure.duplicate
        case errSecInteractionNotAllowed: throw Failure.locked
        default: throw Failure.other(status)
        }
    }
}
