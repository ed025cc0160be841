internal import LinuxSystem

extension Account {
    /// The account that an argument names.
    ///
    /// - Throws: `Failure`: there is none of this name, or the account database does not answer.
    static func ofArgument(_ name: String) throws(Failure) -> Account {
        let account = try asking { () throws(SystemCallError) in try Account.named(name) }
        guard let account else {
            throw Failure(
                .notFound, "there is no account '\(name.escapedForTerminal)'", reason: "noSuchUser",
                hint: "'getent passwd' lists the accounts")
        }
        return account
    }

    /// Asks the account database.
    ///
    /// - Throws: `Failure` when it does not answer.
    static func asking<Value>(
        _ look: () throws(SystemCallError) -> Value
    ) throws(Failure) -> Value {
        do throws(SystemCallError) {
            return try look()
        } catch {
            throw Failure(
                .unavailable, "the account database does not answer: \(error)",
                hint: "'getent passwd' must work first")
        }
    }
}
