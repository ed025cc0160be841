internal import SecureMemory
internal import Vestry

/// A `vestry_keychain`.
final class KeychainHolder: Sendable {
    enum Mode {
        case addOrUpdate
        case addOnly
        case updateOnly
    }

    private let keychain: Keychain

    init(_ keychain: Keychain) { self.keychain = keychain }

    /// The keychain, for an item that may name its group.
    ///
    /// - Parameter item: Nil for none.
    /// - Returns: The keychain; where a group is named, of that group alone.
    func keychain(for item: ItemHolder? = nil) -> Keychain {
        guard let group = item?[.group] else { return keychain }
        var copy = keychain
        copy.accessGroups = [group]
        return copy
    }

    /// Reads the secret of the one item that is meant.
    func secret(of item: ItemHolder) throws(VestryError) -> SecretHolder {
        let keychain = keychain(for: item)
        if let key = item.key(in: keychain) {
            return SecretHolder(copying: try keychain.secret(for: key))
        }
        let reference = try theOne(item.query(), in: keychain)
        let records = try keychain.find(
            ItemQuery(persistentReference: reference), wantingSecrets: true
        ).records
        let secret = records.first?.withSecret { SecretHolder(copying: $0) }
        guard let secret else { throw VestryError(.itemNotFound) }
        return secret
    }

    /// Removes the one item that is meant.
    func delete(_ item: ItemHolder) throws(VestryError) {
        let keychain = keychain(for: item)
        if let key = item.key(in: keychain) { return try keychain.delete(key) }
        let query = try item.query()
        guard query.persistentReference == nil else {
            try keychain.delete(query)
            return
        }
        try query.checkNamesSomething()
        var search = query
        search.limit = .number(2)
        search.isOnlyReadable = true
        let found = try keychain.find(search)
        guard found.records.count + found.lockedCount + found.damagedCount == 1 else {
            throw VestryError(parameter: "several items match")
        }
        let record = found.records.first
        try keychain.delete(
            record.map { ItemQuery(persistentReference: $0.persistentReference) } ?? query)
    }

    /// The reference of the only item that matches.
    private func theOne(_ query: ItemQuery, in keychain: Keychain) throws(VestryError) -> [UInt8] {
        var query = query
        try query.checkNamesSomething()
        query.limit = .number(2)
        let records = try keychain.find(query).records
        guard let record = records.first else { throw VestryError(.itemNotFound) }
        guard records.count == 1 else { throw VestryError(parameter: "several items match") }
        return record.persistentReference
    }

    /// Stores a secret by service and account.
    func store(_ secret: borrowing SecretBytes, for key: ItemKey) throws(VestryError) {
        let item = ItemHolder(key)
        guard item.key(in: keychain) != nil else {
            return try store(secret, as: item, .addOrUpdate)
        }
        try keychain.set(secret, for: key)
    }

    /// Stores a secret with the attributes of an item.
    func store(
        _ secret: borrowing SecretBytes, as item: ItemHolder, _ mode: Mode
    ) throws(VestryError) {
        let keychain = keychain(for: item)
        let itemClass = item.itemClass
        let (names, values) = try item.namesAndValues()
        let changes = values.filter { !$0.key.isPrimary(in: itemClass) }
        var newValues = values
        if newValues[.accessible] == nil {
            newValues[.accessible] = .string(Accessibility.afterFirstUnlock.appleName)
        }
        var query = ItemQuery(itemClass, names)
        query.synchronizable = values[.synchronizable]?.bool == true ? .yes : .no
        // Each turn more means that another program has added or removed the item meanwhile.
        for _ in 0..<1000 {
            if mode != .addOnly {
                do throws(VestryError) {
                    try keychain.update(query, set: changes, secret: secret)
                    return
                } catch  where error.code == .itemNotFound && mode == .addOrUpdate {
                    // It is to be made.
                }
            }
            do throws(VestryError) {
                try keychain.add(itemClass, attributes: newValues, secret: secret)
                return
            } catch  where error.code == .duplicateItem && mode == .addOrUpdate {
                continue
            }
        }
        throw VestryError(.busy)
    }

    /// Finds items.
    ///
    /// - Parameter item: Nil for every generic password.
    /// - Returns: Those that can be read, and how many more there are.
    /// - Throws: `VestryError`.
    func list(_ item: ItemHolder?) throws(VestryError) -> ListHolder {
        var query = try item?.query() ?? ItemQuery(.genericPassword)
        query.limit = .all
        query.isOnlyReadable = true
        do throws(VestryError) {
            return ListHolder(try keychain(for: item).find(query))
        } catch .itemNotFound {
            return ListHolder()
        }
    }
}

extension ItemQuery {
    /// Refuses to take "everything" for one item.
    fileprivate func checkNamesSomething() throws(VestryError) {
        guard persistentReference != nil || !attributes.isEmpty else {
            throw VestryError(parameter: "the item has no attribute to find it by")
        }
    }
}

/// A `vestry_list`.
final class ListHolder {
    let items: [ItemHolder]
    let lockedCount: Int
    let damagedCount: Int

    init() { (items, lockedCount, damagedCount) = ([], 0, 0) }

    init(_ matches: ItemMatches) {
        items = matches.records.map { ItemHolder($0) }
        lockedCount = matches.lockedCount
        damagedCount = matches.damagedCount
    }
}
