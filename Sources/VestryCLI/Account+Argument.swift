internal import LinuxSystem

extension Account {
    /// The account that an argument names.
    ///
    /// A name of digits is a name: only `uid:NUMBER`, which can be none, is a user ID.
    ///
    /// - Throws: `Failure`: there is none of this name, or the account database does not answer.
    static func ofArgument(_ name: String) throws(Failure) -> Account {
        let account = try asking { () throws(SystemCallError) in
            guard name.hasPrefix(userPrefix) else { return try Account.named(name) }
            // The highest number stands for nobody at all (setresuid(2)).
            let digits = String(name.dropFirst(userPrefix.count))
            guard let user = Arguments.number(digits, atMost: Int(UInt32.max) - 1) else {
                return nil
            }
            return try Account.with(user: UInt32(user))
        }
        guard let account else {
            throw Failure(
                .notFound, "there is no account '\(name.escapedForTerminal)'", reason: "noSuchUser",
                hint: "'getent passwd' lists the accounts")
        }
        return account
    }

    private static let userPrefix = "uid:"

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
