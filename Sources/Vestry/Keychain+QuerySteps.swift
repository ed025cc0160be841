internal import ItemStore
internal import SecureMemory

// The steps that the operations on queries share.
extension Keychain {
    static func check(_ secret: borrowing SecretBytes) throws(VestryError) {
        guard secret.count <= maximumSecretByteCount else {
            throw VestryError(
                .dataTooLarge, detail: "the limit is \(maximumSecretByteCount) bytes")
        }
    }

    /// Checks a query that cannot find anything: a mistake in it is more than "not found".
    func check(_ query: ItemQuery, _ tags: borrowing ItemTags) throws(VestryError) {
        _ = try compile(query, tags)
    }

    /// Checks a query and turns it into tags.
    ///
    /// - Returns: Nil when there is no item with its reference.
    /// - Throws: `VestryError`.
    func compile(
        _ query: ItemQuery, in transaction: borrowing ItemTransaction
    ) throws(VestryError) -> CompiledQuery? {
        let compiled = try compile(query, transaction.tags)
        guard let reference = query.persistentReference else { return compiled }
        guard let actual = try transaction.itemClass(of: reference),
            query.itemClass == nil || query.itemClass == actual
        else { return nil }
        if let compiled { return compiled }
        return try CompiledQuery(
            query, of: actual, accessGroups: usableAccessGroups(), tags: transaction.tags)
    }

    /// A query in terms of tags; nil where its reference will say of which class it is.
    private func compile(
        _ query: ItemQuery, _ tags: borrowing ItemTags
    ) throws(VestryError) -> CompiledQuery? {
        guard let itemClass = query.itemClass else {
            guard query.persistentReference != nil else {
                throw VestryError(.parameter, detail: "the query has no class")
            }
            return nil
        }
        guard itemClass != .identity else {
            throw VestryError(.parameter, detail: "identities are found as such")
        }
        return try CompiledQuery(
            query, of: itemClass, accessGroups: usableAccessGroups(), tags: tags)
    }

    func add(
        _ itemClass: ItemClass, _ changes: ItemChanges, group: String,
        secret: borrowing SecretBytes, applicationPassword: ApplicationPassword? = nil
    ) throws(VestryError) -> [UInt8] {
        let protection = Protection(
            accessibility: changes.accessibility ?? itemClass.defaultAccessibility,
            flags: changes.flags ?? [])
        try protection.check(isSynchronizable: changes.values[.synchronizable] == true)
        let store = try openStore()
        let tags = try store.tags()
        var password: PasswordKey?
        if protection.hasApplicationPassword {
            password = try .new(applicationPassword)
        }
        // Before the file is made: a locked class must not leave an empty one behind.
        _ = try store.unlockedItemKey(protection.accessibility)
        guard let items = try itemsForWriting(in: store, creating: true) else {
            throw VestryError(.inputOutput, detail: "no item file")
        }
        let transaction = ItemTransaction(store, tags, items)
        try transaction.sweep()
        let reference = try transaction.insert(
            itemClass, changes, group: group, secret: secret, password: password)
        try transaction.commit()
        return reference
    }

    /// Begins a change of what a query finds; what is past its end goes first.
    func changeTransaction(for query: ItemQuery) throws(VestryError) -> ItemTransaction {
        guard query.authenticationUI != .skip else {
            throw VestryError(.parameter, detail: "only a search can skip items")
        }
        guard !query.isOnlyReadable else {
            throw VestryError(.parameter, detail: "only a search can leave out locked items")
        }
        let store = try openStore()
        let tags = try store.tags()
        try check(query, tags)
        guard let items = try itemsForWriting(in: store, creating: false) else {
            throw VestryError(.itemNotFound)
        }
        let transaction = ItemTransaction(store, tags, items)
        try transaction.sweep()
        return transaction
    }

    /// The changes of all items that a query finds, at least one.
    func pendingUpdates(
        _ query: ItemQuery, _ attributes: [ItemAttribute: AttributeValue],
        _ presence: PresenceKeys, in transaction: borrowing ItemTransaction
    ) throws(VestryError) -> [PendingUpdate] {
        guard let compiled = try compile(query, in: transaction) else {
            throw VestryError(.itemNotFound)
        }
        let changes = try ItemChanges(
            attributes, of: compiled.itemClass, accessGroups: accessGroups, isUpdate: true)
        let reader = try transaction.reader(of: .metadata)
        var updates: [PendingUpdate] = []
        for number in try transaction.numbers(compiled) {
            let row = try reader.publicRow(number)
            switch try transaction.examine(row, compiled) {
            case .noMatch: continue
            case .locked: throw try transaction.lockedError(row)
            case .match(let protection, let metadata):
                guard
                    try meetsCertificateConditions(
                        row, protection, metadata, query, presence, in: transaction)
                else { continue }
                updates.append(try transaction.prepare(row, protection, metadata, changes))
            }
        }
        guard !updates.isEmpty else { throw VestryError(.itemNotFound) }
        return updates
    }

    /// The record of a row that the tags have found, or nil where it does not match after all or is
    /// to be skipped.
    func record(
        _ number: Int64, _ compiled: CompiledQuery, _ query: ItemQuery, _ wantsSecret: Bool,
        _ presence: PresenceKeys, _ reader: borrowing ItemRowReader,
        _ transaction: borrowing ItemTransaction
    ) throws(VestryError) -> ItemRecord? {
        let row = try reader.publicRow(number)
        switch try transaction.examine(row, compiled) {
        case .noMatch: return nil
        case .locked: throw try transaction.lockedError(row)
        case .match(let protection, let metadata):
            guard
                try meetsCertificateConditions(
                    row, protection, metadata, query, presence, in: transaction)
            else { return nil }
            guard wantsSecret else {
                return ItemRecord(row, protection, metadata, secret: nil)
            }
            if query.authenticationUI == .skip, query.hasQuestion(for: protection) { return nil }
            let secret = try transaction.openSecret(
                of: row, protection, metadata, presence: presence)
            return ItemRecord(row, protection, metadata, secret: secret)
        }
    }
}

extension Keychain {
    /// Whether a row is one to delete; where tags and row say so, it need not be opened.
    func isToDelete(
        _ row: ItemRow, _ compiled: CompiledQuery, _ query: ItemQuery,
        _ presence: PresenceKeys, in transaction: borrowing ItemTransaction
    ) throws(VestryError) -> Bool {
        guard compiled.needsMetadata || query.certificate != nil else {
            return compiled.admits(row, try Protection(row))
        }
        switch try transaction.examine(row, compiled) {
        case .noMatch: return false
        case .locked: throw try transaction.lockedError(row)
        case .match(let protection, let metadata):
            return try meetsCertificateConditions(
                row, protection, metadata, query, presence, in: transaction)
        }
    }
}

extension ItemTransaction {
    /// The class of the item with a reference, or nil.
    func itemClass(of reference: [UInt8]) throws(VestryError) -> ItemClass? {
        let number = try mappingErrors { () throws(ItemStoreError) in
            try items.number(reference: reference)
        }
        guard let number else { return nil }
        return ItemClass(number: try reader(of: .metadata).publicRow(number).itemClass)
    }

    func row(primaryTag: [UInt8]) throws(VestryError) -> ItemRow? {
        try mappingErrors { () throws(ItemStoreError) in
            try items.row(primaryTag: primaryTag, boxes: .metadataAndValue)
        }
    }
}

extension ItemRowReader {
    /// ``row(_:)`` with public errors.
    func publicRow(_ number: Int64) throws(VestryError) -> ItemRow {
        try mappingErrors { () throws(ItemStoreError) in try row(number) }
    }
}

extension ItemQuery {
    /// Whether somebody would be asked before the secret of an item is read.
    func hasQuestion(for protection: Protection) -> Bool {
        protection.needsPresence
            || (protection.hasApplicationPassword && applicationPassword == nil)
    }

    /// How many items a search returns at most.
    func checkedLimit() throws(VestryError) -> Int {
        switch limit {
        case .one, nil: return 1
        case .all: return .max
        case .number(let number):
            guard number > 0 else {
                throw VestryError(.parameter, detail: "a limit is at least one")
            }
            return number
        }
    }
}

extension VestryError {
    /// Whether the error says something about one item, and nothing about the keychain.
    var isOfOneItem: Bool { code == .itemDamaged || code == .newerFormat }
}
