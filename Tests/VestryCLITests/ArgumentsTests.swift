import Testing
import Vestry

@testable import VestryCLI

@Suite struct ArgumentsTests {
    /// As `Character`s, "=" and an accent after it are one.
    @Test func aValueMayBeginWithAnAccent() throws {
        let arguments = try Arguments(
            parsing: ["--label=\u{301}x"], options: [.value("--label")], verb: "set")
        #expect(arguments.value(of: "--label") == "\u{301}x")
        let error = #expect(throws: UsageError.self) {
            try Arguments(parsing: ["--secret=\u{301}x"], options: [], verb: "set")
        }
        #expect(error?.message == "set: unknown option '--secret'")
    }

    @Test func aListTakesEachOfItsValues() throws {
        let arguments = try Arguments(
            parsing: ["--service", "b", "--service=a"], options: [.list("--service")],
            verb: "doctor")
        #expect(arguments.values(of: "--service") == ["b", "a"])
        #expect(try DoctorCommand(arguments).services == ["b", "a"])
        #expect(arguments.values(of: "--user") == [])
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        let arguments: [String]
        let message: String

        var testDescription: String { arguments.joined(separator: " ") }

        init(_ arguments: [String], _ message: String) {
            self.arguments = arguments
            self.message = message
        }
    }

    static let refusals = [
        Refusal([], "no verb"),
        Refusal(["frob"], "unknown verb 'frob'"),
        Refusal(["GET", "s", "a"], "unknown verb 'GET'"),
        Refusal(["\u{1B}[2J"], "unknown verb '\\u{1B}[2J'"),
        Refusal(["--verbose"], "unknown verb '--verbose'"),
        Refusal(["help", "frob"], "unknown verb 'frob'"),
        Refusal(["help", "get", "set"], "help: expected at most one VERB"),
        Refusal(["get"], "get: expected SERVICE and ACCOUNT"),
        Refusal(["get", "s"], "get: expected SERVICE and ACCOUNT"),
        Refusal(["get", "s", "a", "b"], "get: expected SERVICE and ACCOUNT"),
        Refusal(["get", "-n", "s", "a"], "get: unknown option '-n'"),
        Refusal(["get", "s", "a", "--frob"], "get: unknown option '--frob'"),
        Refusal(["get", "--frob=hunter2", "s", "a"], "get: unknown option '--frob'"),
        Refusal(["delete", "s"], "delete: expected SERVICE and ACCOUNT"),
        Refusal(["list", "a", "b"], "list: expected at most one SERVICE"),
        Refusal(["list", "--json", "--json"], "list: option '--json' is given twice"),
        Refusal(["list", "--json=yes"], "list: option '--json' takes no value"),
        Refusal(["status", "now"], "status: expected no arguments"),
        Refusal(["doctor", "sshd"], "doctor: expected no arguments"),
        Refusal(["doctor", "--user=a", "--user=b"], "doctor: option '--user' is given twice"),
        Refusal(["doctor", "--service"], "doctor: option '--service' needs a value"),
        Refusal(
            ["doctor", "--service", "../x"],
            "doctor: a service is the name of a file in /etc/pam.d"),
        Refusal(
            ["doctor", "--service="], "doctor: a service is the name of a file in /etc/pam.d"),
        Refusal(["lock", "all"], "lock: expected no arguments"),
        Refusal(["backup"], "backup: expected one FILE"),
        Refusal(["restore", "a", "b"], "restore: expected one FILE"),
        Refusal(
            ["backup", "--code-output=c", "--passphrase-fd=3", "f"],
            "backup: --passphrase-fd and --recovery-code exclude each other"),
        Refusal(
            ["restore", "--dry-run", "--yes", "f"],
            "restore: --dry-run and --yes exclude each other"),
        Refusal(
            ["restore", "--merge=mine", "f"],
            "restore: option '--merge' needs one of newest, stored, incoming, keep-both, ask"),
        Refusal(
            ["export", "--plain-text"], "export: expected --json, the one form that there is"),
        Refusal(
            ["export", "--json"],
            "export: the secrets would be in plain text: --plain-text says that this is meant"),
        Refusal(["import", "--format=csv"], "import: expected one FILE"),
        Refusal(
            ["import", "--format=secret-service", "f"],
            "import: the format secret-service takes no FILE"),
        Refusal(
            ["import", "--format=csv", "--passphrase-fd=3", "f"],
            "import: --passphrase-fd is for the format backup"),
        Refusal(["unlock", "--password-fd"], "unlock: option '--password-fd' needs a value"),
        Refusal(["unlock", "--password-fd", "x"], "unlock: option '--password-fd' needs a number"),
        Refusal(["unlock", "--password-fd=-1"], "unlock: option '--password-fd' needs a number"),
        Refusal(["unlock", "--password-fd="], "unlock: option '--password-fd' needs a number"),
        Refusal(
            ["unlock", "--password-fd=99999999999999999999"],
            "unlock: option '--password-fd' needs a number"),
        Refusal(
            ["unlock", "--pinentry", "--password-fd", "3"],
            "unlock: --password-fd and --pinentry exclude each other"),
        Refusal(["unlock", "hunter2"], "unlock: a password is never taken from the arguments"),
        Refusal(["recover", "CODE"], "recover: a secret is never taken from the arguments"),
        Refusal(
            ["recover", "--with", "key-file"],
            "recover: --with key-file and --with-file belong together"),
        Refusal(
            ["recover", "--with", "unknown"],
            "recover: option '--with' needs one of login-password, previous-password, "
                + "recovery-code, passphrase, key-file"),
        Refusal(
            ["recover", "--with", "key-file", "--with-file", "f", "--password-fd", "3"],
            "recover: --password-fd is not for a key file"),
        Refusal(["protectors"], "protectors: expected 'list', 'add KIND' or 'remove ID'"),
        Refusal(
            ["protectors", "add", "passphrase", "hunter2"],
            "protectors: expected 'add recovery-code', 'add passphrase' or 'add key-file FILE'"),
        Refusal(
            ["protectors", "add", "passphrase", "--make"],
            "protectors: an option is for another kind of protector"),
        Refusal(
            ["wait", "--timeout", "1.5"],
            "wait: option '--timeout' needs a number of seconds, or one with a unit as in 90s, 10m, "
                + "12h or 2d"),
        Refusal(
            ["get", "--wait=soon", "s", "a"],
            "get: option '--wait' needs a number of seconds, or one with a unit as in 90s, 10m, "
                + "12h or 2d"),
        Refusal(["get", "s", "a", "--wait"], "get: option '--wait' needs a value"),
        Refusal(["lock", "--user="], "lock: option '--user' needs a name"),
        Refusal(["wait", "--for", "afu"], "wait: option '--for' needs a CLASS, not 'afu'"),
        Refusal(
            ["set", "--accessible", "", "s", "a"],
            "set: option '--accessible' needs a CLASS, not ''"),
        Refusal(["set", "s", "a", "--label"], "set: option '--label' needs a value"),
        Refusal(
            ["set", "--add-only", "--update-only", "s", "a"],
            "set: --add-only and --update-only exclude each other"),
        Refusal(
            ["set", "--class", "password", "s", "a"],
            "set: option '--class' needs one of generic-password, internet-password, certificate, "
                + "key"),
        Refusal(
            ["set", "--class", "generic-password", "--port", "1", "s", "a"],
            "set: option '--port' is not for the class generic-password"),
        Refusal(
            ["set", "--server", "h", "--port", "65536"],
            "set: option '--port' needs a number from 0 to 65535"),
        Refusal(
            ["set", "--type", "abcde", "s", "a"],
            "set: option '--type' needs four ASCII characters or a number"),
        Refusal(
            ["set", "--invisible", "true", "s", "a"],
            "set: option '--invisible' needs 'yes' or 'no'"),
        Refusal(
            ["set", "--generic-hex", "abc", "s", "a"],
            "set: option '--generic-hex' needs bytes in hexadecimal, two digits each"),
        Refusal(
            ["set", "--generic", "a", "--generic-hex", "ab", "s", "a"],
            "set: option '--generic-hex' is given in another form too"),
        Refusal(
            ["set", "--service", "s", "s", "a"],
            "set: the same is given as an argument and in an option"),
        Refusal(
            ["set", "--expires", "2027-04-31", "s", "a"],
            "set: option '--expires' needs 'never', a time in UTC such as 2030-01-31T18:00:00Z, "
                + "or +30d (s, m, h, d)"),
        Refusal(["set", "--account", "a"], "set: expected SERVICE and ACCOUNT"),
        Refusal(
            ["set", "--protocol", "https", "a"], "set: an internet password needs --server"),
        Refusal(
            ["set", "--class", "key"],
            "set: give it from a file, with --certificate FILE or --key FILE"),
        Refusal(
            ["set", "--key", "k", "--certificate", "c"],
            "set: --certificate, --key and --keep-secret exclude each other"),
        Refusal(
            ["set", "--key", "k", "--update-only"], "set: certificates and keys are never replaced"),
        Refusal(
            ["set", "--synchronizable", "any", "s", "a"],
            "set: option '--synchronizable' needs yes or no here"),
        Refusal(
            ["set", "--require-password", "--access-control", "none", "s", "a"],
            "set: --require-password is an access control too"),
        Refusal(["show"], "show: expected SERVICE and ACCOUNT"),
        Refusal(["show", "--class", "key"], "show: expected an option that names the item"),
        Refusal(
            ["show", "--reference", "12"],
            "show: option '--reference' needs 32 hexadecimal digits"),
        Refusal(
            ["show", "--reference", String(repeating: "0", count: 32), "s", "a"],
            "show: option '--reference' names the item without the others"),
        Refusal(["rename", "s", "a"], "rename: expected a new name, such as --to-account TEXT"),
        Refusal(
            ["rename", "--to-server", "h", "s", "a"],
            "rename: option '--to-server' is not for the class generic-password"),
        Refusal(
            ["delete", "--all", "--class", "any"],
            "delete: option '--class' needs one of generic-password, internet-password, "
                + "certificate, key"),
        Refusal(["delete", "--yes", "s", "a"], "delete: --yes belongs to --all"),
        Refusal(
            ["list", "--limit", "0"], "list: option '--limit' needs a number of at least 1"),
        Refusal(
            ["list", "--complete", "--only-readable"],
            "list: --only-readable and --complete exclude each other"),
        Refusal(
            ["list", "--label-contains", "a", "--label-ends-with", "b"],
            "list: only one of the options '--label-...' can be given"),
        Refusal(
            ["list", "--class", "any", "--service", "s"],
            "list: with --class any, only what items of every class have"),
        Refusal(
            ["generate", "--length", "2"],
            "generate: option '--length' needs a number from 3 to 4096"
        ),
        Refusal(
            ["generate", "--characters", "lower,vowels"],
            "generate: option '--characters' needs some of lower, upper, digits, symbols"),
        Refusal(["generate", "--add-only"], "generate: expected SERVICE and ACCOUNT"),
    ]

    @Test(arguments: refusals)
    func refuses(_ refusal: Refusal) {
        #expect {
            _ = try Invocation(parsing: refusal.arguments)
        } throws: {
            ($0 as? UsageError)?.message == refusal.message
        }
    }

    @Test func aThirdOperandOfSetIsNotShown() {
        #expect {
            _ = try Invocation(parsing: ["set", "s", "a", "hunter2"])
        } throws: {
            guard let error = $0 as? UsageError else { return false }
            return error.message.contains("never taken from the arguments")
                && !error.message.contains("hunter2") && !error.hint.contains("hunter2")
        }
    }

    private func command(_ arguments: [String]) throws -> any Command {
        guard case .run(let command) = try Invocation(parsing: arguments) else {
            throw UsageError("no command")
        }
        return command
    }

    @Test func optionsMayStandAnywhereBeforeTheDashes() throws {
        let variants = [
            ["set", "--label", "L", "s", "a"], ["set", "s", "--label=L", "a"],
            ["set", "s", "a", "--label", "L"], ["set", "--label=L", "--", "s", "a"],
        ]
        for arguments in variants {
            let set = try #require(try command(arguments) as? SetCommand)
            let expected: [ItemAttribute: AttributeValue] = [
                .service: "s", .account: "a", .label: "L",
            ]
            #expect(set.storage.item.values == expected)
        }
    }

    @Test func namesMayBeAnything() throws {
        let names = ["", "-", "--", "--json", "-n", "../../x", "a\nb", "=", "None"]
        for name in names {
            let get = try #require(try command(["get", "--", name, ""]) as? GetCommand)
            #expect(get.selection.item.key == ItemKey(service: name, account: ""))
        }
    }

    @Test func optionValuesMayBeEmptyOrHoldAnEqualsSign() throws {
        for (argument, label) in [("--label=", ""), ("--label=a=b", "a=b"), ("--label=--", "--")] {
            let set = try #require(try command(["set", argument, "s", "a"]) as? SetCommand)
            #expect(set.storage.item.values[.label] == .string(label))
        }
    }

    @Test(arguments: Accessibility.allCases)
    func everyClassHasItsWord(_ accessibility: Accessibility) throws {
        let arguments = ["set", "--accessible", accessibility.rawValue, "s", "a"]
        let set = try #require(try command(arguments) as? SetCommand)
        #expect(set.storage.item.values[.accessible] == .string(accessibility.appleName))
    }

    @Test(
        arguments: [
            ("0", 0), ("30", 30), ("30s", 30), ("10m", 600), ("12h", 43_200), ("2d", 172_800),
            ("1000000000d", 86_400_000_000_000), ("", nil), ("s", nil), ("-1", nil), ("+1", nil),
            ("1.5h", nil), (" 1", nil), ("1 m", nil), ("1M", nil), ("1h30m", nil),
            ("1000000001", nil), ("99999999999999999999d", nil), ("\u{661}", nil),
        ] as [(String, Int?)])
    func aTimeSpanIsANumberAndAUnit(_ text: String, seconds: Int?) throws {
        #expect(TimeSpan.seconds(text) == seconds)
        let wait = try? command(["wait", "--timeout", text]) as? WaitCommand
        #expect(wait?.timeout == seconds.map { .seconds($0) })
        let get = try? command(["get", "--wait=\(text)", "s", "a"]) as? GetCommand
        #expect(get?.patience == seconds.map { .seconds($0) })
    }

    @Test func aMomentFromNowNeedsItsUnit() {
        #expect(TimeSpan.seconds("30", needsUnit: true) == nil)
        #expect(TimeSpan.seconds("30d", needsUnit: true) == 2_592_000)
    }

    @Test func defaultsAreAsDocumented() throws {
        let wait = try #require(try command(["wait"]) as? WaitCommand)
        #expect(wait.accessibility == .afterFirstUnlock)
        #expect(wait.timeout == nil)
        let get = try #require(try command(["get", "s", "a"]) as? GetCommand)
        #expect(get.patience == nil)
        #expect(get.asking == .terminal)
        let lock = try #require(try command(["lock"]) as? LockCommand)
        #expect(!lock.isAll)
        #expect(lock.user == nil)
        let unlock = try #require(try command(["unlock"]) as? UnlockCommand)
        #expect(unlock.password.isPerson)
    }

    @Test func pinentryAsksWhereItIsNamed() throws {
        let get = try #require(try command(["get", "--pinentry", "s", "a"]) as? GetCommand)
        #expect(get.asking == .pinentry)
        let unlock = try #require(try command(["unlock", "--pinentry"]) as? UnlockCommand)
        #expect(unlock.password.isPerson)
        #expect(unlock != (try command(["unlock"]) as? UnlockCommand))
        #expect(throws: UsageError.self) { try command(["rewrap", "--pinentry"]) }
    }

    @Test func everyVerbExplainsItself() throws {
        for type in Invocation.commands {
            for arguments in [
                [type.name, "--help"], ["help", type.name], [type.name, "x", "--help"],
            ] {
                guard case .showUsage(let text) = try Invocation(parsing: arguments) else {
                    Issue.record("\(arguments)")
                    continue
                }
                #expect(text == ManualPage.help(of: type))
                #expect(text.hasPrefix(type.usage))
            }
            #expect(type.usage.hasPrefix("usage: vestry \(type.name)"))
            #expect(type.usage.hasSuffix("\n"))
            #expect(Invocation.usage.contains("  \(type.name) "))
            for option in type.options { #expect(type.usage.contains(option.name)) }
            let pages = ManualPage.allCases.filter { page in
                page.verbs.contains { $0.name == type.name }
            }
            #expect(pages.count == 1)
        }
    }

    @Test func noLineOfHelpIsWiderThanATerminal() {
        for text in [Invocation.usage] + Invocation.commands.map({ $0.usage }) {
            for line in text.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
        }
    }
}
