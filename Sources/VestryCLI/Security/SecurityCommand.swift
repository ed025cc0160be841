internal import SecureMemory
internal import Vestry

/// `vestry security`: the verbs on passwords of macOS's command `security`, for scripts that use
/// them: the same options, output, messages and exit statuses.
struct SecurityCommand: Equatable {
    static let name = "security"
    static let argumentWarning =
        "A password in the arguments can be seen by every user of this machine: give -w last,\n"
        + "without a value, to be asked for it."

    static let usage = """
        usage: vestry security VERB [OPTION...] [KEYCHAIN...]

        Works as the command 'security' of macOS does, on the passwords of this keychain: options,
        output, messages and exit statuses are the same. A status is the low byte of Apple's number:
        44 not found, 45 duplicate, 36 locked, 51 wrong password, 50 no keychain; 2 wrong usage.

        VERB is one of
        \(SecurityVerb.all.map { "  " + $0.name }.joined(separator: "\n"))

        'vestry security VERB -h' shows a verb's options. KEYCHAIN is login.keychain, with or without
        a folder, or the path that 'vestry status --json' tells. New items can be read after the first
        unlock.

        \(argumentWarning)

        vestry-security(1) has more.

        """

    let verb: SecurityVerb
    let arguments: SecurityArguments
    let attributes: [ItemAttribute: AttributeValue]

    static func == (left: Self, right: Self) -> Bool {
        left.verb.name == right.verb.name && left.arguments == right.arguments
    }

    init(parsing arguments: [String]) throws(SecurityFailure) {
        guard let name = arguments.first else {
            throw SecurityFailure(status: 2, Self.usage + "\nsecurity: no command")
        }
        guard let verb = SecurityVerb(named: name) else {
            throw SecurityFailure(
                status: 1, "security: unknown command \"\(name.escapedForTerminal)\"")
        }
        self.verb = verb
        self.arguments = try SecurityArguments(parsing: Array(arguments.dropFirst()), of: verb)
        attributes = try self.arguments.attributes(of: verb)
    }

    func run() throws(SecurityFailure) {
        let keychain: Keychain
        do throws(VestryError) {
            keychain = try Keychain()
        } catch {
            throw SecurityFailure("SecKeychainCopyDefault", error)
        }
        try check(arguments.operands, keychain)
        switch verb.action {
        case .find: try find(in: keychain)
        case .delete: try delete(in: keychain)
        case .add: try SecurityAddition(self).run(in: keychain)
        }
    }

    /// There is one keychain here; another one is not taken for it.
    private func check(_ names: [String], _ keychain: Keychain) throws(SecurityFailure) {
        for name in names {
            let file = name.split(separator: "/").last ?? ""
            guard name == keychain.path || file == "login.keychain" || file == "login.keychain-db"
            else { throw SecurityFailure("SecKeychainOpen", VestryError(.noSuchKeychain)) }
        }
    }

    /// The conditions; where all of the primary ones are given, the others do not count.
    var query: ItemQuery {
        let primary = attributes.filter { $0.key.isPrimary(in: verb.itemClass) }
        let count = verb.itemClass == .genericPassword ? 2 : 7
        return ItemQuery(verb.itemClass, primary.count == count ? primary : attributes)
    }

    private func find(in keychain: Keychain) throws(SecurityFailure) {
        let wantsPassword = !arguments.flags.isDisjoint(with: ["g", "w"])
        var keychain = keychain
        keychain.presenceHandler = PresencePrompt(.terminal).handler
        let record = try searching { () throws(VestryError) in
            try keychain.find(query, wantingSecrets: wantsPassword)
        }
        if arguments.flags.contains("w") {
            _ = record.withSecret { secret in
                let line = secret.withBytes { SecurityText.passwordLine($0) }
                line.withBytes { StandardStream.output.write($0) }
            }
            return
        }
        StandardStream.output.write(SecurityText.block(record, keychain: keychain.path))
        _ = record.withSecret { secret in
            StandardStream.error.write("password: ")
            let shown = secret.withBytes { SecurityText.buffer($0) }
            shown.withBytes { StandardStream.error.write($0) }
            StandardStream.error.write("\n")
        }
    }

    private func delete(in keychain: Keychain) throws(SecurityFailure) {
        let record = try searching { () throws(VestryError) in try keychain.find(query) }
        StandardStream.output.write(SecurityText.block(record, keychain: keychain.path))
        do throws(VestryError) {
            try keychain.delete(ItemQuery(persistentReference: record.persistentReference))
        } catch {
            throw SecurityFailure("SecKeychainItemDelete", error)
        }
        StandardStream.error.write("password has been deleted.\n")
    }

    /// The first item that a search finds.
    private func searching(
        _ search: () throws(VestryError) -> ItemMatches
    ) throws(SecurityFailure) -> ItemRecord {
        let operation = "SecKeychainSearchCopyNext"
        do throws(VestryError) {
            guard let record = try search().records.first else {
                throw VestryError(.itemNotFound)
            }
            return record
        } catch {
            throw SecurityFailure(operation, error)
        }
    }
}
