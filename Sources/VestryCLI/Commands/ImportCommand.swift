internal import Glibc
internal import LinuxSystem
internal import SecureMemory
internal import Transfer
internal import Vestry

/// `vestry import`: takes the passwords over that another program keeps.
struct ImportCommand: Command, Equatable {
    static let name = "import"
    static let usage = """
        usage: vestry import --format FORMAT [OPTION...] [FILE]

        Takes the passwords over that another program keeps: all of them, or none where something
        fails. What would become of each is found out first, and a person says on the terminal
        whether to go on. How fields become attributes is in vestry-import(1). FILE stays as it is;
        where it has plain text, remove it afterwards.

          --format FORMAT             backup         a backup of vestry, as 'vestry restore'
                                      json           what 'vestry export --json' prints
                                      pass           the folder of pass, by gpg
                                      keepass-xml    the XML of KeePass and KeePassXC
                                      keepass-csv    the CSV of KeePass 1 and KeePassXC
                                      csv            logins in CSV, of browsers and others
                                      netrc          ~/.netrc
                                      git            ~/.git-credentials
                                      docker         ~/.docker/config.json
                                      macos          what 'security dump-keychain -d' prints
                                      secret-service  gnome-keyring, KWallet or KeePassXC, on the
                                                     session bus, without a FILE
          --accessible CLASS          when new items can be read: after-first-unlock unless given
          --skip-malformed            pass over entries that are malformed, and name them; without
                                      it they are exit status 1, and nothing is imported
          --timeout TIME              of a Secret Service: how long its question may stay without an
                                      answer, before it is exit status 11: seconds, or a number with
                                      a unit as in 90s or 10m; 5m unless given
          --passphrase-fd N           of a backup: as for 'vestry restore'
          --pinentry                  of a backup: as for 'vestry restore'
        \(MergeArguments.usage)
          --json                      print {"dryRun":BOOLEAN,"items":[ITEM...],"passedOver":COUNT}:
                                      for each item that came in those of 'vestry list', and
                                      result, conflict; and how many entries were passed over;
                                      of a backup, as for 'vestry restore'

        """
    static let options: [Arguments.Option] =
        MergeArguments.options + [
            .value("--format"), .value("--accessible"), .flag("--skip-malformed"),
            .value("--timeout"), .value("--passphrase-fd"), Pinentry.option,
        ]

    enum Format: String, CaseIterable {
        case backup, json, pass, csv, netrc, git, docker, macos
        case keePassXML = "keepass-xml"
        case keePassCSV = "keepass-csv"
        case secretService = "secret-service"
    }

    let format: Format
    /// What is read; of the Secret Service, what it is called in messages.
    let path: String
    let accessibility: Accessibility?
    let isSkipping: Bool
    let merging: MergeArguments
    let timeoutSeconds: Int
    /// Nil for another format than a backup.
    let restoring: RestoreCommand?

    init(_ arguments: Arguments) throws(UsageError) {
        guard let word = arguments.value(of: "--format"), let format = Format(rawValue: word) else {
            let words = Format.allCases.map(\.rawValue).joined(separator: ", ")
            throw Self.usageError("option '--format' needs one of \(words)")
        }
        self.format = format
        if format == .secretService {
            guard arguments.operands.isEmpty else {
                throw Self.usageError("the format secret-service takes no FILE")
            }
            path = format.rawValue
        } else {
            guard arguments.operands.count == 1, let path = arguments.operands.first else {
                throw Self.usageError("expected one FILE")
            }
            self.path = path
        }
        accessibility = try ClassArgument.value(of: "--accessible", in: arguments, of: Self.self)
        isSkipping = arguments.has("--skip-malformed")
        merging = try MergeArguments(arguments, of: Self.self)
        restoring = format == .backup ? try RestoreCommand(arguments) : nil
        guard format == .backup || arguments.value(of: "--passphrase-fd") == nil else {
            throw Self.usageError("--passphrase-fd is for the format backup")
        }
        timeoutSeconds = try Self.timeoutSeconds(arguments, format)
        guard format != .backup || (accessibility == nil && !isSkipping) else {
            throw Self.usageError("--accessible and --skip-malformed are not for the format backup")
        }
    }

    private static func timeoutSeconds(
        _ arguments: Arguments, _ format: Format
    ) throws(UsageError) -> Int {
        guard let timeout = try TimeSpan.value(of: "--timeout", in: arguments, of: Self.self) else {
            return 300
        }
        guard format == .secretService else {
            throw Self.usageError("--timeout is for the format secret-service")
        }
        return Int(clamping: timeout.components.seconds)
    }

    func run() throws(Failure) -> ExitStatus {
        ThisProcess.overwriteFreedMemory()
        if let restoring { return try restoring.run() }
        let batch: ImportBatch
        do throws(ImportProblem) {
            batch = try read()
        } catch {
            throw failure(error, isOfAll: true)
        }
        if let problem = batch.problems.first {
            guard isSkipping else { throw failure(problem, of: batch.problems.count) }
            for problem in batch.problems {
                StandardStream.error.write("vestry: passed over: \(text(problem))\n")
            }
        }
        if !batch.leftOut.isEmpty {
            let parts = batch.leftOut.joined(separator: "; ").escapedForTerminal
            StandardStream.error.write(
                "vestry: not taken over: \(parts)\n"
                    + "vestry: hint: look at them before you remove the file\n")
        }
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        let (items, count) = (batch.items, batch.problems.count)
        let members = [JSON.Member("passedOver", .number(Int64(count)))]
        try merging.run(members: members) { (options) throws(Failure) in
            var options = options
            if let accessibility { options.accessibility = accessibility }
            return try reporting { () throws(VestryError) in
                try keychain.merge(items, options: options)
            }
        }
        return .done
    }

    private func read() throws(ImportProblem) -> ImportBatch {
        if format == .pass {
            return try PasswordStore.read(path) { (path) throws(ImportProblem) in
                try Self.decrypted(path)
            }
        }
        if format == .secretService {
            let seconds = timeoutSeconds
            return try SecretService.read(timeoutSeconds: seconds) {
                StandardStream.error.write(
                    "vestry: the Secret Service asks in a window of its own, and is waited for "
                        + "\(seconds.counted("second"))\n")
            }
        }
        let file = try contents()
        switch format {
        case .backup, .pass, .secretService: return ImportBatch()
        case .json: return try ExportedItems.read(file)
        case .csv: return try CSVLogins.read(file)
        case .keePassCSV: return try CSVLogins.read(file, isKeePass: true)
        case .keePassXML: return try KeePassXML.read(file)
        case .netrc: return try NetrcFile.read(file)
        case .git: return GitCredentials.read(file)
        case .docker: return try DockerConfig.read(file)
        case .macos: return try KeychainDump.read(file)
        }
    }

    private func contents() throws(ImportProblem) -> SecretBytes {
        let limit = ImportBatch.maximumByteCount
        let contents: SecretBytes
        do throws(SystemCallError) {
            if path == "-" {
                contents = try SecretInput.read(from: STDIN_FILENO, limit: limit + 1)
            } else {
                let file = try FileDescriptor(
                    opening: path, in: AT_FDCWD, flags: O_RDONLY | O_NOCTTY)
                contents = try SecretInput.read(from: file.rawValue, limit: limit + 1)
            }
        } catch {
            throw ImportProblem("\(error)", .unreadable)
        }
        guard contents.count <= limit else {
            throw ImportProblem("more than \(limit >> 20) MiB")
        }
        return contents
    }

    private static func decrypted(_ path: String) throws(ImportProblem) -> SecretBytes {
        do throws(SystemCallError) {
            let program = try RunningProgram([
                "gpg", "--quiet", "--yes", "--no-encrypt-to", "--decrypt", "--", path,
            ])
            let text = try SecretInput.read(
                from: program.output.rawValue, limit: Keychain.maximumSecretByteCount)
            guard program.hasSucceeded() else { throw SystemCallError("gpg", errno: ENOKEY) }
            return text
        } catch  where error.errno == ENOENT {
            throw ImportProblem("it takes the program 'gpg' (package gnupg)")
        } catch  where error.errno == ENOKEY {
            throw ImportProblem("gpg does not decrypt it; 'gpg --decrypt' says why")
        } catch {
            throw ImportProblem("\(error)")
        }
    }

    private func failure(
        _ problem: ImportProblem, of count: Int = 1, isOfAll: Bool = false
    ) -> Failure {
        let more = count > 1 ? " (and \(count - 1) more)" : ""
        let unlocking =
            "nothing was changed; unlock the collection in the service's own program, and import again"
        let (status, reason, hint): (ExitStatus, String, String) =
            switch problem.kind {
            case .malformed where problem.line == nil || isOfAll:
                (
                    .failure, "malformed",
                    "nothing was changed; --format says what kind of file it is"
                )
            case .malformed:
                (
                    .failure, "malformed",
                    "nothing was changed; --skip-malformed passes over such entries"
                )
            case .unreadable:
                (
                    .failure, "unreadable",
                    "nothing was changed; name a file that is there and that you may read"
                )
            case .unavailable:
                (
                    .unavailable, "unavailable",
                    "nothing was changed; run it in the session where the service runs"
                )
            case .locked: (.locked, "locked", unlocking)
            case .cancelled: (.cancelled, "cancelled", unlocking)
            case .timedOut: (.timedOut, "timedOut", unlocking)
            }
        return Failure(status, text(problem) + more, reason: reason, hint: hint)
    }

    private func text(_ problem: ImportProblem) -> String {
        let place = problem.line.map { ", line \($0)" } ?? ""
        return "\(path.escapedForTerminal)\(place): \(problem.reason.escapedForTerminal)"
    }
}
