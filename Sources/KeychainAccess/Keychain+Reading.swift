public import Foundation
internal import Vestry

extension Keychain {
    /// Returns a value as text.
    ///
    /// - Parameters:
    ///   - key: The account.
    ///   - ignoringAttributeSynchronizable: Whether synchronizable items and others are found; else
    ///     only those that are like this keychain.
    /// - Returns: Nil where there is no such item, and for no other reason.
    /// - Throws: ``Status/conversionError`` for bytes that are no UTF-8;
    ///   ``Status/interactionNotAllowed`` for an item that is locked or asks for the user;
    ///   ``Status/noSuchKeychain`` for a user who never had one, and other ``Status`` values.
    public func get(
        _ key: String, ignoringAttributeSynchronizable: Bool = true
    ) throws -> String? {
        try getString(key, ignoringAttributeSynchronizable: ignoringAttributeSynchronizable)
    }

    /// Returns a value as text.
    ///
    /// - Parameters:
    ///   - key: The account.
    ///   - ignoringAttributeSynchronizable: As for ``get(_:ignoringAttributeSynchronizable:)``.
    /// - Returns: Nil where there is no such item, and for no other reason.
    /// - Throws: As ``get(_:ignoringAttributeSynchronizable:)``.
    public func getString(
        _ key: String, ignoringAttributeSynchronizable: Bool = true
    ) throws -> String? {
        let record = try record(key, ignoringSynchronizable: ignoringAttributeSynchronizable)
        guard let data = record?.data else { return nil }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw Status.conversionError
        }
        return text
    }

    /// Returns a value as it is.
    ///
    /// - Parameters:
    ///   - key: The account.
    ///   - ignoringAttributeSynchronizable: As for ``get(_:ignoringAttributeSynchronizable:)``.
    /// - Returns: Nil where there is no such item, and for no other reason.
    /// - Throws: As ``get(_:ignoringAttributeSynchronizable:)``, but for the conversion.
    public func getData(
        _ key: String, ignoringAttributeSynchronizable: Bool = true
    ) throws -> Data? {
        try record(key, ignoringSynchronizable: ignoringAttributeSynchronizable)?.data
    }

    /// Gives an item with its attributes and its value to a closure.
    ///
    /// - Parameters:
    ///   - key: The account.
    ///   - ignoringAttributeSynchronizable: As for ``get(_:ignoringAttributeSynchronizable:)``.
    ///   - handler: Gets nil where there is no such item.
    /// - Returns: What the closure returns.
    /// - Throws: As ``getData(_:ignoringAttributeSynchronizable:)``.
    public func get<T>(
        _ key: String, ignoringAttributeSynchronizable: Bool = true,
        handler: (Attributes?) -> T
    ) throws -> T {
        let record = try record(key, ignoringSynchronizable: ignoringAttributeSynchronizable)
        return handler(record.map { Attributes($0) })
    }

    /// Whether there is an item, readable or not.
    ///
    /// A locked item is there. KeychainAccess says so only if `withoutAuthenticationUI` is true, and
    /// says false otherwise; programs took that for "absent" and logged their users out. Nobody is
    /// asked in either case: looking reads no value.
    ///
    /// - Parameters:
    ///   - key: The account.
    ///   - withoutAuthenticationUI: Makes no difference.
    /// - Returns: Also true for items that ask for the user, and for damaged ones.
    /// - Throws: ``Status/interactionNotAllowed`` before the first unlock, when nothing can be said about
    ///   any item; and every other ``Status`` than "not found".
    public func contains(_ key: String, withoutAuthenticationUI: Bool = false) throws -> Bool {
        var query = try options.query(key: key)
        query.authenticationUI = .fail
        query.isOnlyReadable = true
        let store = try store()
        do throws(VestryError) {
            // What cannot be read is counted.
            _ = try store.find(query)
            return true
        } catch .itemNotFound {
            return false
        } catch {
            throw Status(error)
        }
    }

    private func record(
        _ key: String, ignoringSynchronizable: Bool
    ) throws(Status) -> ItemRecord? {
        let query = try options.query(key: key, ignoringSynchronizable: ignoringSynchronizable)
        let store = try store()
        do throws(VestryError) {
            return try store.find(query, wantingSecrets: true).records.first
        } catch .itemNotFound {
            return nil
        } catch {
            throw Status(error)
        }
    }
}
