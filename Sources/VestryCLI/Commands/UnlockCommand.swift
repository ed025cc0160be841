internal import LinuxSystem
internal import Vestry

/// `vestry unlock`: opens the keychain with the login password.
struct UnlockCommand: Command, Equatable {
    static let name = "unlock"
    static let usage = """
        usage: vestry unlock [--with KIND] [--with-file FILE] [--password-fd N | --pinentry]

        Opens the keychain with the login password, as a login does: for sessions without one, such
        as ssh with a public key. The password is asked for on the terminal and handed to the unlock
        service (vestry-unlock.socket).

          --with KIND       open it with another secret than the login password: previous-password,
                            recovery-code, passphrase or key-file ('vestry protectors')
          --with-file FILE  the key file, for --with key-file
          --password-fd N   read the password from descriptor N to its end instead; one line end
                            after it (LF or CRLF) is dropped, and bytes after the 512th do not
                            count, as for every login
          --pinentry        ask with the program 'pinentry' instead, which opens a window where
                            there is a display; it is never used without this option

        """
    static let options: [Arguments.Option] = OpenerSource.options + [Pinentry.option]

    let opener: OpenerSource
    var password: PasswordSource { opener.typed }

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else {
            // Not shown: it may well be the password.
            throw Self.usageError("a password is never taken from the arguments")
        }
        opener = try OpenerSource(arguments, default: .loginPassword, of: Self.self)
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        let status = keychain.status()
        // Asking first and then saying that it was in vain would be rude.
        if let failure = Failure(hopeless: status) { throw failure }
        switch status.state {
        case .noStore, .noPassword:
            throw Failure(VestryError(.noSuchKeychain))
        // Another secret can open what the login password does not: another machine's items. And so
        // does the same one, when the device key is at hand again.
        case .unlocked
        where opener.kind == .loginPassword
            && keychain.statusOfAccount().deviceKeyFault != .missed:
            return .done
        case .locked, .afterFirstUnlock, .unlocked, .unavailable:
            break
        }
        let secret = try opener.read(of: keychain.accountName.escapedForTerminal)
        let outcome = try opener.using { () throws(VestryError) in try keychain.unlock(by: secret) }
        if opener.kind == .loginPassword, outcome == .unlockedByPreviousPassword {
            StandardStream.error.write(
                "vestry: opened with the password before the current one\n"
                    + "vestry: hint: log in once with the new one\n")
        }
        let now = keychain.status()
        if now.reason == .noSession {
            StandardStream.error.write(
                "vestry: when-unlocked items stay locked: no login session is open\n")
        }
        if let error = now.error {
            StandardStream.error.write(
                "vestry: opened, but \(error.description.escapedForTerminal)\n"
                    + "vestry: hint: 'vestry repair' saves what it can\n")
        }
        return .done
    }
}
