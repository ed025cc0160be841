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
    ///   - secret: At most ``maximumSecretByteCount`` bytes; nil stores an empty one.
    /// - Returns: The persistent reference, 16 bytes.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/duplicateItem`` when an item of
    ///   the class has the same primary attributes, locked or not;
    ///   ``VestryError/Code/parameter`` for an attribute of another class or of another type, for a
    ///   synchronizable item that is bound to this device or has access control;
    ///   ``VestryError/Code/readOnlyAttribute``; ``VestryError/Code/missingEntitlement`` for another
    ///   access group; ``VestryError/Code/wrongPassword`` for
    ///   ``Accessibility/whenPasscodeSetThisDeviceOnly`` without a login password;
    ///   ``VestryError/Code/locked``; and the codes of ``set(_:for:label:accessibility:)``.
    @discardableResult
    public func add(
        _ itemClass: ItemClass, attributes: [ItemAttribute: AttributeValue],
        secret: borrowing SecretBytes?
    ) throws(VestryError) -> [UInt8] {
        throw VestryError(.unimplemented)
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
    ///   ``secret(for:)``.
    public func find(
        _ query: ItemQuery, wantingSecrets: Bool = false
    ) throws(VestryError) -> ItemMatches {
        throw VestryError(.unimplemented)
    }

    /// Changes the items that a query is about, all or none of them.
    ///
    /// - Parameters:
    ///   - query: Its limit is ignored: all matches are changed.
    ///   - attributes: The new values; what is not named stays.
    ///   - secret: The new secret; nil leaves it as it is.
    /// - Returns: How many items were changed, at least one.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/duplicateItem`` when another item
    ///   has the new primary attributes; and the codes of ``find(_:wantingSecrets:)`` and
    ///   ``add(_:attributes:secret:)``.
    @discardableResult
    public func update(
        _ query: ItemQuery, set attributes: [ItemAttribute: AttributeValue],
        secret: borrowing SecretBytes? = nil
    ) throws(VestryError) -> Int {
        throw VestryError(.unimplemented)
    }

    /// Removes the items that a query is about, and overwrites their bytes in the file.
    ///
    /// Locked items are removed too, where the query can tell which they are.
    ///
    /// - Parameter query: Its limit is ignored: all matches are removed.
    /// - Returns: How many items were removed, at least one.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/itemNotFound``,
    ///   ``VestryError/Code/locked`` when a locked item may match, and the codes of
    ///   ``find(_:wantingSecrets:)``.
    @discardableResult
    public func delete(_ query: ItemQuery) throws(VestryError) -> Int {
        throw VestryError(.unimplemented)
    }
}
