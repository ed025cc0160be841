/// Makes the report on one service.
struct ServiceJudge {
    static let module = "pam_vestry"
    static let authLine = "auth optional pam_vestry.so"
    static let sessionLine = "session optional pam_vestry.so"
    static let passwordLine = "password optional pam_vestry.so"

    let host: StackHost
    var report: ServiceReport

    init(service: String, host: StackHost) {
        self.host = host
        report = ServiceReport(service: service, nature: ServiceNature(of: service))
    }

    mutating func add(
        _ code: String, _ severity: StackFinding.Severity, _ message: String, fix: String?
    ) {
        let finding = StackFinding(code: code, severity: severity, message: message, fix: fix)
        if !report.findings.contains(finding) { report.findings.append(finding) }
    }

    /// How bad it is that a line that is there does not work.
    ///
    /// That there is none in a service of which nobody expects anything is no finding.
    var severityOfMisplacement: StackFinding.Severity {
        report.nature.isExpectedToWork ? .problem : .warning
    }

    mutating func judge(auth: Stack, account: Stack, session: Stack, password: Stack) {
        for stack in [auth, account, session, password] {
            checkControls(in: stack)
            for entry in stack.entries where entry.isMalformed {
                add(
                    "pam-line-malformed", .warning,
                    "\(entry.place) is no line that libpam understands; it makes the stack fail",
                    fix: "put it right, or take it out")
            }
        }
        let opensAtAuth = judgeAuth(auth)
        let sessionIsReached = judgeSession(session)
        judgePassword(password)
        switch report.nature {
        case .login, .switchUser, .unknown, .locker:
            // A screen locker opens no session; its auth line asks the unlock service at once.
            report.unlocks = opensAtAuth && (sessionIsReached || session.entries.isEmpty)
        case .silent, .greeter, .withoutPassword, .otherPurpose, .rootSetsPasswords:
            report.unlocks = false
        }
        summarize(auth: auth, session: session)
    }

    /// libpam refuses the whole service.
    mutating func refuse(_ error: StackError) {
        switch error {
        case .missingFile(let name, let place):
            add(
                "pam-include-missing", .problem,
                "\(place) includes '\(name)', which is not there: libpam refuses the service",
                fix: "put the file back, or take the line out")
        case .tooDeep(let place):
            add(
                "pam-include-circle", .problem,
                "\(place) is part of a circle of includes: libpam refuses the service",
                fix: "take the line out")
        }
    }

    private mutating func checkControls(in stack: Stack) {
        for line in stack.lines(of: Self.module) {
            switch (stack.group, line.control.action(for: .ignore)) {
            case (.session, _):
                guard line.endsOnSuccess else { continue }
                add(
                    "pam-control-skips", .warning,
                    "\(line.place) has the control '\(line.controlText)', which skips the lines below",
                    fix: "write 'optional' there")
            case (_, .bad), (_, .die), (_, .jump):
                add(
                    "pam-control-refuses", .problem,
                    "\(line.place) has the control '\(line.controlText)', which refuses everybody",
                    fix: "write 'optional' there")
            default: continue
            }
        }
    }

    private mutating func summarize(auth: Stack, session: Stack) {
        guard report.findings.allSatisfy({ $0.severity < .warning }) else { return }
        let text: String
        switch report.nature {
        case .silent(let reason), .withoutPassword(let reason), .otherPurpose(let reason):
            text = report.counts ? reason + "; its session counts" : reason
        case .greeter: text = "is the greeter's own session"
        case .rootSetsPasswords: text = "sets passwords as root; the keychain keeps the one before"
        case .login, .switchUser, .locker, .unknown:
            var parts: [String] = []
            if report.unlocks {
                parts.append("opens the keychain")
            } else if auth.entries.isEmpty && session.entries.isEmpty {
                // Such as passwd.
            } else if !report.asksForPassword {
                parts.append("asks for no password")
            } else {
                parts.append("does not open the keychain")
            }
            if report.counts {
                parts.append("counts as a session")
            } else if report.nature == .switchUser {
                parts.append("stays in the caller's session")
            }
            if report.rewraps == true { parts.append("follows a change of the password") }
            text =
                parts.isEmpty
                ? "has nothing to do with the keychain" : parts.joined(separator: ", ")
        }
        add("pam-service", .ok, text, fix: nil)
    }
}
