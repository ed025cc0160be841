/// One verb of the command line.
protocol Command: Sendable {
    static var name: String { get }
    /// What `--help` prints, before the name of the manual page.
    static var usage: String { get }
    static var options: [Arguments.Option] { get }

    /// Checks everything that can be checked without doing anything.
    init(_ arguments: Arguments) throws(UsageError)

    func run() throws(Failure) -> ExitStatus
}

extension Command {
    static func usageError(_ message: String) -> UsageError { UsageError(message, verb: name) }
}

/// What the arguments ask for.
enum Invocation {
    case showUsage(String)
    case showVersion
    case run(any Command)
    case runSecurity(SecurityCommand)

    static var commands: [any Command.Type] {
        [
            SetCommand.self, GetCommand.self, ShowCommand.self, ListCommand.self,
            RenameCommand.self, DeleteCommand.self, HistoryCommand.self, UndoCommand.self,
            DeletedCommand.self, EraseCommand.self, SnapshotsCommand.self, RotateCommand.self,
            GenerateCommand.self, StatusCommand.self, LockCommand.self, UnlockCommand.self,
            RewrapCommand.self, RecoverCommand.self, ProtectorsCommand.self, WaitCommand.self,
            BackupCommand.self, RestoreCommand.self, ExportCommand.self, ImportCommand.self,
            DoctorCommand.self, CheckCommand.self, RepairCommand.self, CompleteCommand.self,
        ]
    }

    static let usage = """
        usage: vestry VERB [OPTION...] [ARGUMENT...]

        Keeps secrets that your login opens: see vestry(1).

          set       store a secret, a certificate or a key
          get       print a secret
          show      print the attributes of an item
          list      show the items, without their secrets
          rename    give an item other names
          delete    remove an item, or all that match
          history   show what is kept of an item's past
          undo      bring back an old secret, or a deleted item
          deleted   show the deleted items that are kept
          erase     remove what is kept of the past, for good
          snapshots show, make and restore copies of the whole keychain
          rotate    change the class keys, and seal everything anew
          generate  make a password, to print or to store it
          status    say what can be read now, and why not more
          lock      drop the keys from the kernel
          unlock    open the keychain with the login password
          rewrap    make the keychain open with a changed login password
          recover   open the keychain with a recovery code, and set the login password anew
          protectors  show, add or remove what opens the keychain besides the login password
          wait      sleep until items can be read
          backup    write all items into one sealed file
          restore   put the items of a backup back
          export    print all items with their secrets, in plain text
          import    take the passwords over that another program keeps
          doctor    check everything that this depends on, and say what puts it right
          check     look at every byte of the keychain, and name what is damaged
          repair    save what opens of a damaged keychain, and put the rest aside
          complete  say what a word of a command line can become, for the shells
          security  work as the command 'security' of macOS does
          help      show this text, or 'vestry help VERB' that verb's

        'vestry VERB --help' shows a verb's arguments, 'vestry --version' the version. With --json,
        which every verb but security takes, a failure is one line of JSON on standard error.

        exit status:
           0  done                            6  damaged
           1  failure                         7  duplicate
           2  wrong usage                     8  denied
           3  not found, or no keychain yet   9  unavailable
           4  locked                         10  cancelled
           5  wrong password, or mismatch    11  timed out

        """

    init(parsing arguments: [String]) throws {
        guard let verb = arguments.first else { throw UsageError("no verb") }
        let rest = Array(arguments.dropFirst())
        switch verb {
        case "--help":
            self = .showUsage(Self.usage)
        case "--version":
            self = .showVersion
        case "help":
            self = try Self.help(rest)
        case SecurityCommand.name:
            let isHelp = rest.first == "--help" || rest.first == "help"
            self =
                isHelp
                ? .showUsage(SecurityCommand.usage)
                : .runSecurity(try SecurityCommand(parsing: rest))
        default:
            let type = try Self.command(named: verb)
            var options = type.options + [.flag("--help"), .flag("--version")]
            if !options.contains(.flag("--json")) { options.append(.flag("--json")) }
            let parsed = try Arguments(parsing: rest, options: options, verb: verb)
            if parsed.has("--help") {
                self = .showUsage(ManualPage.help(of: type))
            } else if parsed.has("--version") {
                self = .showVersion
            } else {
                self = .run(try type.init(parsed))
            }
        }
    }

    private static func help(_ arguments: [String]) throws(UsageError) -> Invocation {
        guard arguments.count <= 1 else { throw UsageError("help: expected at most one VERB") }
        guard let verb = arguments.first, verb != "--help" else { return .showUsage(usage) }
        if verb == "--version" { return .showVersion }
        if verb == SecurityCommand.name { return .showUsage(SecurityCommand.usage) }
        return .showUsage(ManualPage.help(of: try command(named: verb)))
    }

    private static func command(named verb: String) throws(UsageError) -> any Command.Type {
        guard let type = commands.first(where: { $0.name == verb }) else {
            throw UsageError("unknown verb '\(verb.escapedForTerminal)'")
        }
        return type
    }
}
