internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// `vestry unlock`: opens the keychain with the login password.
struct UnlockCommand: Command, Equatable {
    static let name = "unlock"
    static let usage = """
        usage: vestry unlock [--password-fd N]

        Opens the keychain with the login password, as a login does: for sessions without one, such
        as ssh with a public key. The password is asked for on the terminal and handed to the unlock
        service (vestry-unlock.socket).

          --password-fd N  read the password from descriptor N to its end instead; one line end
                           after it (LF or CRLF) is dropped, and bytes after the 512th do not count,
                           as for every login

        """
    static let options: [Arguments.Option] = [.value("--password-fd")]

    /// Enough for any password that counts, and a line end.
    private static let passwordLimit = 4096

    let passwordDescriptor: Int32?

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else {
            // Not shown: it may well be the password.
            throw Self.usageError("a password is never taken from the arguments")
        }
        guard let text = arguments.value(of: "--password-fd") else {
            passwordDescriptor = nil
            return
        }
        guard let number = Arguments.number(text, atMost: Int(Int32.max)) else {
            throw Self.usageError("option '--password-fd' needs a number")
        }
        passwordDescriptor = Int32(number)
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        switch keychain.status().state {
        case .noStore:
            // Asking first and then saying that it was in vain would be rude.
            throw Failure(VestryError(.noSuchKeychain))
        case .unlocked:
            return .done
        case .locked, .afterFirstUnlock, .unavailable:
            break
        }
        let password = try readPassword(for: keychain.accountName)
        do throws(VestryError) {
            if try keychain.unlock(password: password) == .unlockedByPreviousPassword {
                StandardStream.error.write(
                    "vestry: opened with the password before the current one\n"
                        + "vestry: hint: log in once with the new one\n")
            }
        } catch {
            guard error.code == .notAvailable else { throw Failure(error) }
            throw Failure(
                .unavailable, error.description,
                hint: "'sudo systemctl start vestry-unlock.socket' starts the unlock service")
        }
        if keychain.status().reason == .noSession {
            StandardStream.error.write(
                "vestry: when-unlocked items stay locked: no login session is open\n")
        }
        return .done
    }

    private func readPassword(for account: String) throws(Failure) -> SecretBytes {
        guard let passwordDescriptor else {
            guard let terminal = Terminal() else {
                throw Failure(
                    .failure, "no terminal to ask for the password on",
                    hint: "give the password with --password-fd")
            }
            return try terminal.ask("Login password of \(account.escapedForTerminal): ")
        }
        do throws(SystemCallError) {
            let password = try SecretInput.read(
                from: passwordDescriptor, limit: Self.passwordLimit)
            return SecretInput.droppingLineEnd(password)
        } catch {
            throw Failure(
                .failure, "descriptor \(passwordDescriptor): \(error)",
                hint: "open it in the shell, as in 'vestry unlock --password-fd 3 3<FILE'")
        }
    }
}
