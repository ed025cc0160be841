public import Foundation
internal import SecurityNames

// On Apple's systems an NSDictionary is a CFDictionary. Here these functions take one as it is.

/// The same as the function with a `CFDictionary` (Apple: Keychain Services).
///
/// - Parameters:
///   - attributes: With texts as keys; others are `errSecParam`.
///   - result: Where the result goes.
/// - Returns: `errSecSuccess`, or what went wrong.
@discardableResult
public func SecItemAdd(
    _ attributes: NSDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    guard let attributes = attributes as? CFDictionary else { return errSecParam }
    return unsafe SecItemAdd(attributes, result)
}

/// The same as the function with a `CFDictionary` (Apple: Keychain Services).
///
/// - Parameters:
///   - query: With texts as keys; others are `errSecParam`.
///   - result: Where the result goes.
/// - Returns: `errSecSuccess`, or what went wrong.
@discardableResult
public func SecItemCopyMatching(
    _ query: NSDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    guard let query = query as? CFDictionary else { return errSecParam }
    return unsafe SecItemCopyMatching(query, result)
}

/// The same as the function with a `CFDictionary` (Apple: Keychain Services).
///
/// - Parameters:
///   - query: With texts as keys; others are `errSecParam`.
///   - attributesToUpdate: With texts as keys.
/// - Returns: `errSecSuccess`, or what went wrong.
@discardableResult
public func SecItemUpdate(_ query: NSDictionary, _ attributesToUpdate: NSDictionary) -> OSStatus {
    guard let query = query as? CFDictionary, let changes = attributesToUpdate as? CFDictionary
    else { return errSecParam }
    return SecItemUpdate(query, changes)
}

/// The same as the function with a `CFDictionary` (Apple: Keychain Services).
///
/// - Parameter query: With texts as keys; others are `errSecParam`.
/// - Returns: `errSecSuccess`, or what went wrong.
@discardableResult
public func SecItemDelete(_ query: NSDictionary) -> OSStatus {
    guard let query = query as? CFDictionary else { return errSecParam }
    return SecItemDelete(query)
}
