internal import Glibc
internal import LinuxSystem
internal import Privileges
internal import Vestry

/// `vestry lock`: drops keys from the kernel.
struct LockCommand: Command, Equatable {
    static let name = "lock"
    static let usage = """
        usage: vestry lock [--all] [--user NAME]

        Locks the when-unlocked items, in all sessions of this user, as a screen lock does. Nothing
        to lock is not a failure.

          --all        lock everything: cron jobs find nothing either, until the next login with the
                       password or 'vestry unlock'
          --user NAME  the keychain of this user, or of uid:NUMBER: for root, who becomes that user
                       to do it

        """
    static let options: [Arguments.Option] = [.flag("--all"), .value("--user")]

    let isAll: Bool
    let user: String?

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else { throw Self.usageError("expected no arguments") }
        isAll = arguments.has("--all")
        user = arguments.value(of: "--user")
        guard user != "" else { throw Self.usageError("option '--user' needs a name") }
    }

    func run() throws(Failure) -> ExitStatus {
        if let user { try Self.become(user) }
        try reporting { () throws(VestryError) in
            let keychain = try Keychain()
            if isAll { try keychain.lockAll() } else { try keychain.lock() }
        }
        return .done
    }

    /// Root becomes the user for good before anything of that user's is looked at: the kernel then
    /// finds the keys by the user ID, and what the user's own files say is read with the user's own
    /// rights.
    private static func become(_ name: String) throws(Failure) {
        let account = try Account.ofArgument(name)
        guard account.user != geteuid() else { return }
        guard geteuid() == 0 else {
            throw Failure(
                .denied, "only root may lock the keychain of another user", reason: "notRoot",
                hint: "run it as root, as in 'sudo vestry lock --user \(name.escapedForTerminal)'")
        }
        let groups = try Account.asking { () throws(SystemCallError) in try account.groups() }
        do throws(SystemCallError) {
            try dropPrivileges(to: account, groups: groups)
        } catch {
            throw Failure(
                .failure, "cannot become \(name.escapedForTerminal): \(error)",
                hint: "root without the capability to change its user cannot do this")
        }
    }
}
