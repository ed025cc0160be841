internal import Foundation
internal import SecureMemory
internal import SecurityNames
internal import Vestry

// The four functions of Keychain Services, on the keychain of the user who runs the program.
//
// Vestry's secrets are in guarded memory that is zeroed; this interface must speak `Data`, which is
// not. The bytes are copied from one to the other in this file and in SecItemRequest, and from then
// on they are the program's to wipe.

/// Adds an item (Apple: Keychain Services).
///
/// Without `kSecAttrAccessible` the item can be read while unlocked; without
/// `kSecAttrSynchronizable` it is not synchronizable.
///
/// A certificate is added with its DER as `kSecValueData`, or as `kSecValueRef`; its subject, issuer
/// and serial number become attributes. So it is with a key: type, class, size and the hash that joins
/// it with its certificate come from it unless they are given, where it is one of RSA or of an
/// elliptic curve. An identity is added as `kSecValueRef`: as its certificate and its key, of which
/// one may be there already.
///
/// - Parameters:
///   - attributes: The class, attributes, the secret as `kSecValueData`, and what to return.
///   - result: Where it goes, if anything is asked for; nil for nowhere.
/// - Returns: `errSecSuccess`; `errSecDuplicateItem` when an item has the same primary attributes;
///   `errSecParam` for an unknown key, a value of another type, what does not go together, or an
///   item that takes an application password without a context that has one; `errSecNoSuchClass`;
///   `errSecInteractionNotAllowed` when the item's class is locked; `errSecAuthFailed` for
///   `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly` without a login password;
///   `errSecMissingEntitlement` for another access group; or the number of another `VestryError`.
@discardableResult
public func SecItemAdd(
    _ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    status { () throws(VestryError) in
        let request = try SecItemRequest(attributes, for: .add)
        let keychain = try CurrentKeychain.keychain()
        let added = try keychain.add(request)
        guard let result = unsafe result, !request.returns.isEmpty else { return }
        let query = ItemQuery(persistentReference: added.persistentReference)
        let found = try keychain.find(query).records.map { record in
            FoundItem(record, secret: added.secret, reference: added.object(of: record))
        }
        unsafe result.pointee = request.result(found)
    }
}

/// Returns what is asked for of the items that match (Apple: Keychain Services).
///
/// Items that are not synchronizable match unless the query says otherwise. Locked items are never
/// reported as missing, and never silently left out.
///
/// - Parameters:
///   - query: The class or a persistent reference, attributes, a limit (one unless it says
///     another), and what to return.
///   - result: Where it goes: data (`kSecReturnData`), a dictionary (`kSecReturnAttributes`), an
///     object (`kSecReturnRef`), persistent references, or a dictionary with several of these; an
///     array where the limit is above one. In the order in which the items were added. Passwords have
///     no object, as on Apple's systems without the Mac's file keychain: their dictionaries have no
///     `kSecValueRef`, and where nothing else is asked for, there is no result.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecInteractionNotAllowed` when an item
///   among those to return is locked, or asks for the user; `errSecParam` also when something is
///   asked for and `result` is nil; `errSecUnsupportedOperation` for a condition on certificates in
///   a query for another class; and the codes of ``SecItemAdd(_:_:)``.
@discardableResult
public func SecItemCopyMatching(
    _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    status { () throws(VestryError) in
        let request = try SecItemRequest(query, for: .copy)
        if unsafe result == nil, !request.returns.isEmpty { throw VestryError(.parameter) }
        let found = try CurrentKeychain.keychain().find(request)
        unsafe result?.pointee = request.result(found)
    }
}

/// Changes all items that match, or none of them (Apple: Keychain Services).
///
/// - Parameters:
///   - query: As for ``SecItemCopyMatching(_:_:)``, without anything to return.
///   - attributesToUpdate: The new attributes and the new secret; no class and nothing else. What is
///     not named stays.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecDuplicateItem` when another item has the
///   new primary attributes; and the codes of ``SecItemAdd(_:_:)``.
@discardableResult
public func SecItemUpdate(
    _ query: CFDictionary, _ attributesToUpdate: CFDictionary
) -> OSStatus {
    status { () throws(VestryError) in
        let request = try SecItemRequest(query, for: .update)
        let change = try SecItemRequest(attributesToUpdate, for: .change)
        let keychain = try CurrentKeychain.keychain()
        let query = try keychain.query(request)
        if let secret = change.secret {
            try keychain.update(query, set: change.attributes, secret: secretBytes(secret))
        } else {
            try keychain.update(query, set: change.attributes)
        }
    }
}

/// Removes all items that match, locked ones included (Apple: Keychain Services).
///
/// - Parameter query: The class or a persistent reference, and attributes. Of the `kSecMatch…` keys
///   only the limit `kSecMatchLimitAll` is allowed, which Apple's two keychains do not agree about;
///   what is to be returned and a secret are ignored.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecInteractionNotAllowed` when the keychain
///   was never unlocked since boot; and the codes of ``SecItemAdd(_:_:)``.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    status { () throws(VestryError) in
        let request = try SecItemRequest(query, for: .delete)
        try CurrentKeychain.keychain().delete(request)
    }
}

/// Which keychain the functions work on.
enum CurrentKeychain {
    /// For tests, which have a keychain of their own.
    @TaskLocal static var override: Keychain?

    static func keychain() throws(VestryError) -> Keychain {
        if let override { return override }
        return try Keychain()
    }
}

private func status(_ body: () throws(VestryError) -> Void) -> OSStatus {
    do throws(VestryError) {
        try body()
        return errSecSuccess
    } catch {
        // Where Apple has the condition, the code is Apple's number.
        return error.code.rawValue
    }
}

func secretBytes(_ data: Data) -> SecretBytes {
    SecretBytes(copying: data.span)
}
