internal import LinuxSystem
internal import Vestry

typealias ExitStatus = LinuxSystem.ExitStatus

/// A failure of a command, with what to do next.
struct Failure: Error, Equatable {
    let status: ExitStatus
    let message: String
    let hint: String
    /// The library's reason; nil for a failure of the command itself.
    let code: VestryError.Code?
    /// The command's own reason, where the exit status says too little.
    let reason: String?

    init(
        _ status: ExitStatus, _ message: String, code: VestryError.Code? = nil,
        reason: String? = nil, hint: String
    ) {
        self.status = status
        self.message = message
        self.code = code
        self.reason = reason
        self.hint = hint
    }
}

/// Runs `body` and throws what its error means for the command.
func reporting<Value: ~Copyable>(
    _ body: () throws(VestryError) -> Value
) throws(Failure) -> Value {
    do {
        return try body()
    } catch {
        throw Failure(error)
    }
}

extension Failure {
    init(_ error: VestryError) {
        var (status, hint) = Self.table[error.code] ?? (.failure, Self.statusHint)
        if error.isOfAnotherMachine {
            hint = Self.anotherMachineHint
        } else if error.isOfUserFile {
            hint = Self.userFileHint
        } else if error.isOfBackupFile, error.code != .diskFull {
            hint = Self.backupFileHint
        } else if error.code == .locked {
            hint = Self.lockedHint()
        } else if error.code == .wrongPassword, let before = Self.mismatchHint() {
            hint = before
        }
        self.init(status, error.description, code: error.code, hint: hint)
    }

    /// What no password helps against; nil where one may.
    init?(hopeless status: KeychainStatus) {
        switch status.error?.code {
        case .damaged, .denied, .newerFormat: break
        default: return nil
        }
        guard let error = status.error, !status.isRepairLocked else { return nil }
        self.init(error)
    }

    /// For an account without a keychain, root's included, which never gets one.
    static let enrollHint =
        "log in once with your password, which makes it; /etc/vestry.conf says for whom, root never"

    /// The same failure of an account that no login makes a keychain for.
    static let accountWithoutPassword = Failure(
        .notFound, "this account has no password that could open a keychain",
        code: .noSuchKeychain, reason: "noPassword",
        hint: StatusCommand.Report.passwordlessHint)

    /// For an item that the device key of another machine closes, or a lost one of this machine.
    static let anotherMachineHint =
        "'vestry get' prints it there, 'vestry delete' makes room for a new one; if it was stored "
        + "here, put /var/lib/vestry/device.key back from a copy, and log in again"

    private static let userFileHint =
        "nothing was changed; put that file right: 'man vestry' and 'man vestry-history' say how"
    private static let backupFileHint =
        "nothing was changed; name a file that you can read, or for a new one a folder of yours"

    /// For what is locked for no other reason than that nobody has unlocked it.
    static let unlockHint = "log in with your password, or run 'vestry unlock'"

    /// What opens what is locked now, by the state of this process's own keychain.
    static func lockedHint() -> String {
        guard let keychain = try? Keychain() else { return unlockHint }
        let status = keychain.status()
        switch status.reason {
        case .passwordMismatch, .otherSecret, .sessionLocked:
            return StatusCommand.Report(status).next ?? unlockHint
        case .sessionOpen:
            // Everything that a password opens is open.
            if let fault = keychain.statusOfAccount().deviceKeyFault {
                return StatusCommand.Report.next(of: fault)
            }
            return "no password opens these here; 'vestry get' says for one of them why"
        case .neverEnrolled, .notUnlocked, .noPassword, .noSession, .failure:
            return unlockHint
        }
    }

    /// For a wrong password where the login has another one than the keychain; nil elsewhere.
    private static func mismatchHint() -> String? {
        guard let status = try? Keychain().status(), status.reason == .passwordMismatch else {
            return nil
        }
        return "the keychain has another password than the login, such as the one before it; "
            + "'vestry rewrap' asks for both, and without that one there is 'vestry recover'"
    }

    /// For what says no more.
    static let statusHint = "run 'vestry status'"

    /// The exit status and the next step for each code of the library.
    static let table: [VestryError.Code: (status: ExitStatus, hint: String)] = [
        .itemNotFound: (.notFound, "'vestry list' shows what there is"),
        .noSuchKeychain: (.notFound, enrollHint),
        .locked: (.locked, unlockHint),
        .wrongPassword: (
            .mismatch,
            "it is the login password, or of an item or a backup that has one, its own"
        ),
        .damaged: (
            .damaged,
            "nothing was changed; 'vestry check' tells what is damaged, 'vestry repair' saves what it can"
        ),
        .itemDamaged: (
            .damaged,
            "'vestry check' names what is damaged; 'vestry delete' and then 'vestry set' replace it"
        ),
        .newerFormat: (.unavailable, "nothing was changed; upgrade vestry"),
        .duplicateItem: (
            .duplicate,
            "nothing was changed; 'vestry set' replaces a password, 'vestry delete' removes it"
        ),
        .denied: (
            .denied,
            "in ~/.local/share/vestry all files must be yours with mode 0600, the folder 0700"
        ),
        .readOnly: (.failure, "nothing was changed; the file, its folder or the disk is read-only"),
        .diskFull: (.failure, "nothing was changed; free some space and run the command again"),
        .notAvailable: (.unavailable, "put the named cause right, then run 'vestry status'"),
        .serviceNotAvailable: (
            .unavailable,
            "'sudo systemctl start vestry-unlock.socket' starts it; see vestry-session-helper(8)"
        ),
        .quotaExceeded: (
            .unavailable, "'keyctl show @u' lists the keys; kernel.keys.maxkeys is the limit"
        ),
        .cancelled: (.cancelled, "nothing was changed"),
        .busy: (.timedOut, "nothing was changed; run the command again"),
        .timedOut: (.timedOut, "see 'systemctl status vestry-unlock.socket'"),
        .parameter: (.usage, "nothing was changed; 'vestry VERB --help' says what it takes"),
        .missingEntitlement: (.denied, "name the access group with --group"),
        .readOnlyAttribute: (.usage, "nothing was changed; leave that attribute out"),
        .unimplemented: (.failure, "nothing was changed; this release cannot do it"),
        .conversion: (.failure, "'vestry get' prints it byte for byte"),
        .dataTooLarge: (.failure, "nothing was changed; encrypt a file, and store its key here"),
        .backupDamaged: (.damaged, "nothing was changed; take another copy of the backup"),
        .fileExists: (.duplicate, "nothing was written; choose another name, or use --force"),
        .outOfMemory: (.failure, "free some memory and run the command again"),
        .inputOutput: (.failure, "run 'vestry status'; the system's log may say more"),
    ]
}
