extension ServiceJudge {
    /// Whether the auth line gets the password, on all ways on which one is asked for.
    mutating func judgeAuth(_ stack: Stack) -> Bool {
        let simulation = Simulation(
            stack: stack, service: report.service, isInstalled: host.isInstalled)
        let paths = simulation.successfulPaths().filter { $0.tokenStep != nil }
        report.asksForPassword = !paths.isEmpty
        switch report.nature {
        case .silent, .greeter, .withoutPassword, .rootSetsPasswords: return false
        default: break
        }
        guard !paths.isEmpty else {
            noteUnknownModules(in: simulation)
            return false
        }
        let bad = paths.filter { !Self.seesPassword(on: $0, in: stack) }
        if case .otherPurpose = report.nature { return bad.isEmpty }
        guard let worst = bad.first else {
            warnOfLaterQuestion(paths, in: stack)
            return true
        }
        explain(worst, isAlways: bad.count == paths.count, in: simulation)
        return false
    }

    private static func seesPassword(on path: Simulation.Path, in stack: Stack) -> Bool {
        guard let token = path.tokenStep else { return false }
        return path.run.steps[token...].contains { stack.entries[$0.index].line?.name == module }
    }

    private mutating func explain(
        _ path: Simulation.Path, isAlways: Bool, in simulation: Simulation
    ) {
        let stack = simulation.stack
        let fix = Placement(Self.authLine, name: Self.module, host.profile).fix(in: simulation) {
            path, stack in
            path.tokenStep == nil || Self.seesPassword(on: path, in: stack)
        }
        guard let line = stack.lines(of: Self.module).first else {
            guard report.nature.isExpectedToWork else { return }
            add(
                "pam-auth-line-missing", .problem,
                "no auth line of pam_vestry.so: the password does not open the keychain",
                fix: fix)
            return
        }
        if let token = path.tokenStep, path.step(of: Self.module, in: stack) != nil {
            let asker = stack.entries[path.run.steps[token].index].place
            add(
                "pam-auth-line-too-early", severityOfMisplacement,
                "\(line.place) runs before the password is asked for, at \(asker)", fix: fix)
            return
        }
        let when = condition(of: path, isAlways: isAlways, in: stack)
        add(
            "pam-auth-line-skipped", severityOfMisplacement,
            "\(line.place) is not reached\(when): \(path.ending(in: stack))", fix: fix)
    }

    /// For which accounts or under which assumptions it is so.
    private func condition(of path: Simulation.Path, isAlways: Bool, in stack: Stack) -> String {
        if isAlways { return "" }
        if let (index, succeeds) = path.assumptions.min(by: { $0.key < $1.key }),
            let line = stack.entries[index].line
        {
            return " where \(line.text) (\(line.place)) \(succeeds ? "succeeds" : "fails")"
        }
        guard let knower = path.knower, let line = stack.entries[knower].line else { return "" }
        return " for accounts of \(line.module)"
    }

    /// A line between two that ask gets the first password, which may be a mistyped one.
    private mutating func warnOfLaterQuestion(_ paths: [Simulation.Path], in stack: Stack) {
        for path in paths {
            guard let knower = path.knower, let line = stack.entries[knower].line,
                !line.usesEarlierPassword,
                let step = path.run.steps.firstIndex(where: { $0.index == knower }),
                let last = path.run.steps.lastIndex(where: {
                    stack.entries[$0.index].line?.name == Self.module
                }), last < step,
                let place = stack.lines(of: Self.module).last?.place
            else { continue }
            add(
                "pam-auth-line-between", .warning,
                "\(place) has taken the password before \(line.module) at \(line.place) may ask again",
                fix: "move the line below \(line.place)")
        }
    }

    private mutating func noteUnknownModules(in simulation: Simulation) {
        let names = simulation.unknownModules(in: simulation.successfulPaths())
        guard !names.isEmpty, report.nature.isExpectedToWork || report.nature == .unknown else {
            return
        }
        add(
            "pam-module-unknown", .note,
            "nothing is known about \(names.joined(separator: ", ")), which may ask for a password",
            fix: "if it does, '\(Self.authLine)' belongs below its line")
    }
}

extension Simulation.Path {
    /// Why the lines below the last one were not run.
    func ending(in stack: Stack) -> String {
        for step in run.steps {
            guard let line = stack.entries[step.index].line else { continue }
            let next = run.steps.first { $0.index > step.index }?.index ?? stack.entries.count
            let isPassed = stack.entries[(step.index + 1)..<next].contains {
                $0.line?.name == ServiceJudge.module
            }
            guard isPassed else { continue }
            return switch line.control.action(for: step.result) {
            case .jump(let count):
                "\(line.text) at \(line.place) passes over \(count == 1 ? "a line" : "\(count) lines")"
            default: "'\(line.controlText) \(line.text)' at \(line.place) ends the stack"
            }
        }
        return "the stack ends before it"
    }
}
