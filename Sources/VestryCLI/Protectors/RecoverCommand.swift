internal import SecureMemory
internal import Vestry

/// `vestry recover`: opens the keychain without the login password, and gives it a new one.
struct RecoverCommand: Command, Equatable {
    static let name = "recover"
    static let usage = """
        usage: vestry recover [--with KIND] [--with-file FILE] [--password-fd N] [--new-password-fd N]

        Opens the keychain with a recovery code, or with what --with names, and makes it open with
        the login password from now on: after that was forgotten and set anew, or on another
        machine. No item is touched, and the other protectors stay. Nobody checks that the password
        is the account's: the next login opens the keychain only if it is.

        \(OpenerSource.usage)
          --new-password-fd N  likewise the login password

        """
    static let options: [Arguments.Option] = OpenerSource.options + [.value("--new-password-fd")]

    let opener: OpenerSource
    let new: PasswordSource

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else {
            // Not shown: it may well be the code.
            throw Self.usageError("a secret is never taken from the arguments")
        }
        opener = try OpenerSource(arguments, default: .recoveryCode, of: Self.self)
        new = try PasswordSource(option: "--new-password-fd", in: arguments, of: Self.self)
        try opener.typed.exclude(new, of: Self.self)
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        let protectors = try reporting { () throws(VestryError) in try keychain.protectors() }
        guard protectors.contains(where: { $0.kind == opener.kind }) else {
            throw Failure(
                .notFound, "this keychain has no \(opener.kind.words)",
                hint: "'vestry protectors list' shows what opens it")
        }
        let account = keychain.accountName.escapedForTerminal
        let opening = try opener.read(of: account)
        let password = try new.readLoginPassword(of: account)
        try opener.using { () throws(VestryError) in
            try keychain.recover(by: opening, newPassword: password)
        }
        AnotherMachine.report(on: keychain)
        return .done
    }
}

extension PasswordSource {
    /// A new login password, asked for twice where somebody types it.
    func readLoginPassword(of account: String) throws(Failure) -> SecretBytes {
        let password = try read(asking: "Login password of \(account)")
        if isPerson {
            let again = try read(asking: "The same again")
            guard password.constantTimeEquals(again) else {
                throw Failure(
                    .mismatch, "the two passwords differ", hint: "nothing was changed; try again")
            }
        }
        return password
    }
}

/// Items that stay closed because another machine stored them.
enum AnotherMachine {
    /// Says how many there are, if any.
    static func report(on keychain: Keychain) {
        guard let count = try? keychain.itemCountOfAnotherMachine(), count > 0 else { return }
        let what =
            count == 1
            ? "1 this-device-only item is another machine's, and stays"
            : "\(count) this-device-only items are another machine's, and stay"
        StandardStream.error.write("vestry: \(what) closed here\n")
    }
}
