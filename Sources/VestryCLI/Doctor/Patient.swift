internal import Glibc
internal import LinuxSystem
internal import Vestry

/// Whose keychain is looked at, and by whom.
enum Patient {
    /// The caller's own, with everything that is in it.
    case caller(Account, Keychain)
    /// Root looks at a person's, from outside: by lstat(2), and through the unlock service, which
    /// becomes that person. Nothing that a user controls is parsed as root.
    case another(Account)
    /// Root without a name: the machine alone, since root has no keychain.
    case machine

    var account: Account? {
        switch self {
        case .caller(let account, _), .another(let account): account
        case .machine: nil
        }
    }

    static var isRoot: Bool { geteuid() == 0 }

    /// Finds out.
    ///
    /// - Parameter name: Of `--user`.
    /// - Returns: The patient; the machine alone for root's own account.
    /// - Throws: `Failure` for an account that is not there, or is not for the caller to look at.
    static func named(_ name: String?) throws(Failure) -> Patient {
        let own = try Account.asking { () throws(SystemCallError) in
            try Account.with(user: geteuid())
        }
        if let name, name != own?.name {
            guard isRoot else {
                throw Failure(
                    .denied, "only root looks at the keychain of another account",
                    hint: "sudo vestry doctor --user \(name.escapedForTerminal)")
            }
            let found = try Account.ofArgument(name)
            return found.user == 0 ? .machine : .another(found)
        }
        guard !isRoot else { return .machine }
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        guard let own else { return .machine }
        return .caller(own, keychain)
    }
}
