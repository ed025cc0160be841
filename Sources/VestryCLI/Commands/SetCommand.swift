internal import Glibc
internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// `vestry set`: stores a secret from standard input.
struct SetCommand: Command, Equatable {
    static let name = "set"
    static let usage = """
        usage: vestry set [--accessible CLASS] [--label TEXT] [--require-password]
                          SERVICE ACCOUNT

        Stores a secret, in place of the one that SERVICE and ACCOUNT have now.

        The secret is read from standard input, byte for byte: a final newline is part of it. On a
        terminal it is asked for twice, without being shown, and the newline that ends the line is
        not part of it. It is never taken from an argument. At most 8 MiB (8388608 bytes).

          --accessible CLASS  when the item can be read; without this option an item that is there
                              keeps its class, and a new one gets after-first-unlock
          --label TEXT        a name for people; without this option an item keeps its label
          --require-password  each read asks for the login password; without this option an item
                              goes on asking, or not

        \(ClassArgument.usage)
        """
    static let options: [Arguments.Option] = [
        .value("--accessible"), .value("--label"), .flag("--require-password"),
    ]

    let key: ItemKey
    let label: String?
    let accessibility: Accessibility?
    let requiresPassword: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.count <= 2 else {
            // Not shown: it may well be the secret.
            throw Self.usageError(
                "a secret is never taken from the arguments, where every user of this machine can "
                    + "see it; give it on standard input")
        }
        key = try ItemKey(operandsOf: arguments, of: Self.self)
        label = arguments.value(of: "--label")
        requiresPassword = arguments.has("--require-password")
        accessibility = try ClassArgument.value(of: "--accessible", in: arguments, of: Self.self)
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        let secret = try readSecret()
        try reporting { () throws(VestryError) in
            try keychain.set(
                secret, for: key, label: label, accessibility: accessibility,
                accessControl: requiresPassword ? .userPresence : nil)
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
        let names = "\(key.service.escapedForTerminal) \(key.account.escapedForTerminal)"
        let secret = try terminal.ask("Secret for \(names): ")
        let again = try terminal.ask("The same again: ")
        guard secret.constantTimeEquals(again) else {
            throw Failure(
                .mismatch, "the two secrets differ", hint: "nothing was changed; try again")
        }
        return secret
    }
}
