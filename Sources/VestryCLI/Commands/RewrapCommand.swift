internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// `vestry rewrap`: makes the keychain open with the login password again.
struct RewrapCommand: Command, Equatable {
    static let name = "rewrap"
    static let usage = """
        usage: vestry rewrap [--old-password-fd N] [--new-password-fd N]

        Makes the keychain open with the login password again, after that was changed without the
        old one: by root, on another machine, or by a program that Vestry does not see. Asks for the
        password that still opens the keychain, and for the login password; no item is touched. The
        old one goes on opening the keychain until a login has proved the new one.

          --old-password-fd N  read the old password from descriptor N to its end instead of asking,
                               by the rules of 'vestry unlock --password-fd'
          --new-password-fd N  likewise the login password

        """
    static let options: [Arguments.Option] = [
        .value("--old-password-fd"), .value("--new-password-fd"),
    ]

    let old: PasswordSource
    let new: PasswordSource

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else {
            // Not shown: it may well be the password.
            throw Self.usageError("a password is never taken from the arguments")
        }
        old = try PasswordSource(option: "--old-password-fd", in: arguments, of: Self.self)
        new = try PasswordSource(option: "--new-password-fd", in: arguments, of: Self.self)
        try old.exclude(new, of: Self.self)
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        let status = keychain.status()
        if let failure = Failure(hopeless: status) { throw failure }
        if status.state == .noStore { throw Failure(VestryError(.noSuchKeychain)) }
        guard status.hasLoginPassword else {
            throw Failure(
                .notFound, "this keychain has no login password yet", reason: "noPassword",
                hint: StatusCommand.Report.recoverHint)
        }
        let account = keychain.accountName.escapedForTerminal
        let oldPassword = try old.read(asking: "Password that opens the keychain of \(account)")
        let newPassword = try new.readLoginPassword(of: account)
        do throws(VestryError) {
            try keychain.rewrap(from: oldPassword, to: newPassword)
        } catch  where error.code == .wrongPassword {
            throw Failure(
                .mismatch, error.description, code: error.code,
                hint: "nothing was changed; it is the password from before the change, and without "
                    + "that one \(StatusCommand.Report.recoverHint)")
        } catch {
            throw Failure(error)
        }
        AnotherMachine.report(on: keychain)
        return .done
    }
}
