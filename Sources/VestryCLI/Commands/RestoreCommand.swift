internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// `vestry restore`: puts the items of a backup into the keychain.
struct RestoreCommand: Command, Equatable {
    static let name = "restore"
    static let usage = """
        usage: vestry restore [OPTION...] FILE

        Puts the items of a backup back, with their attributes, dates and references: all of them, or
        none where something fails. What would become of each is found out first, and a person says on
        the terminal whether to go on. Items that the keychain has with the same contents stay as they
        are. The keychain must be unlocked.

        The passphrase of the backup, or its recovery code, is asked for on the terminal.

          --passphrase-fd N           read it from descriptor N to its end instead; one line end after
                                      it (LF or CRLF) is dropped
          --pinentry                  ask with the program 'pinentry' instead of on the terminal
        \(MergeArguments.usage)
          --json                      print {"dryRun":BOOLEAN,"items":[ITEM...],"date":SECONDS}: for
                                      each item that came in those of 'vestry list', and result,
                                      conflict; when the backup was made, and how many items it was
                                      made without

        """
    static let options: [Arguments.Option] =
        MergeArguments.options + [.value("--passphrase-fd"), Pinentry.option]

    let path: String
    let passphrase: PasswordSource
    let merging: MergeArguments

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.count == 1, let path = arguments.operands.first else {
            throw Self.usageError("expected one FILE")
        }
        self.path = path
        passphrase = try PasswordSource(option: "--passphrase-fd", in: arguments, of: Self.self)
        merging = try MergeArguments(arguments, of: Self.self)
    }

    func run() throws(Failure) -> ExitStatus {
        ThisProcess.overwriteFreedMemory()
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        let kind = try reporting { () throws(VestryError) in try Backup.secretKind(ofFile: path) }
        let secret = try secret(of: kind)
        let backup = try reporting { () throws(VestryError) in
            try Backup(file: path, secret: secret)
        }
        let contents = try reporting { () throws(VestryError) in try backup.contents() }
        StandardStream.error.write(
            "vestry: \(contents.itemCount) \(contents.itemCount == 1 ? "item" : "items") of "
                + "\(Moment.text(contents.date))\n" + contents.left.text)
        let members = [JSON.Member("date", .number(contents.date))] + contents.left.members
        try merging.run(members: members) { (options) throws(Failure) in
            try reporting { () throws(VestryError) in
                try keychain.restore(backup, options: options)
            }
        }
        return .done
    }

    private func secret(of kind: BackupSecret.Kind) throws(Failure) -> BackupSecret {
        switch kind {
        case .passphrase:
            return .passphrase(try passphrase.read(asking: "Passphrase of the backup"))
        case .recoveryCode:
            let text = try passphrase.read(asking: "Recovery code of the backup")
            return try reporting { () throws(VestryError) in try .recoveryCode(text) }
        }
    }
}
