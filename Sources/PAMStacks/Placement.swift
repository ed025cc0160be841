/// Finds the place in a stack at which a line of the module does what it is for.
struct Placement {
    private let text: String
    private let name: String

    init(_ text: String, name: String) {
        (self.text, self.name) = (text, name)
    }

    /// The fix, tried by simulation: the lowest place at which every way is served and everybody who
    /// got in before still does.
    func fix(
        in simulation: Simulation, isServed: (Simulation.Path, Stack) -> Bool
    ) -> String {
        var bare = simulation.stack
        bare.entries.removeAll { $0.line?.name == name }
        let isThere = bare.entries.count < simulation.stack.entries.count
        let verb = isThere ? "move the line '\(text)'" : "put '\(text)'"
        let before = successCount(of: bare, simulation)
        for index in candidates(in: bare, preferring: preferredPath(in: simulation.stack)) {
            guard let line = line(at: index, of: bare) else { continue }
            var stack = bare
            stack.entries.insert(line, at: index)
            let paths = Simulation(
                stack: stack, service: simulation.service, isInstalled: simulation.isInstalled
            ).successfulPaths()
            guard paths.count == before, before > 0,
                paths.allSatisfy({ isServed($0, stack) })
            else { continue }
            let neighbor =
                index > 0
                ? "directly below \(bare.entries[index - 1].place)"
                : "directly above \(bare.entries[0].place)"
            return viaProfile(bare, isThere: isThere) + "\(verb) \(neighbor)"
        }
        return "no place of the line helps: a success that ends the stack must go on to a line "
            + "'\(bare.group.rawValue) required pam_permit.so', as '[success=N default=ignore]' does, "
            + "and '\(text)' belongs below that"
    }

    /// Places from below upwards, those in one file first: a common file is to be put right once.
    private func candidates(in stack: Stack, preferring path: String?) -> [Int] {
        let places = stack.entries.indices.reversed().map { $0 + 1 } + [0]
        let preferred = places.filter { $0 > 0 && stack.entries[$0 - 1].place.path == path }
        return preferred + places.filter { !preferred.contains($0) }
    }

    /// Where the line is already, or else where the password is.
    private func preferredPath(in stack: Stack) -> String? {
        let line =
            stack.lines(of: name).first
            ?? stack.entries.compactMap(\.line).first {
                ModuleKnowledge.passwordModules.contains($0.name)
            }
        return line?.place.path
    }

    /// On Debian the common files are made from profiles.
    private func viaProfile(_ stack: Stack, isThere: Bool) -> String {
        let isCommon = stack.entries.contains { $0.place.path.hasPrefix("/etc/pam.d/common-") }
        return isCommon && !isThere
            ? "run 'sudo pam-auth-update --enable vestry', or by hand: " : ""
    }

    private func successCount(of stack: Stack, _ simulation: Simulation) -> Int {
        Simulation(
            stack: stack, service: simulation.service, isInstalled: simulation.isInstalled
        ).successfulPaths().count
    }

    /// The line as it would stand there, in the stack of its upper neighbor.
    private func line(at index: Int, of stack: Stack) -> Stack.Entry? {
        guard !stack.entries.isEmpty else { return nil }
        let neighbor = stack.entries[index > 0 ? index - 1 : 0]
        // Below the head of a substack there is no line of the same file.
        if index > 0, neighbor.line == nil { return nil }
        let line = StackLine(
            group: stack.group, control: .optional, controlText: "optional", module: name + ".so",
            arguments: [], place: neighbor.place)
        return Stack.Entry(line, level: neighbor.level)
    }
}
