internal import LinuxSystem
internal import Vestry

/// `vestry status`: says what can be read now, and why not more.
struct StatusCommand: Command, Equatable {
    static let name = "status"
    static let usage = """
        usage: vestry status [--json]

        Prints one word on the first line, the reason on the second, and on a third what to do, where
        there is something to do; then a line for each open login session, and whether a password
        came with it:

          unlocked            every item can be read            exit status 0
          after-first-unlock  the after-first-unlock items can  exit status 0
          no-store            there is no keychain yet          exit status 3
          no-password         nor a password that makes one     exit status 3
          locked              nothing can be read               exit status 4
          unavailable         something must be put right       the failure's: 1, 6, 8, 9 or 11

          --json  print one line of JSON instead:
                  {"state":WORD,"reason":WORD,"message":TEXT,"next":TEXT or null,
                  "code":NUMBER or null,"mismatchSince":SECONDS or null,
                  "classesBehind":[CLASS...],"behindSince":SECONDS or null,
                  "isOfAnotherMachine":BOOLEAN,"deviceKey":WORD or null,"path":TEXT,
                  "sessions":[{"since":SECONDS,"program":TEXT,"id":TEXT or null,
                  "gavePassword":BOOLEAN}...]}, where reason is never-enrolled, not-unlocked,
                  password-mismatch, other-secret, no-password, no-session, session-locked,
                  session-open or failure, code is the failure's number, Apple's where Apple has
                  one, mismatchSince, in seconds since 1970, is since when logins have had another
                  password than the keychain, classesBehind what the login password does not
                  open since behindSince, deviceKey, where this-device-only items are locked
                  because of this machine's device key, is missing, shut or missed, and id is
                  the session's name in loginctl. Later releases may add members and reasons.

        """
    static let options: [Arguments.Option] = [.flag("--json")]

    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else { throw Self.usageError("expected no arguments") }
        isJSON = arguments.has("--json")
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        let report = Report(keychain.statusOfAccount())
        StandardStream.output.write(
            isJSON ? report.json(path: keychain.path).text + "\n" : report.text)
        return report.exitStatus
    }

    /// A status in words.
    struct Report {
        let status: KeychainStatus
        let message: String
        let next: String?
        let exitStatus: ExitStatus

        static let unlockHint = "run 'vestry unlock'"
        static let rewrapHint = "'vestry rewrap' asks for the password before it and heals this"
        static let recoverHint =
            "'vestry recover --with KIND' makes the keychain open with the login password; 'vestry "
            + "protectors list' shows which kinds there are"
        static let passwordlessHint =
            "'vestry protectors add passphrase' (or recovery-code, key-file) makes one that opens with "
            + "it; or set a password with 'passwd', and log in with it"

        var rewrapHint: String { status.hasLoginPassword ? Self.rewrapHint : Self.recoverHint }

        init(_ status: KeychainStatus) {
            self.status = status
            // Who logs in by key gives none at the next login either.
            let gaveNone =
                !status.sessions.isEmpty && status.sessions.allSatisfy { !$0.gavePassword }
            switch status.reason {
            case .neverEnrolled:
                message = "this account has no keychain yet"
                next = Failure.enrollHint
                exitStatus = .notFound
            case .notUnlocked:
                message = "not unlocked since the machine started, or locked with --all"
                next =
                    gaveNone
                    ? Self.unlockHint : Failure.unlockHint
                exitStatus = .locked
            case .passwordMismatch:
                message = "the login password does not open this keychain"
                next = status.hasLoginPassword ? Self.rewrapHint : Self.recoverHint
                exitStatus = .locked
            case .otherSecret:
                message =
                    "the last login gave something else than the account's password, such as one with "
                    + "a code behind it"
                next =
                    "run 'vestry unlock'; if every login gives that, 'vestry rewrap' makes the keychain "
                    + "open with it, and for a code, 'vestry doctor' says where the module's line belongs"
                exitStatus = .locked
            case .noPassword where status.state == .noPassword:
                message = "this account has no keychain, and no password to make one with"
                next = Self.passwordlessHint
                exitStatus = .notFound
            case .noPassword:
                message = "this account has no password: no login opens the keychain"
                next =
                    "run 'vestry unlock', which takes the last password, or 'vestry unlock --with KIND'"
                exitStatus = .locked
            case .noSession:
                message = "when-unlocked items are locked: no login session is open"
                next = nil
                exitStatus = .done
            case .sessionLocked where gaveNone:
                message =
                    "when-unlocked items are locked: no open session gave a password, or "
                    + "'vestry lock' was run"
                next = Self.unlockHint
                exitStatus = .done
            case .sessionLocked:
                message =
                    "when-unlocked items are locked: by the screen, by sleep, or by 'vestry lock'"
                next = "unlock the screen, or run 'vestry unlock'"
                exitStatus = .done
            case .sessionOpen:
                message = "a login session is open"
                next = nil
                exitStatus = .done
            case .failure:
                let failure = status.error.map(Failure.init)
                message = failure?.message ?? "unknown"
                next = failure?.hint
                exitStatus = failure?.status ?? .failure
            }
        }

        var text: String {
            var reason = message
            if status.reason == .passwordMismatch, let since = status.mismatchSince {
                reason += ", since \(Moment.text(since))"
            }
            var lines = [status.state.rawValue, reason] + (next.map { ["next: \($0)"] } ?? [])
            if status.mismatchSince != nil && status.reason != .passwordMismatch {
                lines.append(
                    "the login password does not open this keychain: it locks at the next reboot")
                lines.append("next: \(rewrapHint)")
            }
            if !status.classesBehind.isEmpty {
                let since = status.behindSince.map { " since \(Moment.text($0))" } ?? ""
                lines.append(
                    "the login password\(since) does not open, for they were not open when it was new: "
                        + status.classesBehind.joined(separator: ", "))
                if next != rewrapHint { lines.append("next: \(rewrapHint)") }
            }
            if status.isOfAnotherMachine {
                lines.append("this-device-only items: these are another machine's")
                lines.append("next: 'vestry rewrap' lets new ones be stored on this machine")
            }
            if let fault = status.deviceKeyFault {
                lines.append("this-device-only items are locked: \(Self.cause(of: fault))")
                lines.append("next: \(Self.next(of: fault))")
            }
            lines += status.sessions.map(Self.line)
            return lines.map { $0 + "\n" }.joined()
        }

        static func cause(of fault: KeychainStatus.DeviceKeyFault) -> String {
            switch fault {
            case .missing: "this machine's device key is missing, damaged, or not root's alone"
            case .shut: "this machine's device key is sealed and does not open"
            case .missed: "this machine's device key was not at hand at the last unlock"
            }
        }

        static func next(of fault: KeychainStatus.DeviceKeyFault) -> String {
            switch fault {
            case .missing, .shut: DeviceKeyChecks.statusHint
            case .missed: unlockHint
            }
        }

        private static func line(_ session: LoginSession) -> String {
            let name = session.identifier.map { "session \($0.escapedForTerminal)" } ?? "session"
            return "\(name) by \(session.program.escapedForTerminal) since "
                + "\(Moment.text(session.since)): "
                + (session.gavePassword ? "password given" : "no password")
        }

        func json(path: String) -> JSON {
            .object([
                .init("state", .string(status.state.rawValue)),
                .init("reason", .string(status.reason.rawValue)),
                .init("message", .string(message)),
                .init("next", next.map(JSON.string) ?? .null),
                .init("code", status.error.map { .number(Int64($0.code.rawValue)) } ?? .null),
                .init("mismatchSince", status.mismatchSince.map(JSON.number) ?? .null),
                .init("classesBehind", .array(status.classesBehind.map(JSON.string))),
                .init("behindSince", status.behindSince.map(JSON.number) ?? .null),
                .init("isOfAnotherMachine", .bool(status.isOfAnotherMachine)),
                .init("deviceKey", status.deviceKeyFault.map { .string($0.rawValue) } ?? .null),
                .init("path", .string(path)),
                .init("sessions", .array(status.sessions.map(Self.json))),
            ])
        }

        private static func json(_ session: LoginSession) -> JSON {
            .object([
                .init("since", .number(session.since)),
                .init("program", .string(session.program)),
                .init("id", session.identifier.map(JSON.string) ?? .null),
                .init("gavePassword", .bool(session.gavePassword)),
            ])
        }
    }
}
