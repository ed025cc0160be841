internal import Vestry

/// What the arguments say about an item: its class, and values of its attributes.
///
/// A generic password is named by the operands SERVICE and ACCOUNT, an internet password by
/// `--server` and the operand ACCOUNT; everything can be said in options too.
struct ItemArguments: Equatable {
    /// What is written in the operands.
    enum Operands {
        /// SERVICE ACCOUNT, or ACCOUNT of an internet password.
        case name
        /// SERVICE, or the server of an internet password.
        case place
    }

    let itemClass: ItemClass
    let values: [ItemAttribute: AttributeValue]
    /// The access group; nil for the one that items have when nobody names any.
    let group: String?
    /// Nil where nothing was said about it.
    let synchronizable: ItemQuery.Synchronizability?

    /// The options beside those for attributes.
    static let options: [Arguments.Option] = [
        .value("--class"), .value("--group"), .value("--synchronizable"),
    ]

    /// Reads options and operands.
    ///
    /// - Parameters:
    ///   - arguments: Those of the command.
    ///   - options: The attributes' options.
    ///   - operands: What the operands stand for.
    ///   - givenClass: What something else in the arguments says about the class.
    ///   - allowsEveryClass: Whether `--class` can be `any`, which is left to the caller.
    ///   - command: For messages.
    /// - Throws: `UsageError`.
    init(
        _ arguments: Arguments, options: [AttributeOption], operands: Operands,
        class givenClass: ItemClass? = nil, allowsEveryClass: Bool = false,
        of command: (some Command).Type
    ) throws(UsageError) {
        let given = options.filter { arguments.value(of: $0.name) != nil }
        let isOfEveryClass =
            allowsEveryClass && arguments.value(of: "--class") == ItemClass.anyWord
        let itemClass =
            isOfEveryClass
            ? .genericPassword : try Self.itemClass(arguments, given, givenClass, of: command)
        var values: [ItemAttribute: AttributeValue] = [:]
        for option in given {
            guard option.attribute.belongs(to: itemClass) else {
                throw command.usageError(
                    "option '\(option.name)' is not for the class \(itemClass.word)")
            }
            guard values[option.attribute] == nil else {
                throw command.usageError("option '\(option.name)' is given in another form too")
            }
            values[option.attribute] = try Self.value(of: option, in: arguments, of: command)
        }
        try Self.add(arguments.operands, as: operands, to: &values, itemClass, of: command)
        self.itemClass = itemClass
        self.values = values
        group = arguments.value(of: "--group")
        synchronizable = try Self.synchronizable(arguments, of: command)
    }

    private static func itemClass(
        _ arguments: Arguments, _ given: [AttributeOption], _ givenClass: ItemClass?,
        of command: (some Command).Type
    ) throws(UsageError) -> ItemClass {
        guard let word = arguments.value(of: "--class") else {
            return givenClass ?? given.compactMap(\.impliedClass).first ?? .genericPassword
        }
        guard let itemClass = ItemClass(word: word) else {
            let words = ItemClass.stored.map(\.word).joined(separator: ", ")
            throw command.usageError("option '--class' needs one of \(words)")
        }
        guard givenClass == nil || givenClass == itemClass else {
            throw command.usageError("option '--class' contradicts another option")
        }
        return itemClass
    }

    private static func value(
        of option: AttributeOption, in arguments: Arguments, of command: (some Command).Type
    ) throws(UsageError) -> AttributeValue {
        if case .accessibility = option.form {
            let accessibility = try ClassArgument.value(of: option.name, in: arguments, of: command)
            return .string(accessibility?.appleName ?? "")
        }
        guard let value = option.form.value(of: arguments.value(of: option.name) ?? "") else {
            throw command.usageError("option '\(option.name)' needs \(option.form.requirement)")
        }
        return value
    }

    private static func add(
        _ operands: [String], as meaning: Operands,
        to values: inout [ItemAttribute: AttributeValue],
        _ itemClass: ItemClass, of command: (some Command).Type
    ) throws(UsageError) {
        let attributes: [ItemAttribute] =
            switch (itemClass, meaning) {
            case (.genericPassword, .name): [.service, .account]
            case (.internetPassword, .name): [.account]
            case (.genericPassword, .place): [.service]
            case (.internetPassword, .place): [.server]
            case (.certificate, _), (.key, _), (.identity, _): []
            }
        guard operands.isEmpty || operands.count == attributes.count else {
            throw command.usageError(expectation(itemClass, meaning))
        }
        for (attribute, operand) in zip(attributes, operands) {
            guard values[attribute] == nil else {
                throw command.usageError("the same is given as an argument and in an option")
            }
            values[attribute] = .string(operand)
        }
    }

    /// What operands a command expects, for a message.
    static func expectation(_ itemClass: ItemClass, _ meaning: Operands) -> String {
        switch (itemClass, meaning) {
        case (.genericPassword, .name): "expected SERVICE and ACCOUNT"
        case (.internetPassword, .name): "expected at most one ACCOUNT"
        case (.genericPassword, .place): "expected at most one SERVICE"
        case (.internetPassword, .place): "expected at most one SERVER"
        default: "expected no arguments for the class \(itemClass.word), only options"
        }
    }

    private static func synchronizable(
        _ arguments: Arguments, of command: (some Command).Type
    ) throws(UsageError) -> ItemQuery.Synchronizability? {
        switch arguments.value(of: "--synchronizable") {
        case nil: return nil
        case "yes": return .yes
        case "no": return .no
        case "any": return .any
        default: throw command.usageError("option '--synchronizable' needs yes, no or any")
        }
    }

    /// The keychain, with the group that was named.
    func keychain() throws(Failure) -> Keychain {
        var keychain = try reporting { () throws(VestryError) in try Keychain() }
        if let group { keychain.accessGroups = [group] }
        return keychain
    }

    /// Service and account, where they are all that was said, and there is one group to look into: a
    /// read by them looks into the first.
    func key(in keychain: Keychain) -> ItemKey? {
        guard keychain.accessGroups.count <= 1 else { return nil }
        return key
    }

    /// Service and account, where they are all that was said.
    var key: ItemKey? {
        guard itemClass == .genericPassword, values.count == 2, synchronizable ?? .no == .no,
            let service = values[.service]?.string, let account = values[.account]?.string
        else { return nil }
        return ItemKey(service: service, account: account)
    }

    /// What a question calls the item; nothing in it commands a terminal.
    var nameForTerminal: String {
        let place = values[itemClass == .internetPassword ? .server : .service]?.string
        return [place, values[.account]?.string].compactMap { $0?.escapedForTerminal }
            .joined(separator: " ")
    }
}
