extension StackHost.Profile {
    /// Gives the common files the lines of all of the package's profiles.
    public static let command = "sudo pam-auth-update --enable vestry vestry-late"
}

/// Finds the place in a stack at which a line of the module does what it is for.
struct Placement {
    private let text: String
    private let name: String
    private let profile: StackHost.Profile

    init(_ text: String, name: String, _ profile: StackHost.Profile) {
        (self.text, self.name, self.profile) = (text, name, profile)
    }

    /// The fix, tried by simulation: the lowest place at which every way is served and everybody who
    /// got in before still does.
    func fix(
        in simulation: Simulation, isServed: (Simulation.Path, Stack) -> Bool
    ) -> String {
        var bare = simulation.stack
        bare.entries.removeAll { $0.line?.name == name && $0.line?.isLate == false }
        let isThere = bare.entries.count < simulation.stack.entries.count
        let verb = isThere ? "move the line '\(text)'" : "put '\(text)'"
        let before = successCount(of: bare, simulation)
        for spot in spots(in: bare, preferring: preferredPath(in: simulation.stack)) {
            var stack = bare
            stack.entries.insert(line(at: spot, of: bare.group), at: spot.index)
            let paths = Simulation(
                stack: stack, service: simulation.service, isInstalled: simulation.isInstalled
            ).successfulPaths()
            guard paths.count == before, before > 0,
                paths.allSatisfy({ isServed($0, stack) })
            else { continue }
            return viaProfile(bare, isThere: isThere)
                + "\(verb) directly \(spot.index > 0 ? "below" : "above") \(spot.neighbor)"
        }
        return "no place of the line helps: a success that ends the stack must go on to a line "
            + "'\(bare.group.rawValue) required pam_permit.so', as '[success=N default=ignore]' does, "
            + "and '\(text)' belongs below that"
    }

    /// A place for the line.
    private struct Spot {
        let index: Int
        /// In how many substacks.
        let level: Int
        /// The line above it; for the first place the one below.
        let neighbor: Place
    }

    /// The places from below upwards, those in one file first: a common file is to be put right once.
    private func spots(in stack: Stack, preferring path: String?) -> [Spot] {
        guard let first = stack.entries.first else { return [] }
        var spots: [Spot] = []
        for index in stack.entries.indices.reversed() {
            let next = index + 1 < stack.entries.count ? stack.entries[index + 1].level : 0
            // At the end of substacks the line can also stand below the lines that include them.
            for level in min(next, stack.entries[index].level)...stack.entries[index].level {
                guard let upper = stack.entries[...index].last(where: { $0.level == level }),
                    upper.line != nil || level < stack.entries[index].level
                else { continue }
                spots.append(Spot(index: index + 1, level: level, neighbor: upper.place))
            }
        }
        spots.append(Spot(index: 0, level: 0, neighbor: first.place))
        return spots.filter { $0.neighbor.path == path } + spots.filter { $0.neighbor.path != path }
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
        guard !isThere,
            stack.entries.contains(where: { $0.place.path.hasPrefix("/etc/pam.d/common-") })
        else { return "" }
        return switch profile {
        case .none: ""
        case .followed: "run '\(StackHost.Profile.command)', or by hand: "
        case .ignored: "by hand, as pam-auth-update leaves files that were edited alone: "
        }
    }

    private func successCount(of stack: Stack, _ simulation: Simulation) -> Int {
        Simulation(
            stack: stack, service: simulation.service, isInstalled: simulation.isInstalled
        ).successfulPaths().count
    }

    private func line(at spot: Spot, of group: StackLine.Group) -> Stack.Entry {
        Stack.Entry(
            StackLine(
                group: group, control: .optional, controlText: "optional", module: name + ".so",
                arguments: [], place: spot.neighbor),
            level: spot.level)
    }
}
