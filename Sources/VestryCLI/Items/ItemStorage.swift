internal import SecureMemory
internal import Vestry

/// How an item is written: with which attributes, and whether there may or must be an old one.
struct ItemStorage: Equatable {
    enum Mode: Equatable {
        case addOrUpdate
        case addOnly
        case updateOnly
    }

    enum Outcome: Equatable {
        /// With its reference.
        case added([UInt8])
        case updated
    }

    let item: ItemArguments
    let mode: Mode
    private let accessControl: AccessControl.Flags?

    static let options: [Arguments.Option] =
        AttributeOption.giving.map { .value($0.name) } + ItemArguments.options
        + [
            .value("--access-control"), .flag("--require-password"), .flag("--add-only"),
            .flag("--update-only"),
        ]

    /// The options, for `--help`.
    static let usage = """
        \(AttributeOption.usage(lines: [
            ("--add-only", "only as a new item; one that is there is exit status 7"),
            ("--update-only", "only in place of an item; where there is none, exit status 3"),
            ("--class WORD", "generic-password (where nothing says otherwise),"),
            ("", "internet-password, certificate or key"),
        ]))
        \(AttributeOption.usage(AttributeOption.giving))
        \(AttributeOption.usage(lines: [
            ("--access-control WORD", "what a read asks for besides: user-presence,"),
            ("", "device-passcode, or none"),
            ("--require-password", "as --access-control user-presence: the login password"),
            ("--group TEXT", "the access group, 'default' unless given"),
            ("--synchronizable yes|no", "whether the item may be carried to other devices"),
        ]))

        A new item gets after-first-unlock unless given; one that is there keeps what is not given.

        \(ClassArgument.usage)
        """

    init(
        _ arguments: Arguments, class givenClass: ItemClass? = nil, of command: (some Command).Type
    ) throws(UsageError) {
        item = try ItemArguments(
            arguments, options: AttributeOption.giving, operands: .name, class: givenClass,
            of: command)
        switch (arguments.has("--add-only"), arguments.has("--update-only")) {
        case (true, true):
            throw command.usageError("--add-only and --update-only exclude each other")
        case (true, false): mode = .addOnly
        case (false, true): mode = .updateOnly
        case (false, false): mode = .addOrUpdate
        }
        guard item.synchronizable != .any else {
            throw command.usageError("option '--synchronizable' needs yes or no here")
        }
        accessControl = try Self.accessControl(arguments, of: command)
    }

    private static func accessControl(
        _ arguments: Arguments, of command: (some Command).Type
    ) throws(UsageError) -> AccessControl.Flags? {
        guard let text = arguments.value(of: "--access-control") else {
            return arguments.has("--require-password") ? .userPresence : nil
        }
        guard !arguments.has("--require-password") else {
            throw command.usageError("--require-password is an access control too")
        }
        guard let flags = AccessControlWord.flags(text) else {
            let words = AccessControlWord.all.map(\.word).joined(separator: ", ")
            throw command.usageError(
                "option '--access-control' needs none, or some of \(words), with commas between")
        }
        return flags
    }

    /// Refuses an item that nothing would name.
    func checkNamesPassword(of command: (some Command).Type) throws(UsageError) {
        switch item.itemClass {
        case .genericPassword where item.values[.service] == nil:
            throw command.usageError("expected SERVICE and ACCOUNT")
        case .internetPassword where item.values[.server] == nil:
            throw command.usageError("an internet password needs --server")
        case .certificate, .key:
            throw command.usageError(
                "give it from a file, with --certificate FILE or --key FILE")
        default:
            return
        }
    }

    /// All attributes that are given.
    ///
    /// - Parameter accessibility: What stands beside an access control where none is given.
    /// - Returns: The attributes, the primary ones too.
    private func attributes(
        beside accessibility: Accessibility
    ) -> [ItemAttribute: AttributeValue] {
        var attributes = item.values
        if let synchronizable = item.synchronizable {
            attributes[.synchronizable] = .bool(synchronizable == .yes)
        }
        if let accessControl {
            let given = item.values[.accessible]?.string.flatMap { Accessibility(appleName: $0) }
            attributes[.accessControl] = .data(
                AccessControl(given ?? accessibility, accessControl).encoded)
        }
        return attributes
    }

    /// The attributes of an item that is made.
    var newAttributes: [ItemAttribute: AttributeValue] {
        var attributes = attributes(beside: .afterFirstUnlock)
        if attributes[.accessible] == nil, attributes[.accessControl] == nil {
            attributes[.accessible] = .string(Accessibility.afterFirstUnlock.appleName)
        }
        return attributes
    }

    /// The password with the same primary attributes; those that are not given are empty.
    var query: ItemQuery {
        var query = ItemQuery(item.itemClass)
        for attribute in Self.names where attribute.isPrimary(in: item.itemClass) {
            query.attributes[attribute] =
                item.values[attribute] ?? (attribute.kind == .number ? .number(0) : .string(""))
        }
        query.synchronizable = item.synchronizable ?? .no
        return query
    }

    private static let names: [ItemAttribute] = [
        .service, .account, .server, .networkProtocol, .authenticationType, .port, .path,
        .securityDomain,
    ]

    /// What changes in an item that is there.
    private func changes(
        in keychain: Keychain
    ) throws(VestryError) -> [ItemAttribute: AttributeValue] {
        var accessibility = Accessibility.afterFirstUnlock
        if accessControl != nil, item.values[.accessible] == nil {
            // An access control names the accessibility too, which is to stay.
            accessibility = try keychain.find(query).records.first?.accessibility ?? accessibility
        }
        return attributes(beside: accessibility).filter {
            !$0.key.isPrimary(in: item.itemClass)
        }
    }

    /// Changes the attributes of a password that is there, and leaves its secret.
    func update(in keychain: Keychain) throws(Failure) -> Outcome {
        do throws(VestryError) {
            try keychain.update(query, set: try changes(in: keychain))
            return .updated
        } catch {
            throw Failure(error)
        }
    }

    /// Stores a password.
    func store(_ secret: borrowing SecretBytes, in keychain: Keychain) throws(Failure) -> Outcome {
        do throws(VestryError) {
            return try attempt(secret, in: keychain)
        } catch {
            throw Failure(error)
        }
    }

    private func attempt(
        _ secret: borrowing SecretBytes, in keychain: Keychain
    ) throws(VestryError) -> Outcome {
        // Each turn more means that another program has added or removed the item meanwhile.
        for _ in 0..<1000 {
            if mode != .addOnly {
                do throws(VestryError) {
                    try keychain.update(query, set: try changes(in: keychain), secret: secret)
                    return .updated
                } catch  where error.code == .itemNotFound && mode == .addOrUpdate {
                    // It is to be made.
                }
            }
            do throws(VestryError) {
                return .added(
                    try keychain.add(item.itemClass, attributes: newAttributes, secret: secret))
            } catch  where error.code == .duplicateItem && mode == .addOrUpdate {
                continue
            }
        }
        throw VestryError(.busy)
    }

    /// What `--json` prints about an outcome.
    func json(_ outcome: Outcome, in keychain: Keychain) -> JSON {
        let reference: [UInt8]?
        switch outcome {
        case .added(let bytes): reference = bytes
        case .updated: reference = (try? keychain.find(query))?.records.first?.persistentReference
        }
        return .object([
            .init("result", .string(outcome == .updated ? "updated" : "added")),
            .init("reference", reference.map { .string(Hexadecimal.text($0)) } ?? .null),
        ])
    }
}
