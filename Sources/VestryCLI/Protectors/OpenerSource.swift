internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// Where a command gets a secret from that opens the keychain: the login password, or what `--with`
/// names.
struct OpenerSource: Equatable {
    static let usage = """
          --with KIND          what opens the keychain: login-password, previous-password,
                               recovery-code, passphrase or key-file
          --with-file FILE     the key file, for --with key-file
          --password-fd N      read that password, code or passphrase from descriptor N to its end
                               instead of asking, by the rules of 'vestry unlock --password-fd'
        """
    static let options: [Arguments.Option] = [
        .value("--with"), .value("--with-file"), .value("--password-fd"),
    ]

    let kind: KeychainProtector.Kind
    let typed: PasswordSource
    private let file: String?

    init(
        _ arguments: Arguments, default defaultKind: KeychainProtector.Kind,
        of command: (some Command).Type
    ) throws(UsageError) {
        typed = try PasswordSource(option: "--password-fd", in: arguments, of: command)
        file = arguments.value(of: "--with-file")
        if let word = arguments.value(of: "--with") {
            guard let kind = KeychainProtector.Kind(rawValue: word), kind != .unknown else {
                throw command.usageError(
                    "option '--with' needs one of login-password, previous-password, "
                        + "recovery-code, passphrase, key-file")
            }
            self.kind = kind
        } else {
            kind = defaultKind
        }
        guard (kind == .keyFile) == (file != nil) else {
            throw command.usageError("--with key-file and --with-file belong together")
        }
        guard kind != .keyFile || typed.isPerson else {
            throw command.usageError("--password-fd is not for a key file")
        }
    }

    /// Reads or asks for the secret.
    func read(of account: String) throws(Failure) -> ProtectorSecret {
        let secret: ProtectorSecret?
        switch kind {
        case .keyFile:
            return try KeyFile(path: file ?? "").secret()
        case .recoveryCode:
            let text = try typed.read(asking: "Recovery code of \(account)")
            do throws(VestryError) {
                return try ProtectorSecret.recoveryCode(text)
            } catch {
                throw Failure(
                    .mismatch, Failure(error).message, code: error.code,
                    hint: "nothing was tried; type it once more, as it is written")
            }
        case .loginPassword:
            secret = ProtectorSecret(
                kind, typed: try typed.read(asking: "Login password of \(account)"))
        case .previousPassword:
            secret = ProtectorSecret(
                kind, typed: try typed.read(asking: "Login password of \(account) before this one"))
        case .passphrase, .unknown:
            secret = ProtectorSecret(
                .passphrase, typed: try typed.read(asking: "Passphrase of \(account)"))
        }
        guard let secret else { throw Failure(VestryError(.parameter)) }
        return secret
    }

    /// Runs `body`, which uses the secret, and says of a wrong one which kind it is.
    func using<Value: ~Copyable>(
        _ body: () throws(VestryError) -> Value
    ) throws(Failure) -> Value {
        do throws(VestryError) {
            return try body()
        } catch .wrongPassword where kind != .loginPassword {
            throw Failure(
                .mismatch, "this \(kind.words) opens nothing here", code: .wrongPassword,
                hint: "'vestry protectors list' shows what opens the keychain")
        } catch {
            throw Failure(error)
        }
    }
}

extension KeychainProtector.Kind {
    /// For people.
    var words: String { rawValue.split(separator: "-").joined(separator: " ") }
}
