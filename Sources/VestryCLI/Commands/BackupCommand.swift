internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// `vestry backup`: writes all items into one sealed file.
struct BackupCommand: Command, Equatable {
    static let name = "backup"
    static let usage = """
        usage: vestry backup [OPTION...] FILE

        Writes all items of every class and access group into FILE, sealed with a passphrase, which is
        asked for twice on the terminal. 'vestry restore' brings them back, on any machine. FILE
        appears as a whole or not at all, with mode 0600.

        Items of this device alone stay behind, and so do those with an application password. How many
        is said on standard error. Where items are locked, nothing is written: exit status 4. For
        items that were stored with --require-password, the login password is asked for once.

          --passphrase-fd N           read the passphrase from descriptor N to its end instead; one
                                      line end after it (LF or CRLF) is dropped
          --pinentry                  ask with the program 'pinentry' instead of on the terminal
          --recovery-code             seal with a new code of 256 bits instead, which is shown once on
                                      the terminal
          --code-output CODEFILE      write that code into a new file, mode 0600, instead
          --force                     replace a FILE that is there
          --readable-only             leave out what cannot be read now, and say how much that is
          --json                      print {"items":COUNT,"thisDeviceOnly":COUNT,
                                      "applicationPassword":COUNT,"locked":COUNT,"damaged":COUNT}

        """
    static let options: [Arguments.Option] = [
        .value("--passphrase-fd"), Pinentry.option, .flag("--recovery-code"),
        .value("--code-output"), .flag("--force"), .flag("--readable-only"), .flag("--json"),
    ]

    let path: String
    let passphrase: PasswordSource
    let isSealedByCode: Bool
    let codePath: String?
    let isReplacing: Bool
    let isOnlyReadable: Bool
    let isJSON: Bool
    let asking: Asking

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.count == 1, let path = arguments.operands.first else {
            throw Self.usageError("expected one FILE")
        }
        self.path = path
        passphrase = try PasswordSource(option: "--passphrase-fd", in: arguments, of: Self.self)
        codePath = arguments.value(of: "--code-output")
        isSealedByCode = arguments.has("--recovery-code") || codePath != nil
        isReplacing = arguments.has("--force")
        isOnlyReadable = arguments.has("--readable-only")
        isJSON = arguments.has("--json")
        asking = Asking(arguments)
        guard !isSealedByCode || arguments.value(of: "--passphrase-fd") == nil else {
            throw Self.usageError("--passphrase-fd and --recovery-code exclude each other")
        }
    }

    func run() throws(Failure) -> ExitStatus {
        ThisProcess.overwriteFreedMemory()
        var keychain = try reporting { () throws(VestryError) in try Keychain() }
        // Asking first and then saying that it was in vain would be rude.
        if keychain.status().state == .noStore { throw Failure(VestryError(.noSuchKeychain)) }
        guard isReplacing || !PendingFile.isTaken(path: path) else {
            throw Failure(VestryError(.fileExists))
        }
        let prompt = PresencePrompt(asking)
        keychain.presenceHandler =
            isOnlyReadable ? prompt.handlerWhereSomebodyIs : prompt.handler
        let report: BackupReport
        if isSealedByCode {
            report = try backUpByCode(keychain, prompt)
        } else {
            report = try backUp(keychain, prompt, .passphrase(askForPassphrase()))
        }
        write(report)
        return .done
    }

    private func backUp(
        _ keychain: Keychain, _ prompt: PresencePrompt, _ secret: borrowing BackupSecret
    ) throws(Failure) -> BackupReport {
        try prompt.reporting { () throws(VestryError) in
            try keychain.backup(
                toFile: path, secret: secret, isReplacing: isReplacing,
                isOnlyReadable: isOnlyReadable)
        }
    }

    /// The code is where it is to be before the backup is: a backup that nothing opens is none.
    private func backUpByCode(
        _ keychain: Keychain, _ prompt: PresencePrompt
    ) throws(Failure) -> BackupReport {
        let code = BackupSecret.newRecoveryCode()
        guard let text = code.writtenCode else {
            throw Failure(VestryError(.parameter))
        }
        if let codePath {
            let file = try CodeFile(path: codePath)
            try file.write(text)
            let report = try backUp(keychain, prompt, code)
            try file.place()
            return report
        }
        guard let terminal = Terminal() else {
            throw Failure(
                .failure, "no terminal to show the recovery code on",
                hint: "nothing was written; --code-output writes it into a file")
        }
        let report = try backUp(keychain, prompt, code)
        try terminal.show(SecretBytes(copying: Array("Recovery code: ".utf8).span))
        try terminal.show(text)
        try terminal.show(
            SecretBytes(
                copying: Array(
                    "\nWrite it down: nothing else opens this backup.\n".utf8
                ).span))
        return report
    }

    private func askForPassphrase() throws(Failure) -> SecretBytes {
        let secret = try passphrase.read(asking: "Passphrase for the backup")
        guard secret.count > 0 else {
            throw Failure(
                .usage, "an empty passphrase seals nothing", code: .parameter,
                hint: "nothing was written; choose a passphrase of several words")
        }
        guard passphrase.isPerson else { return secret }
        let again = try passphrase.read(asking: "The same again")
        guard secret.constantTimeEquals(again) else {
            throw Failure(
                .mismatch, "the two passphrases differ", hint: "nothing was written; try again")
        }
        return secret
    }

    private func write(_ report: BackupReport) {
        if isJSON {
            let members = [JSON.Member("items", .number(Int64(report.itemCount)))]
            StandardStream.output.write(JSON.object(members + report.left.members).text + "\n")
        }
        StandardStream.error.write(report.left.text)
    }
}

/// A new file for a recovery code, mode 0600, which appears when the backup is there.
private struct CodeFile {
    private let file: PendingFile
    private let path: String

    init(path: String) throws(Failure) {
        self.path = path
        guard !PendingFile.isTaken(path: path) else { throw Failure(VestryError(.fileExists)) }
        file = try Self.reporting(path) { () throws(SystemCallError) in
            try PendingFile(path: path)
        }
    }

    func write(_ text: borrowing SecretBytes) throws(Failure) {
        try Self.reporting(path) { () throws(SystemCallError) in
            try text.withBytes { (bytes) throws(SystemCallError) in try file.write(bytes) }
            try file.write([0x0A])
        }
    }

    func place() throws(Failure) {
        let isPlaced = try Self.reporting(path) { () throws(SystemCallError) in
            try file.place(isReplacing: false)
        }
        guard isPlaced else { throw Failure(VestryError(.fileExists)) }
    }

    private static func reporting<Value>(
        _ path: String, _ body: () throws(SystemCallError) -> Value
    ) throws(Failure) -> Value {
        do throws(SystemCallError) {
            return try body()
        } catch {
            throw Failure(
                .failure, "\(path.escapedForTerminal): \(error)",
                hint: "name a file that can be made there")
        }
    }
}

extension LeftItems {
    /// For people, a line for each reason; nothing where nothing was left.
    var text: String {
        func line(_ count: Int, _ reason: String) -> String {
            count == 0 ? "" : "vestry: without \(count.counted("item")) \(reason)\n"
        }
        return line(thisDeviceOnly, "of this device alone")
            + line(applicationPassword, "with an application password")
            + line(locked, "that could not be read") + line(damaged, "that did not open")
    }

    var members: [JSON.Member] {
        [
            .init("thisDeviceOnly", .number(Int64(thisDeviceOnly))),
            .init("applicationPassword", .number(Int64(applicationPassword))),
            .init("locked", .number(Int64(locked))), .init("damaged", .number(Int64(damaged))),
        ]
    }
}
