internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// Which items a command is about: conditions on their attributes, or a reference.
struct ItemSelection: Equatable {
    let item: ItemArguments
    let reference: [UInt8]?
    /// Whether the oldest is meant where several match.
    let isFirst: Bool

    static let options: [Arguments.Option] =
        AttributeOption.all.map { .value($0.name) } + ItemArguments.options
        + [.value("--reference")]

    /// The options, for `--help`.
    static let usage = """
        What names an item, all of it together:

        \(AttributeOption.usage(lines: [
            ("--class WORD", "generic-password (where nothing says otherwise),"),
            ("", "internet-password, certificate or key"),
        ]))
        \(AttributeOption.usage(AttributeOption.all))
        \(AttributeOption.usage(lines: [
            ("--group TEXT", "the access group, 'default' unless given"),
            ("--synchronizable yes|no|any", "no unless given"),
            ("--reference HEX", "the item's own name, which 'vestry show' tells"),
        ]))

        """

    init(
        _ arguments: Arguments, operands: ItemArguments.Operands = .name,
        class givenClass: ItemClass? = nil, allowsEveryClass: Bool = false,
        of command: (some Command).Type
    ) throws(UsageError) {
        item = try ItemArguments(
            arguments, options: AttributeOption.all, operands: operands, class: givenClass,
            allowsEveryClass: allowsEveryClass, of: command)
        isFirst = arguments.has("--first")
        guard let text = arguments.value(of: "--reference") else {
            reference = nil
            return
        }
        guard let bytes = Hexadecimal.bytes(text), bytes.count == 16 else {
            throw command.usageError("option '--reference' needs 32 hexadecimal digits")
        }
        guard item.values.isEmpty, item.synchronizable == nil else {
            throw command.usageError("option '--reference' names the item without the others")
        }
        reference = bytes
    }

    /// Whether anything was said that an item could be found by.
    var isEmpty: Bool { item.values.isEmpty && reference == nil }

    /// Refuses to take "everything" for one item.
    func checkNamesSomething(of command: (some Command).Type) throws(UsageError) {
        guard !isEmpty else {
            let expectation = ItemArguments.expectation(item.itemClass, .name)
            throw command.usageError(
                item.itemClass == .genericPassword
                    ? expectation : "expected an option that names the item")
        }
    }

    /// The items that match.
    var query: ItemQuery {
        if let reference { return ItemQuery(persistentReference: reference) }
        var query = ItemQuery(item.itemClass, item.values)
        query.synchronizable = item.synchronizable ?? .no
        return query
    }

    /// Whether it names this item, by attributes: as ``query`` finds it where it is not deleted.
    func names(_ record: ItemRecord) -> Bool {
        let isSynchronizable = record[.synchronizable]?.bool ?? false
        let isOfKind =
            switch item.synchronizable ?? .no {
            case .any: true
            case .yes: isSynchronizable
            case .no: !isSynchronizable
            }
        return isOfKind && record.itemClass == item.itemClass
            && item.values.allSatisfy { record[$0.key] == $0.value }
    }

    /// The one item that is meant.
    ///
    /// - Parameter keychain: Where it is.
    /// - Returns: Its attributes, without its secret.
    /// - Throws: `Failure`; also when several match and the oldest was not asked for.
    func record(in keychain: Keychain) throws(Failure) -> ItemRecord {
        var query = query
        query.limit = isFirst ? .one : .all
        let found = try reporting { () throws(VestryError) in try keychain.find(query) }
        guard let record = found.records.first else { throw Failure(VestryError(.itemNotFound)) }
        guard found.records.count == 1 else { throw Failure(ambiguous: found.records) }
        return record
    }

    /// What reads the one item that is meant: looked up before it is opened, so that nobody is
    /// asked for the wrong one.
    func address(in keychain: Keychain) throws(Failure) -> ItemAddress {
        if let key = item.key(in: keychain) { return .key(key) }
        return .reference(try record(in: keychain).persistentReference)
    }
}

/// One item, of whatever class.
enum ItemAddress {
    /// A generic password, which one indexed read finds.
    case key(ItemKey)
    case reference([UInt8])

    /// The item's secret.
    func secret(in keychain: Keychain) throws(VestryError) -> SecretBytes {
        switch self {
        case .key(let key):
            return try keychain.secret(for: key)
        case .reference:
            let secret = try record(in: keychain).withSecret { secret in
                secret.withBytes { SecretBytes(copying: $0) }
            }
            guard let secret else { throw VestryError(.itemNotFound) }
            return secret
        }
    }

    /// The item with its secret.
    func record(in keychain: Keychain) throws(VestryError) -> ItemRecord {
        let query =
            switch self {
            case .key(let key):
                ItemQuery(
                    .genericPassword,
                    [.service: .string(key.service), .account: .string(key.account)])
            case .reference(let reference): ItemQuery(persistentReference: reference)
            }
        guard let record = try keychain.find(query, wantingSecrets: true).records.first else {
            throw VestryError(.itemNotFound)
        }
        return record
    }
}

extension Failure {
    /// The reason where several items match and one was meant.
    static let ambiguous = "ambiguous"

    /// Several items are one too many; the message lists what tells them apart.
    init(ambiguous records: [ItemRecord]) {
        let limit = 10
        var lines = records.prefix(limit).map { "  " + ItemLine.text($0) }
        if records.count > limit { lines.append("  ...") }
        self.init(
            .usage,
            records.count.counted("item matches", "items match") + ":\n"
                + lines.joined(separator: "\n"),
            reason: Self.ambiguous,
            hint: "name the one that you mean by more options, or by --reference")
    }
}

/// An item on one line: what people know it by.
enum ItemLine {
    static func text(_ record: ItemRecord) -> String {
        fields(record).map(\.escapedForTerminal).joined(separator: "\t")
    }

    /// The same, to sort by.
    static func fields(_ record: ItemRecord) -> [String] {
        switch record.itemClass {
        case .genericPassword:
            [record[.service]?.string ?? "", record[.account]?.string ?? ""]
        case .internetPassword:
            [record[.server]?.string ?? "", record[.account]?.string ?? ""]
        case .certificate, .key, .identity:
            [record[.label]?.string ?? "", Hexadecimal.text(record.persistentReference)]
        }
    }

    /// By the bytes of one field after the other: the same everywhere, whatever the locale.
    static func precedes(_ left: ItemRecord, _ right: ItemRecord) -> Bool {
        for (left, right) in zip(fields(left), fields(right))
        where !left.utf8.elementsEqual(right.utf8) {
            return left.utf8.lexicographicallyPrecedes(right.utf8)
        }
        return false
    }
}
