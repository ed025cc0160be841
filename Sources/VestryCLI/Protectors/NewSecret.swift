internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// The secret of a protector that is to be added.
enum NewSecret: Equatable {
    /// Into a new file, or onto the terminal.
    case recoveryCode(SecretFile?)
    case passphrase(PasswordSource)
    case keyFile(KeyFile, isNew: Bool)

    static let keyFileWord = "key-file"
    /// What 'add' is told.
    static let words = ["recovery-code", "passphrase", keyFileWord]

    /// The least that may be called a passphrase: it can be guessed at offline.
    static let shortestPassphrase = 8

    init(_ arguments: Arguments) throws(UsageError) {
        let operands = arguments.operands.dropFirst()
        let output = arguments.value(of: "--output")
        let isNew = arguments.has("--make")
        let passphrase = try PasswordSource(
            option: "--passphrase-fd", in: arguments, of: ProtectorsCommand.self)
        switch (operands.first, operands.count) {
        case ("recovery-code", 1): self = .recoveryCode(output.map(SecretFile.init))
        case ("passphrase", 1): self = .passphrase(passphrase)
        case (Self.keyFileWord, 2):
            self = .keyFile(KeyFile(path: operands.last ?? ""), isNew: isNew)
        case (Self.keyFileWord, 1):
            throw ProtectorsCommand.usageError("add key-file: expected FILE")
        default:
            // Not shown: it may well be the passphrase.
            throw ProtectorsCommand.usageError(
                "expected 'add recovery-code', 'add passphrase' or 'add key-file FILE'")
        }
        let isCode = if case .recoveryCode = self { true } else { false }
        let isPassphrase = if case .passphrase = self { true } else { false }
        let isFile = if case .keyFile = self { true } else { false }
        guard isCode || output == nil, isPassphrase || passphrase.isPerson, isFile || !isNew else {
            throw ProtectorsCommand.usageError("an option is for another kind of protector")
        }
    }

    /// Refuses what cannot end well, before anything is asked.
    func check() throws(Failure) {
        guard case .recoveryCode(nil) = self, !StandardStream.output.isTerminal else { return }
        throw Failure(
            .failure, "a recovery code is shown on a terminal alone",
            hint: "--output FILE writes it into a new file")
    }

    func make(of account: String) throws(Failure) -> ProtectorSecret {
        switch self {
        case .recoveryCode(let file):
            let secret = ProtectorSecret.newRecoveryCode()
            if let file {
                guard let text = secret.writtenCode else { throw Failure(VestryError(.parameter)) }
                try file.write(text)
            }
            return secret
        case .passphrase(let source):
            let typed = try source.read(asking: "New passphrase of \(account)")
            guard typed.count >= Self.shortestPassphrase else {
                throw Failure(
                    .failure, "a passphrase has at least \(Self.shortestPassphrase) bytes",
                    hint: "nothing was changed; five random words are a good one")
            }
            if source.isPerson {
                guard typed.constantTimeEquals(try source.read(asking: "The same again")) else {
                    throw Failure(
                        .mismatch, "the two passphrases differ",
                        hint: "nothing was changed; try again")
                }
            }
            guard let secret = ProtectorSecret(.passphrase, typed: typed) else {
                throw Failure(VestryError(.parameter))
            }
            return secret
        case .keyFile(let file, let isNew):
            return isNew ? try file.make() : try file.secret()
        }
    }

    /// Removes what ``make(of:)`` has made, where nothing came of it.
    func takeBack() {
        switch self {
        case .recoveryCode(let file): file?.remove()
        case .keyFile(let file, isNew: true): SecretFile(path: file.path).remove()
        case .passphrase, .keyFile: break
        }
    }
}
