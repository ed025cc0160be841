internal import Vestry

/// `vestry lock`: drops keys from the kernel.
struct LockCommand: Command, Equatable {
    static let name = "lock"
    static let usage = """
        usage: vestry lock [--all]

        Locks the when-unlocked items, in all sessions of this user, as a screen lock does. Nothing
        to lock is not a failure.

          --all  lock everything: cron jobs find nothing either, until the next login with the
                 password or 'vestry unlock'

        """
    static let options: [Arguments.Option] = [.flag("--all")]

    let isAll: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else { throw Self.usageError("expected no arguments") }
        isAll = arguments.has("--all")
    }

    func run() throws(Failure) -> ExitStatus {
        try reporting { () throws(VestryError) in
            let keychain = try Keychain()
            if isAll { try keychain.lockAll() } else { try keychain.lock() }
        }
        return .done
    }
}
