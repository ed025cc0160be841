internal import Vestry

/// `vestry status`: says what can be read now, and why not more.
struct StatusCommand: Command, Equatable {
    static let name = "status"
    static let usage = """
        usage: vestry status [--json]

        Prints one word on the first line, the reason on the second, and on a third what to do, where
        there is something to do:

          unlocked            every item can be read            exit status 0
          after-first-unlock  the after-first-unlock items can  exit status 0
          no-store            there is no keychain yet          exit status 3
          locked              nothing can be read               exit status 4
          unavailable         something must be put right       the failure's: 1, 6, 8, 9 or 11

          --json  print one line of JSON instead:
                  {"state":WORD,"reason":WORD,"message":TEXT,"next":TEXT or null,
                  "code":NUMBER or null,"path":TEXT}, where reason is never-enrolled,
                  not-unlocked, no-session, session-locked, session-open or failure, and code is
                  the failure's number, Apple's where Apple has one. Later releases may add
                  members and reasons.

        """
    static let options: [Arguments.Option] = [.flag("--json")]

    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else { throw Self.usageError("expected no arguments") }
        isJSON = arguments.has("--json")
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        let report = Report(keychain.status())
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

        init(_ status: KeychainStatus) {
            self.status = status
            switch status.reason {
            case .neverEnrolled:
                message = "this account has no keychain yet"
                next = "log in once with your password: the first such login makes the keychain"
                exitStatus = .notFound
            case .notUnlocked:
                message = "not unlocked since the machine started, or locked with --all"
                next = "log in with your password, or run 'vestry unlock'"
                exitStatus = .locked
            case .noSession:
                message = "when-unlocked items are locked: no login session is open"
                next = nil
                exitStatus = .done
            case .sessionLocked:
                message =
                    "when-unlocked items are locked: the screen is locked, or 'vestry lock' was run"
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
            "\(status.state.rawValue)\n\(message)\n" + (next.map { "next: \($0)\n" } ?? "")
        }

        func json(path: String) -> JSON {
            .object([
                .init("state", .string(status.state.rawValue)),
                .init("reason", .string(status.reason.rawValue)),
                .init("message", .string(message)),
                .init("next", next.map(JSON.string) ?? .null),
                .init("code", status.error.map { .number(Int64($0.code.rawValue)) } ?? .null),
                .init("path", .string(path)),
            ])
        }
    }
}
