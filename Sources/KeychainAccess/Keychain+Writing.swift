public import Foundation
internal import SecureMemory
internal import Vestry

extension Keychain {
    /// Adds an item, or gives the one that is there a new value and what this keychain writes.
    ///
    /// - Parameters:
    ///   - value: Stored as UTF-8.
    ///   - key: The account.
    ///   - ignoringAttributeSynchronizable: Whether an item is looked for among synchronizable ones
    ///     and others; else a new one is added unless there is one like this keychain.
    /// - Throws: ``Status/interactionNotAllowed`` when the item or its class is locked;
    ///   ``Status/param`` for what does not go together; ``Status/dataTooLarge`` above 8 MiB;
    ///   ``Status/noSuchKeychain`` for a user who never had one, and other ``Status`` values.
    public func set(
        _ value: String, key: String, ignoringAttributeSynchronizable: Bool = true
    ) throws {
        try set(
            Data(value.utf8), key: key,
            ignoringAttributeSynchronizable: ignoringAttributeSynchronizable)
    }

    /// Adds an item, or gives the one that is there a new value and what this keychain writes.
    ///
    /// - Parameters:
    ///   - value: Any bytes; none are not the same as no item.
    ///   - key: The account.
    ///   - ignoringAttributeSynchronizable: As for the twin that takes text.
    /// - Throws: As the twin that takes text.
    public func set(
        _ value: Data, key: String, ignoringAttributeSynchronizable: Bool = true
    ) throws {
        let store = try store()
        // Another program may add or remove the item between two steps; so often in a row it does
        // not.
        for attempt in 1...Self.maximumAttempts {
            let isLast = attempt == Self.maximumAttempts
            if try ignoringAttributeSynchronizable || exists(key, in: store) {
                if try update(key, to: value, in: store) { return }
                // The probe found it, and it went.
                guard ignoringAttributeSynchronizable else { continue }
            }
            if try add(key, value, to: store, orThrow: isLast) { return }
        }
    }

    /// Removes an item; none is no error.
    ///
    /// - Parameters:
    ///   - key: The account.
    ///   - ignoringAttributeSynchronizable: Whether synchronizable items and others are removed; else
    ///     only one that is like this keychain.
    /// - Throws: A ``Status``. Locked items are removed too.
    public func remove(_ key: String, ignoringAttributeSynchronizable: Bool = true) throws {
        try delete(
            options.changeQuery(
                key: key, ignoringSynchronizable: ignoringAttributeSynchronizable))
    }

    /// Removes all items of this keychain; none is no error.
    ///
    /// - Throws: A ``Status``. Locked items are removed too.
    public func removeAll() throws {
        try delete(options.changeQuery())
    }

    private static var maximumAttempts: Int { 100 }

    private func delete(_ query: ItemQuery) throws(Status) {
        let store = try store()
        do throws(VestryError) {
            try store.delete(query)
        } catch .itemNotFound {
            // What was to be gone is not there.
        } catch {
            throw Status(error)
        }
    }

    /// Whether there is an item like this keychain; a locked one is there.
    private func exists(_ key: String, in store: Vestry.Keychain) throws(Status) -> Bool {
        var query = try options.query(key: key, ignoringSynchronizable: false)
        if options.authenticationUI == nil { query.authenticationUI = .fail }
        do throws(VestryError) {
            _ = try store.find(query)
            return true
        } catch .itemNotFound {
            return false
        } catch .locked {
            return true
        } catch {
            throw Status(error)
        }
    }

    /// - Returns: False where there is no item to update.
    private func update(
        _ key: String, to value: Data, in store: Vestry.Keychain
    ) throws(Status) -> Bool {
        let written = try WrittenItem(value, key: nil, options)
        let query = try options.changeQuery(key: key)
        do throws(VestryError) {
            try store.update(query, set: written.attributes, secret: written.secret())
            return true
        } catch .itemNotFound {
            return false
        } catch {
            throw Status(error)
        }
    }

    /// - Returns: False where there is such an item already.
    private func add(
        _ key: String, _ value: Data, to store: Vestry.Keychain, orThrow isLast: Bool
    ) throws(Status) -> Bool {
        let written = try WrittenItem(value, key: key, options)
        do throws(VestryError) {
            try store.add(
                options.itemClass.stored, attributes: written.attributes,
                secret: written.secret(),
                applicationPassword: options.authenticationContext?.applicationPassword)
            return true
        } catch  where error.code == .duplicateItem && !isLast {
            return false
        } catch {
            throw Status(error)
        }
    }
}

extension WrittenItem {
    /// The value as the store takes it.
    fileprivate func secret() -> SecretBytes { SecretBytes(copying: value.span) }
}
