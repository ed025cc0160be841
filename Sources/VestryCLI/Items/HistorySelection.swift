internal import Vestry

/// The item whose past a command is about: one that is there, or one that was deleted.
enum HistoryAddress {
    case key(ItemKey)
    case reference([UInt8])

    /// Looks up what the arguments name.
    ///
    /// - Parameters:
    ///   - selection: What names an item that is there; where there is none, the one that was deleted
    ///     last of those that it names.
    ///   - keychain: Where it is.
    /// - Throws: `Failure`.
    init(_ selection: ItemSelection, in keychain: Keychain) throws(Failure) {
        if let key = selection.item.key {
            self = try Self.find(key, selection, in: keychain)
        } else if let reference = selection.reference {
            self = .reference(reference)
        } else {
            self = .reference(try Self.record(selection, in: keychain).persistentReference)
        }
    }

    private static func record(
        _ selection: ItemSelection, in keychain: Keychain
    ) throws(Failure) -> ItemRecord {
        do throws(Failure) {
            return try selection.record(in: keychain)
        } catch  where error.code == .itemNotFound {
            let deleted = try reporting { () throws(VestryError) in try keychain.deletedItems() }
            let records = deleted.items.map(\.record).filter(selection.names)
            guard let last = records.first else {
                throw deleted.lockedCount > 0 ? Failure(VestryError(.locked)) : error
            }
            guard records.allSatisfy({ ItemLine.text($0) == ItemLine.text(last) }) else {
                throw Failure(ambiguous: records)
            }
            return last
        }
    }

    /// An item with these names, in whichever group it is; where there is none, one that was deleted, of
    /// the first group.
    private static func find(
        _ key: ItemKey, _ selection: ItemSelection, in keychain: Keychain
    ) throws(Failure) -> HistoryAddress {
        guard selection.item.key(in: keychain) == nil else { return .key(key) }
        do throws(Failure) {
            return .reference(try selection.record(in: keychain).persistentReference)
        } catch  where error.code == .itemNotFound {
            return .key(key)
        }
    }

    func history(in keychain: Keychain) throws(VestryError) -> [HistoryEntry] {
        switch self {
        case .key(let key): try keychain.history(of: key)
        case .reference(let reference): try keychain.history(of: reference)
        }
    }

    func undo(_ number: Int, in keychain: Keychain) throws(VestryError) -> HistoryEntry {
        switch self {
        case .key(let key): try keychain.undo(key, number: number)
        case .reference(let reference): try keychain.undo(reference, number: number)
        }
    }

    func eraseHistory(in keychain: Keychain) throws(VestryError) -> Int {
        switch self {
        case .key(let key): try keychain.eraseHistory(of: key)
        case .reference(let reference): try keychain.eraseHistory(of: reference)
        }
    }

    /// Throws where there is no such item at all.
    func checkItem(in keychain: Keychain) throws(Failure) {
        do throws(VestryError) {
            switch self {
            case .key(let key): _ = try keychain.item(for: key)
            case .reference(let reference):
                _ = try keychain.find(ItemQuery(persistentReference: reference))
            }
        } catch .itemNotFound {
            throw Failure(VestryError(.itemNotFound))
        } catch {
            // It is there, and nothing is kept.
        }
    }
}

extension HistoryEntry {
    /// A word for what it is.
    var word: String {
        switch kind {
        case .oldSecret: "old-secret"
        case .deletedItem: "deleted-item"
        }
    }

    /// On one line: number, what it is, and until when the item had the secret or is kept.
    var text: String {
        let moment =
            switch kind {
            case .oldSecret: replacementDate.map { "replaced " + Moment.text($0) } ?? "locked"
            case .deletedItem: keptUntil.map { "kept until " + Moment.text($0) } ?? ""
            }
        return "\(number)\t\(word)\t\(moment)"
    }

    var json: JSON {
        func date(_ seconds: Int64?) -> JSON { seconds.map(JSON.number) ?? .null }
        return .object([
            .init("number", .number(Int64(number))),
            .init("kind", .string(word)),
            .init("modified", date(modificationDate)),
            .init("replaced", date(replacementDate)),
            .init("keptUntil", date(keptUntil)),
            .init("accessible", .string(accessibility.rawValue)),
            .init(
                "accessControl", .array(AccessControlWord.words(accessControl).map(JSON.string))),
            .init("reference", .string(Hexadecimal.text(persistentReference))),
        ])
    }
}
