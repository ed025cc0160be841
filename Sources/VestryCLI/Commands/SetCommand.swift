internal import Glibc
internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// `vestry set`: stores a secret from standard input, or a certificate or key from a file.
struct SetCommand: Command, Equatable {
    static let name = "set"
    static let usage = """
        usage: vestry set [OPTION...] SERVICE ACCOUNT
               vestry set --server HOST [OPTION...] [ACCOUNT]
               vestry set --certificate FILE [OPTION...]
               vestry set --key FILE [OPTION...]

        Stores a secret, in place of the one that the same names have now: SERVICE and ACCOUNT, or of
        an internet password server, account, protocol, authentication type, port, path and security
        domain.

        The secret is read from standard input, byte for byte: a final newline is part of it. On a
        terminal it is asked for twice, without being shown, and the newline that ends the line is
        not part of it. It is never taken from an argument. At most 8 MiB (8388608 bytes).

        A certificate or a key comes from FILE, or from standard input where that is -, in DER or
        PEM, not encrypted; what it says about itself becomes its attributes. One that is there
        already is exit status 7.

          --certificate FILE          store an X.509 certificate
          --key FILE                  store a private or public key
          --keep-secret               change attributes of an item, and leave its secret alone
          --no-history                keep nothing of the secret that is replaced
          --json                      print {"result":"added" or "updated","reference":HEX or null}
        \(ItemStorage.usage)
        """
    static let options: [Arguments.Option] =
        ItemStorage.options + [
            .value("--certificate"), .value("--key"), .flag("--keep-secret"), .flag("--no-history"),
            .flag("--json"),
        ]

    /// Where the new item comes from.
    enum Source: Equatable {
        case secret
        /// Nowhere: the item is there, and only attributes change.
        case kept
        case certificate(InputFile)
        case key(InputFile)
    }

    let storage: ItemStorage
    let source: Source
    let keepsHistory: Bool
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        isJSON = arguments.has("--json")
        keepsHistory = !arguments.has("--no-history")
        source = try Self.source(arguments)
        try Self.checkOperands(arguments)
        switch source {
        case .secret, .kept:
            storage = try ItemStorage(arguments, of: Self.self)
            try storage.checkNamesPassword(of: Self.self)
        case .certificate:
            storage = try ItemStorage(arguments, class: .certificate, of: Self.self)
        case .key:
            storage = try ItemStorage(arguments, class: .key, of: Self.self)
        }
        guard storage.mode != .addOnly || source != .kept else {
            throw Self.usageError("--keep-secret is for an item that is there")
        }
        guard storage.mode != .updateOnly || source == .secret || source == .kept else {
            throw Self.usageError("certificates and keys are never replaced")
        }
    }

    private static func source(_ arguments: Arguments) throws(UsageError) -> Source {
        var sources: [Source] = arguments.has("--keep-secret") ? [.kept] : []
        if let path = arguments.value(of: "--certificate") {
            sources.append(.certificate(InputFile(path: path)))
        }
        if let path = arguments.value(of: "--key") { sources.append(.key(InputFile(path: path))) }
        guard sources.count <= 1 else {
            throw usageError("--certificate, --key and --keep-secret exclude each other")
        }
        return sources.first ?? .secret
    }

    private static func checkOperands(_ arguments: Arguments) throws(UsageError) {
        let isInternetPassword =
            arguments.value(of: "--server") != nil
            || arguments.value(of: "--class") == ItemClass.internetPassword.word
        guard arguments.operands.count <= (isInternetPassword ? 1 : 2) else {
            // Not shown: it may well be the secret.
            throw usageError(
                "a secret is never taken from the arguments, where every user of this machine can "
                    + "see it; give it on standard input")
        }
    }

    func run() throws(Failure) -> ExitStatus {
        var keychain = try storage.item.keychain()
        keychain.keepsHistory = keepsHistory
        let outcome: ItemStorage.Outcome
        switch source {
        case .secret:
            outcome = try storage.store(try readSecret(), in: keychain)
        case .kept:
            outcome = try storage.update(in: keychain)
        case .certificate(let file):
            let der = try file.der(of: .certificate)
            outcome = .added(
                try reporting { () throws(VestryError) in
                    try keychain.addCertificate(
                        der: der.withBytes { bytes in bytes.indices.map { bytes[$0] } },
                        attributes: storage.newAttributes)
                })
        case .key(let file):
            let der = try file.der(of: .key)
            outcome = .added(
                try reporting { () throws(VestryError) in
                    try keychain.addKey(der: der, attributes: storage.newAttributes)
                })
        }
        if isJSON {
            StandardStream.output.write(storage.json(outcome, in: keychain).text + "\n")
        }
        return .done
    }

    private func readSecret() throws(Failure) -> SecretBytes {
        guard isatty(STDIN_FILENO) == 0 else { return try askForSecret() }
        do throws(SystemCallError) {
            // One byte more than is allowed, so that the library can tell that it is too many.
            return try SecretInput.read(
                from: STDIN_FILENO, limit: Keychain.maximumSecretByteCount + 1)
        } catch {
            throw Failure(
                .failure, "standard input: \(error)", hint: "give the secret on standard input")
        }
    }

    private func askForSecret() throws(Failure) -> SecretBytes {
        guard let terminal = Terminal() else {
            throw Failure(
                .failure, "no terminal to ask on", hint: "give the secret on standard input")
        }
        let secret = try terminal.ask("Secret for \(storage.item.nameForTerminal): ")
        let again = try terminal.ask("The same again: ")
        guard secret.constantTimeEquals(again) else {
            throw Failure(
                .mismatch, "the two secrets differ", hint: "nothing was changed; try again")
        }
        return secret
    }
}
