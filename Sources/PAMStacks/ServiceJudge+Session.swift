extension ServiceJudge {
    private static let keyringModule = "pam_keyinit"
    private static let keyringLine = "session optional pam_keyinit.so force revoke"

    /// Whether the session line is reached on all ways.
    mutating func judgeSession(_ stack: Stack) -> Bool {
        let simulation = Simulation(
            stack: stack, service: report.service, isInstalled: host.isInstalled)
        let paths = simulation.successfulPaths()
        let reaching = paths.filter { $0.ownStep(in: stack) != nil }
        let line = stack.lines(of: Self.module).first { !$0.isLate }
        switch report.nature {
        case .silent:
            if let line, !reaching.isEmpty { warnOfJob(line) }
            return false
        case .greeter:
            // Debian 13's includes the common files; its user is not served.
            return false
        case .otherPurpose, .rootSetsPasswords, .locker:
            return !paths.isEmpty && reaching.count == paths.count
        case .login, .withoutPassword, .switchUser, .unknown: break
        }
        guard !stack.entries.isEmpty, !paths.isEmpty else { return false }
        guard let line else {
            guard report.nature.isExpectedToWork else { return false }
            add(
                "pam-session-line-missing", .problem,
                "no session line of pam_vestry.so: the session does not count, and opens nothing",
                fix: placement(in: simulation))
            return false
        }
        if let path = paths.first(where: { $0.ownStep(in: stack) == nil }) {
            add(
                "pam-session-line-skipped", severityOfMisplacement,
                "\(line.place) is not reached: \(path.ending(in: stack))",
                fix: placement(in: simulation))
            return false
        }
        warnOfUserManager(paths, line, in: simulation)
        report.counts = judgeKeyring(paths, line, in: simulation)
        return true
    }

    private func placement(in simulation: Simulation) -> String {
        Placement(Self.sessionLine, name: Self.module, host.profile).fix(in: simulation) {
            path, stack in
            guard let own = path.ownStep(in: stack) else { return false }
            let manager = path.step(of: "pam_systemd", in: stack) ?? .max
            let keyring = path.step(of: Self.keyringModule, in: stack) ?? -1
            return keyring < own && own < manager
        }
    }

    /// Jobs that count as sessions keep the when-unlocked classes open after the person has left.
    private mutating func warnOfJob(_ line: StackLine) {
        add(
            "pam-session-line-in-job", .warning,
            "\(line.place) makes a session of every job: when-unlocked items stay open while one runs",
            fix: line.place.path.hasSuffix("common-session-noninteractive")
                ? "take the line out; it belongs into common-session alone"
                : "take the line out of this service's session stack")
    }

    private mutating func warnOfUserManager(
        _ paths: [Simulation.Path], _ line: StackLine, in simulation: Simulation
    ) {
        let stack = simulation.stack
        let isLate = paths.contains { path in
            guard let own = path.ownStep(in: stack),
                let manager = path.step(of: "pam_systemd", in: stack)
            else { return false }
            return manager < own
        }
        guard isLate, let manager = stack.lines(of: "pam_systemd").first else { return }
        add(
            "pam-session-line-after-systemd", .warning,
            "\(line.place) runs after pam_systemd.so at \(manager.place), which starts the user's"
                + " units: they find the keychain locked",
            fix: placement(in: simulation) + "; until then 'vestry wait' bridges it")
    }

    /// Whether the session has a keyring of its own when the line is reached.
    private mutating func judgeKeyring(
        _ paths: [Simulation.Path], _ line: StackLine, in simulation: Simulation
    ) -> Bool {
        let stack = simulation.stack
        let makers = stack.lines(of: Self.keyringModule)
        guard let maker = makers.first else {
            if report.nature == .switchUser { return false }
            add(
                "pam-keyinit-missing", severityOfMisplacement,
                "pam_keyinit.so makes no session keyring above \(line.place): the session does not count",
                fix: "put '\(Self.keyringLine)' directly above \(line.place)")
            return false
        }
        let isMade = paths.allSatisfy { path in
            guard let own = path.ownStep(in: stack),
                let keyring = path.step(of: Self.keyringModule, in: stack)
            else { return false }
            return keyring < own
        }
        guard isMade else {
            add(
                "pam-keyinit-too-late", severityOfMisplacement,
                "pam_keyinit.so at \(maker.place) does not run before \(line.place): the session does"
                    + " not count",
                fix: "put '\(Self.keyringLine)' directly above \(line.place)")
            return false
        }
        let isMadeAnyway = paths.allSatisfy { path in
            guard let own = path.ownStep(in: stack) else { return false }
            return path.run.steps.prefix(own).contains {
                stack.entries[$0.index].line?.makesKeyringAnyway == true
            }
        }
        if isMadeAnyway { return true }
        // A plain su keeps the caller's.
        if !host.givesServicesKeyrings { return report.nature != .switchUser }
        if report.nature == .login {
            add(
                "pam-keyinit-not-forced", .warning,
                "pam_keyinit.so at \(maker.place) keeps the session keyring that a service of systemd"
                    + " has, without 'force': the session may not count",
                fix:
                    "put '\(Self.keyringLine)' into /etc/pam.d/\(report.service), above the line that"
                    + " includes the common session stack")
        }
        return false
    }
}

extension Simulation.Path {
    /// The first step of our line; one with `late` does nothing in its place.
    fileprivate func ownStep(in stack: Stack) -> Int? {
        run.steps.firstIndex { step in
            stack.entries[step.index].line.map { $0.name == ServiceJudge.module && !$0.isLate }
                == true
        }
    }
}

extension StackLine {
    /// Whether it is a second line of ours, for homes that are made behind the first.
    var isLate: Bool { arguments.contains("late") }

    /// Whether `pam_keyinit` replaces a session keyring that is there.
    fileprivate var makesKeyringAnyway: Bool {
        name == "pam_keyinit" && arguments.contains("force")
    }
}
