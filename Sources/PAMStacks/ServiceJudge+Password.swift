extension ServiceJudge {
    /// Whether the keychain follows a change of the password by this service.
    mutating func judgePassword(_ stack: Stack) {
        let simulation = Simulation(
            stack: stack, service: report.service, isInstalled: host.isInstalled)
        let paths = simulation.successfulPaths().filter { $0.knower != nil }
        guard !paths.isEmpty, report.nature != .rootSetsPasswords else { return }
        report.rewraps = paths.allSatisfy { Self.seesChange(on: $0, in: stack) }
        guard report.rewraps == false else { return }

        let fix = Placement(Self.passwordLine, name: Self.module, host.profile).fix(in: simulation)
        {
            path, stack in
            path.knower == nil || Self.seesChange(on: path, in: stack)
        }
        let changer = paths.first { !Self.seesChange(on: $0, in: stack) }
        guard let line = stack.lines(of: Self.module).first else {
            let place = changer?.knower.map { stack.entries[$0].place.description } ?? ""
            add(
                "pam-password-line-missing", .problem,
                "changes passwords at \(place), without a line of pam_vestry.so: the keychain keeps the"
                    + " old password, and the next login does not open it",
                fix: fix + "; 'vestry rewrap' heals what was changed already")
            return
        }
        guard let changer else { return }
        if changer.step(of: Self.module, in: stack) != nil {
            let place = changer.knower.map { stack.entries[$0].place.description } ?? ""
            add(
                "pam-password-line-too-early", .problem,
                "\(line.place) runs before the password is changed, at \(place)", fix: fix)
        } else {
            add(
                "pam-password-line-skipped", .problem,
                "\(line.place) is not reached: \(changer.ending(in: stack))", fix: fix)
        }
    }

    private static func seesChange(on path: Simulation.Path, in stack: Stack) -> Bool {
        guard let step = path.run.steps.firstIndex(where: { $0.index == path.knower }) else {
            return false
        }
        return path.run.steps[step...].contains { stack.entries[$0.index].line?.name == module }
    }
}
