/// All ways in which a stack may run for a person with the right password.
///
/// Of the modules that know passwords each is once the one that has the account, and both answers of
/// a condition are tried: so a stack is judged for local and for network accounts alike.
struct Simulation {
    /// One way.
    struct Path {
        let run: StackRun
        /// The module that has the account; nil in a stack that asks for no password.
        let knower: Int?
        /// The step at which there is a password: whoever asks first, gets it.
        let tokenStep: Int?
        /// The steps with a condition or an unknown module, and what was assumed there.
        let assumptions: [Int: Bool]

        /// The first step of a module.
        func step(of name: String, in stack: Stack) -> Int? {
            run.steps.firstIndex { stack.entries[$0.index].line?.name == name }
        }
    }

    let stack: Stack
    let service: String
    /// Whether a module's file is there.
    let isInstalled: (String) -> Bool

    /// More than any stack in use has; a stack with more conditions is judged by its first ways.
    private static let pathLimit = 512

    /// The ways that end in success.
    func successfulPaths() -> [Path] {
        let knowers = stack.entries.indices.filter { knowledge(at: $0) == .password }
        let all: [Int?] = knowers.isEmpty ? [nil] : knowers
        return all.flatMap(paths(knower:)).filter(\.run.succeeds)
    }

    private func knowledge(at index: Int) -> ModuleKnowledge? {
        stack.entries[index].line.map { ModuleKnowledge(of: $0, in: service) }
    }

    private func paths(knower: Int?) -> [Path] {
        var paths: [Path] = []
        // Each is what the first conditions on the way answer; the others succeed.
        var pending: [[Bool]] = [[]]
        while let answers = pending.popLast(), paths.count < Self.pathLimit {
            let path = path(knower: knower, answers: answers) { pending.append($0) }
            paths.append(path)
        }
        return paths
    }

    private func path(
        knower: Int?, answers: [Bool], branch: ([Bool]) -> Void
    ) -> Path {
        var taken: [Bool] = []
        var assumptions: [Int: Bool] = [:]
        var tokenStep: Int?
        var stepCount = 0
        let run = StackRun(stack) { index, line in
            defer { stepCount += 1 }
            guard isInstalled(line.module) else { return .moduleUnknown }
            switch ModuleKnowledge(of: line, in: service) {
            case .answers(let result): return result
            case .password:
                // It asks before it looks whether it knows the account.
                if !line.usesEarlierPassword, tokenStep == nil { tokenStep = stepCount }
                return index == knower ? .success : .userUnknown
            case .factor:
                return line.endsOnSuccess ? .authenticationUnavailable : .success
            case .unknown where !line.endsOnSuccess: return .success
            case .condition, .unknown:
                let succeeds = taken.count < answers.count ? answers[taken.count] : true
                if taken.count >= answers.count { branch(taken + [false]) }
                taken.append(succeeds)
                assumptions[index] = succeeds
                return succeeds ? .success : .authError
            }
        }
        return Path(run: run, knower: knower, tokenStep: tokenStep, assumptions: assumptions)
    }

    /// Modules about which nothing is known and that were run on one of the ways.
    func unknownModules(in paths: [Path]) -> [String] {
        let names = paths.flatMap(\.run.steps).compactMap { step -> String? in
            knowledge(at: step.index) == .unknown ? stack.entries[step.index].line?.module : nil
        }
        return Array(Set(names)).sorted()
    }
}

extension StackLine {
    /// Whether it takes the password that a line above has asked for, and never asks itself.
    var usesEarlierPassword: Bool {
        arguments.contains("use_first_pass") || arguments.contains("use_authtok")
    }

    /// Whether its success ends the stack or passes over lines.
    var endsOnSuccess: Bool {
        switch control.action(for: .success) {
        case .done, .jump, .die: true
        case .ignore, .ok, .bad, .reset: false
        }
    }
}
