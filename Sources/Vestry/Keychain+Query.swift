internal import ItemStore
internal import Keybag
public import SecureMemory

extension Keychain {
    /// Adds an item.
    ///
    /// What is left out is as in Apple's Keychain Services: the group is the first of
    /// ``accessGroups``, the item is not synchronizable, and can be read while unlocked
    /// (certificates: after the first unlock).
    ///
    /// - Parameters:
    ///   - itemClass: Any but ``ItemClass/identity``.
    ///   - attributes: Each of the class's; texts and data of at most ``maximumTextByteCount``
    ///     bytes.
    ///   - secret: At most ``maximumSecretByteCount`` bytes.
    /// - Returns: The persistent reference, 16 bytes.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/duplicateItem`` when an item of
    ///   the class has the same primary attributes, locked or not;
    ///   ``VestryError/Code/parameter`` for an attribute of another class or of another type, for a
    ///   synchronizable item that is bound to this device or has access control;
    ///   ``VestryError/Code/readOnlyAttribute``; ``VestryError/Code/missingEntitlement`` for another
    ///   access group; ``VestryError/Code/wrongPassword`` for
    ///   ``Accessibility/whenPasscodeSetThisDeviceOnly`` without a login password;
    ///   ``VestryError/Code/locked``; and the codes of ``set(_:for:label:accessibility:accessControl:)``.
    @discardableResult
    public func add(
        _ itemClass: ItemClass, attributes: [ItemAttribute: AttributeValue],
        secret: borrowing SecretBytes
    ) throws(VestryError) -> [UInt8] {
        try add(itemClass, attributes: attributes, secret: secret, applicationPassword: nil)
    }

    /// Adds an item whose secret opens only with a password of the program's own besides.
    ///
    /// - Parameters:
    ///   - itemClass: As for ``add(_:attributes:secret:)``.
    ///   - attributes: As for ``add(_:attributes:secret:)``.
    ///   - secret: As for ``add(_:attributes:secret:)``.
    ///   - applicationPassword: For an item with ``AccessControl/Flags/applicationPassword``; of no
    ///     account for another one.
    /// - Returns: The persistent reference, 16 bytes.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/parameter`` when the item takes a
    ///   password and there is none, or an empty one; and the codes of
    ///   ``add(_:attributes:secret:)``.
    @discardableResult
    public func add(
        _ itemClass: ItemClass, attributes: [ItemAttribute: AttributeValue],
        secret: borrowing SecretBytes, applicationPassword: ApplicationPassword?
    ) throws(VestryError) -> [UInt8] {
        guard itemClass != .identity else {
            throw VestryError(.parameter, detail: "an identity is a certificate and a key")
        }
        let group = try firstAccessGroup()
        let changes = try ItemChanges(
            attributes, of: itemClass, accessGroups: accessGroups, isUpdate: false)
        try Self.check(secret)
        return try add(
            itemClass, changes, group: group, secret: secret,
            applicationPassword: applicationPassword)
    }

    /// Adds an item with an empty secret.
    ///
    /// - Parameters:
    ///   - itemClass: As for ``add(_:attributes:secret:)``.
    ///   - attributes: As for ``add(_:attributes:secret:)``.
    /// - Returns: The persistent reference, 16 bytes.
    /// - Throws: ``VestryError``, with the codes of ``add(_:attributes:secret:)``.
    @discardableResult
    public func add(
        _ itemClass: ItemClass, attributes: [ItemAttribute: AttributeValue]
    ) throws(VestryError) -> [UInt8] {
        try add(
            itemClass, attributes: attributes, secret: SecretBytes(copying: [UInt8]().span))
    }

    /// Returns the items that a query is about.
    ///
    /// - Parameters:
    ///   - query: Its limit is one unless it says another.
    ///   - wantingSecrets: Whether the records have their secrets.
    /// - Returns: At least one record, or a count of locked or damaged items; in the order in which
    ///   the items were added.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/itemNotFound`` when nothing
    ///   matches; ``VestryError/Code/locked`` when an item among those to return matches, or may
    ///   match, and its class is locked; ``VestryError/Code/parameter`` and
    ///   ``VestryError/Code/missingEntitlement`` as ``add(_:attributes:secret:)``; and the codes of
    ///   ``secret(for:prompt:)``.
    public func find(
        _ query: ItemQuery, wantingSecrets: Bool = false
    ) throws(VestryError) -> ItemMatches {
        try asking(query) { (presence) throws(VestryError) in
            try find(query, wantingSecrets, presence)
        }
    }

    private func find(
        _ query: ItemQuery, _ wantingSecrets: Bool, _ presence: PresenceKeys
    ) throws(VestryError) -> ItemMatches {
        let limit = try query.checkedLimit()
        let store = try openStore()
        let tags = try store.tags()
        guard let items = try store.itemsForReading() else {
            try check(query, tags)
            throw VestryError(.itemNotFound)
        }
        let transaction = ItemTransaction(store, tags, items)
        guard let compiled = try compile(query, in: transaction) else {
            throw VestryError(.itemNotFound)
        }
        let reader = try transaction.reader(of: wantingSecrets ? .metadataAndValue : .metadata)
        var records: [ItemRecord] = []
        var (lockedCount, damagedCount) = (0, 0)
        for number in try transaction.numbers(compiled) where records.count < limit {
            do throws(VestryError) {
                let record = try record(
                    number, compiled, query, wantingSecrets, presence, reader, transaction)
                if let record { records.append(record) }
            } catch
                where query.isOnlyReadable
                && (error.code == .locked || error.code == .wrongPassword)
            {
                // A wrong application password is that of another item.
                lockedCount += 1
            } catch  where query.isOnlyReadable && error.isOfOneItem {
                damagedCount += 1
            }
        }
        guard !records.isEmpty || lockedCount > 0 || damagedCount > 0 else {
            throw VestryError(.itemNotFound)
        }
        return ItemMatches(
            records: records, lockedCount: lockedCount, damagedCount: damagedCount)
    }

    /// Changes attributes of the items that a query is about, of all or of none of them.
    ///
    /// The secret of an item with ``AccessControl/Flags/applicationPassword`` takes its password when
    /// the accessibility changes, or when the password is put on or taken off, and not otherwise.
    ///
    /// - Parameters:
    ///   - query: Its limit is ignored: all matches are changed.
    ///   - attributes: The new values; what is not named stays.
    /// - Returns: How many items were changed, at least one.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/duplicateItem`` when another item
    ///   has the new primary attributes; and the codes of ``find(_:wantingSecrets:)`` and
    ///   ``add(_:attributes:secret:)``.
    @discardableResult
    public func update(
        _ query: ItemQuery, set attributes: [ItemAttribute: AttributeValue]
    ) throws(VestryError) -> Int {
        try asking(query) { (presence) throws(VestryError) in
            let transaction = try changeTransaction(for: query)
            let updates = try pendingUpdates(query, attributes, presence, in: transaction)
            let settings = try historySettings()
            for var pending in updates {
                if pending.needsOldSecret {
                    try transaction.sealOldSecret(in: &pending, presence)
                }
                try transaction.update(pending, keeping: settings)
            }
            try transaction.commit()
            return updates.count
        }
    }

    /// Gives the items that a query is about a new secret, and changes attributes of theirs: of all
    /// or of none of them.
    ///
    /// A new secret of an item with ``AccessControl/Flags/applicationPassword`` is sealed with the
    /// query's ``ItemQuery/applicationPassword``, whatever the old one was; without it, that is
    /// ``VestryError/Code/parameter``.
    ///
    /// - Parameters:
    ///   - query: Its limit is ignored: all matches are changed.
    ///   - attributes: The new values; what is not named stays.
    ///   - secret: At most ``maximumSecretByteCount`` bytes.
    /// - Returns: How many items were changed, at least one.
    /// - Throws: ``VestryError``, with the codes of ``update(_:set:)``.
    @discardableResult
    public func update(
        _ query: ItemQuery, set attributes: [ItemAttribute: AttributeValue] = [:],
        secret: borrowing SecretBytes
    ) throws(VestryError) -> Int {
        try Self.check(secret)
        return try asking(query) { (presence) throws(VestryError) in
            let transaction = try changeTransaction(for: query)
            let updates = try pendingUpdates(query, attributes, presence, in: transaction)
            let settings = try historySettings()
            for var pending in updates {
                try transaction.seal(secret, in: &pending, presence)
                try transaction.update(pending, keeping: settings)
            }
            try transaction.commit()
            return updates.count
        }
    }

    /// Removes the items that a query is about.
    ///
    /// They are kept for a while, as ``delete(_:)-(ItemKey)`` says.
    /// Locked items are removed too, where the query can tell which they are.
    ///
    /// - Parameter query: Its limit is ignored: all matches are removed.
    /// - Returns: How many items were removed, at least one.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/itemNotFound``,
    ///   ``VestryError/Code/locked`` when a locked item may match, and the codes of
    ///   ``find(_:wantingSecrets:)``.
    @discardableResult
    public func delete(_ query: ItemQuery) throws(VestryError) -> Int {
        guard query.persistentReference == nil || query.attributes.isEmpty else {
            throw VestryError(
                .parameter, detail: "a deletion by reference has no other condition")
        }
        return try asking(query) { (presence) throws(VestryError) in
            try delete(query, presence)
        }
    }

    private func delete(_ query: ItemQuery, _ presence: PresenceKeys) throws(VestryError) -> Int {
        let transaction = try changeTransaction(for: query)
        guard let compiled = try compile(query, in: transaction) else {
            throw VestryError(.itemNotFound)
        }
        let reader = try transaction.reader(of: .metadata)
        var doomed: [Int64] = []
        for number in try transaction.numbers(compiled) {
            let row = try reader.publicRow(number)
            guard try isToDelete(row, compiled, query, presence, in: transaction) else { continue }
            doomed.append(number)
        }
        guard !doomed.isEmpty else { throw VestryError(.itemNotFound) }
        try transaction.delete(doomed, keeping: historySettings())
        try transaction.commit()
        return doomed.count
    }
}
