internal import LinuxSystem
internal import Vestry

/// `vestry rotate`: changes class keys, and seals everything anew.
struct RotateCommand: Command, Equatable {
    static let name = "rotate"
    static let usage = """
        usage: vestry rotate [--class CLASS ...] [--password-fd N | --pinentry] [--json]

        Changes the keys of the classes and seals every item anew that they sealed, its old secrets
        and deleted items too. The password is asked for once. Reads and writes go on meanwhile, and
        after an interruption the same command goes on where it was. The old keys are forgotten when
        nothing needs them any more; snapshots that were made before cannot be restored then, and
        'vestry erase --snapshots' removes them.

          --class CLASS    only the key of this class, which may be given several times: one of
                           after-first-unlock, when-unlocked, after-first-unlock-this-device-only,
                           when-unlocked-this-device-only, when-passcode-set-this-device-only,
                           presence (of secrets that ask for the password at each read) and
                           presence-this-device-only
          --password-fd N  read the login password from descriptor N to its end instead
          --pinentry       ask with the program 'pinentry' instead
          --json           print {"resealed":COUNT,"finished":[CLASS...],"unfinished":[CLASS...],
                           "left":[{"reference":HEX,"reason":TEXT}...]}, the last with the items that
                           could not be sealed anew, and why

        A secret with an application password stays under the old key, since that password is not
        known here, and keeps it: the exit status is 1, and the items are named.

        """
    static let options: [Arguments.Option] = [
        .list("--class"), .value("--password-fd"), Pinentry.option, .flag("--json"),
    ]

    let classes: [RotationClass]
    let password: PasswordSource
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else {
            // Not shown: it may well be the password.
            throw Self.usageError("a password is never taken from the arguments")
        }
        var classes: [RotationClass] = []
        for word in arguments.values(of: "--class") {
            guard let named = RotationClass(rawValue: word) else {
                throw Self.usageError(
                    "option '--class' needs one of "
                        + RotationClass.allCases.map(\.rawValue).joined(separator: ", "))
            }
            if !classes.contains(named) { classes.append(named) }
        }
        self.classes = classes.isEmpty ? RotationClass.allCases : classes
        password = try PasswordSource(option: "--password-fd", in: arguments, of: Self.self)
        isJSON = arguments.has("--json")
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        if let failure = Failure(hopeless: keychain.status()) { throw failure }
        let password = try password.read(
            asking: "Login password of \(keychain.accountName.escapedForTerminal)")
        let report = try reporting { () throws(VestryError) in
            try keychain.rotate(classes, password: password)
        }
        if isJSON {
            let json = JSON.object([
                .init("resealed", .number(Int64(report.resealedCount))),
                .init("finished", .array(report.finished.map { .string($0.rawValue) })),
                .init("unfinished", .array(report.unfinished.map { .string($0.rawValue) })),
                .init(
                    "left",
                    .array(
                        report.leftItems.map { item in
                            .object([
                                .init(
                                    "reference",
                                    .string(Hexadecimal.text(item.persistentReference))),
                                .init("reason", .string(item.reason)),
                            ])
                        })),
            ])
            StandardStream.output.write(json.text + "\n")
        }
        guard report.unfinished.isEmpty else {
            let classes = report.unfinished.map(\.rawValue).joined(separator: ", ")
            let references = report.leftItems.map {
                "\n  " + Hexadecimal.text($0.persistentReference) + ": " + $0.reason
            }.joined()
            let count = report.leftItems.count
            throw Failure(
                .failure,
                count.counted(
                    "item could not be sealed anew, which keeps",
                    "items could not be sealed anew, which keep")
                    + " the old keys of \(classes):" + references,
                hint: "store them anew with their passwords, or delete them with --no-history, and "
                    + "run it again")
        }
        if !isJSON { try SnapshotsCommand.tell(ofKeysIn: keychain) }
        return .done
    }
}
