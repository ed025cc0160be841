internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// `vestry protectors`: shows, adds and removes what opens the keychain besides the login password.
struct ProtectorsCommand: Command, Equatable {
    static let name = "protectors"
    static let usage = """
        usage: vestry protectors list [--json]
               vestry protectors add recovery-code [--output FILE] [OPTION...]
               vestry protectors add passphrase [--passphrase-fd N] [OPTION...]
               vestry protectors add key-file FILE [--make] [OPTION...]
               vestry protectors remove ID [OPTION...]

        'list' prints what opens the keychain, a line each: id, kind, when it was made and label,
        with tabs between them. 'add' adds another secret, with which 'vestry recover' opens the
        keychain when the login password is lost or was changed: a recovery code of 256 bits, which
        is shown once, on a terminal alone; a passphrase; or a file of at least 32 bytes. For an
        account without a password, which no login makes a keychain for, the first 'add' makes it.
        'remove' takes one away. Both ask for the login password, or for what --with names. At most 16 stand
        in a keychain; the login password's stays.

          --label TEXT         a name for it, of at most 64 bytes
          --output FILE        write the recovery code into a new file, with mode 0600, instead
          --passphrase-fd N    read the passphrase from descriptor N to its end instead of asking
          --make               make the key file, with 32 random bytes and mode 0600
        \(OpenerSource.usage)
          --json               print one line of JSON instead: of 'list'
                               {"protectors":[PROTECTOR...]}, of 'add' PROTECTOR; with id, kind,
                               label and created. Later releases may add members and kinds.

        ID is an id, or as many of its first digits as no other one begins with.

        """
    static let options: [Arguments.Option] =
        OpenerSource.options + [
            .value("--label"), .value("--output"), .value("--passphrase-fd"), .flag("--make"),
            .flag("--json"),
        ]

    enum Action: Equatable {
        case list
        case add(NewSecret)
        case remove(String)
    }

    let action: Action
    let opener: OpenerSource
    let label: String?
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        isJSON = arguments.has("--json")
        label = arguments.value(of: "--label")
        opener = try OpenerSource(arguments, default: .loginPassword, of: Self.self)
        let operands = arguments.operands
        switch operands.first {
        case "list" where operands.count == 1: action = .list
        case "add":
            let new = try NewSecret(arguments)
            if case .passphrase(let source) = new {
                try opener.typed.exclude(source, of: Self.self)
            }
            action = .add(new)
        case "remove" where operands.count == 2: action = .remove(operands[1])
        default:
            throw Self.usageError("expected 'list', 'add KIND' or 'remove ID'")
        }
        guard label.map({ !$0.isEmpty && $0.utf8.count <= Keychain.maximumLabelByteCount }) ?? true
        else {
            throw Self.usageError(
                "option '--label' needs a text of 1 to \(Keychain.maximumLabelByteCount) bytes")
        }
        guard label == nil || operands.first == "add" else {
            throw Self.usageError("option '--label' is for 'add'")
        }
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        if case .add(let secret) = action, keychain.statusOfAccount().state == .noPassword {
            try create(openedBy: secret, keychain)
            return .done
        }
        let protectors = try reporting { () throws(VestryError) in try keychain.protectors() }
        switch action {
        case .list: list(protectors)
        case .add(let secret): try add(secret, to: keychain, having: protectors.count)
        case .remove(let id): try remove(id, from: keychain, protectors)
        }
        return .done
    }

    private func list(_ protectors: [KeychainProtector]) {
        guard !isJSON else {
            let json = JSON.object([.init("protectors", .array(protectors.map(Self.json)))])
            return StandardStream.output.write(json.text + "\n")
        }
        for protector in protectors {
            let fields = [
                String(protector.id.prefix(8)), protector.kind.rawValue,
                protector.createdAt.map(Moment.text) ?? "unknown",
                protector.label?.escapedForTerminal ?? "",
            ]
            StandardStream.output.write(fields.joined(separator: "\t") + "\n")
        }
    }

    static func json(_ protector: KeychainProtector) -> JSON {
        .object([
            .init("id", .string(protector.id)),
            .init("kind", .string(protector.kind.rawValue)),
            .init("label", protector.label.map(JSON.string) ?? .null),
            .init("created", protector.createdAt.map(JSON.number) ?? .null),
        ])
    }

    private func add(
        _ new: NewSecret, to keychain: Keychain, having count: Int
    ) throws(Failure) {
        guard count < Keychain.maximumProtectorCount else {
            throw Failure(
                .failure, "the keychain has \(count) protectors, and no room for more",
                hint: "'vestry protectors remove' makes room")
        }
        // What can be said at once comes before any question.
        try new.check()
        let account = keychain.accountName.escapedForTerminal
        let opening = try opener.read(of: account)
        let made = try new.make(of: account)
        let protector: KeychainProtector
        do throws(Failure) {
            protector = try opener.using { () throws(VestryError) in
                try keychain.addProtector(made, label: label, openedBy: opening)
            }
        } catch {
            new.takeBack()
            throw error
        }
        tell(of: protector, new, made)
    }

    /// For an account without a password: the keychain itself is made.
    private func create(openedBy new: NewSecret, _ keychain: Keychain) throws(Failure) {
        try new.check()
        let made = try new.make(of: keychain.accountName.escapedForTerminal)
        let protector: KeychainProtector
        do throws(VestryError) {
            protector = try keychain.create(openedBy: made, label: label)
        } catch {
            new.takeBack()
            throw Failure(error)
        }
        tell(of: protector, new, made)
        StandardStream.error.write(
            "vestry: made a keychain, which 'vestry unlock --with \(protector.kind.rawValue)' opens "
                + "after each boot\n")
    }

    private func tell(
        of protector: KeychainProtector, _ new: NewSecret, _ made: borrowing ProtectorSecret
    ) {
        if case .recoveryCode(nil) = new {
            show(made)
        } else if isJSON {
            StandardStream.output.write(Self.json(protector).text + "\n")
        }
    }

    private func show(_ code: borrowing ProtectorSecret) {
        guard let text = code.writtenCode else { return }
        text.withBytes { StandardStream.output.write($0) }
        StandardStream.output.write("\n")
        StandardStream.error.write(
            "vestry: write it down: it is shown this once, and 'vestry recover' asks for it\n")
    }

    private func remove(
        _ id: String, from keychain: Keychain, _ protectors: [KeychainProtector]
    ) throws(Failure) {
        let matches = protectors.filter { !id.isEmpty && $0.id.hasPrefix(id.lowercased()) }
        guard let protector = matches.first, matches.count == 1 else {
            throw Failure(
                .notFound, matches.isEmpty ? "no protector has this id" : "several have this id",
                reason: matches.isEmpty ? nil : "ambiguous",
                hint: "'vestry protectors list' shows what there is")
        }
        guard protector.kind != .loginPassword else {
            throw Failure(
                .failure, "the login password always opens the keychain",
                hint: "nothing was changed; 'vestry rewrap' gives it another one")
        }
        let opening = try opener.read(of: keychain.accountName.escapedForTerminal)
        do throws(VestryError) {
            try keychain.removeProtector(protector, openedBy: opening)
        } catch .notAvailable {
            throw Failure(
                .failure, "without this \(protector.kind.words) some items would open no more",
                code: .notAvailable,
                hint: "nothing was changed; run 'vestry rewrap' first")
        } catch {
            throw try failure(error)
        }
        if protectors.count == 2, protectors.contains(where: { $0.kind == .loginPassword }) {
            StandardStream.error.write("vestry: only the login password opens the keychain now\n")
        }
    }

    private func failure(_ error: VestryError) throws(Failure) -> Failure {
        try opener.using { () throws(VestryError) -> Failure in throw error }
    }
}
