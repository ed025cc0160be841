/// One run of a stack, by libpam's rules (`_pam_dispatch_aux` in pam_dispatch.c).
public struct StackRun: Equatable, Sendable {
    /// A line that was run.
    public struct Step: Equatable, Sendable {
        /// Of the stack's entries.
        public let index: Int
        public let result: ModuleResult
    }

    public private(set) var steps: [Step] = []
    /// Whether the stack as a whole succeeds.
    public private(set) var succeeds = false

    /// What libpam keeps of the lines so far, and would return.
    private struct Impression {
        enum Kind { case undefined, positive, negative }

        var kind = Kind.undefined
        var isSuccess = false

        static let negative = Impression(kind: .negative)
        var succeeds: Bool { kind == .positive && isSuccess }

        /// `ok` and `done`: counts unless something was wrong before.
        mutating func approve(_ answer: ModuleResult) {
            guard kind == .undefined || succeeds else { return }
            // An answer other than success that a control takes for "ok" is returned as it is.
            self = Impression(kind: .positive, isSuccess: answer == .success)
        }
    }

    /// Runs a stack.
    ///
    /// - Parameters:
    ///   - stack: The stack.
    ///   - result: What the line of an entry answers.
    public init(_ stack: Stack, result: (Int, StackLine) -> ModuleResult) {
        let entries = stack.entries
        var impression = Impression()
        // What a reset goes back to: the impression at the start of each substack.
        var atStart = [0: Impression()]
        var index = 0
        var previousLevel = 0
        while index < entries.count {
            let entry = entries[index]
            if entry.level > previousLevel { atStart[entry.level] = impression }
            previousLevel = entry.level
            guard let line = entry.line else {
                if entry.isMalformed { impression = .negative }
                index += 1
                continue
            }
            let answer = result(index, line)
            steps.append(Step(index: index, result: answer))
            switch line.control.action(for: answer) {
            case .ignore: break
            case .reset: impression = atStart[entry.level] ?? Impression()
            case .ok: impression.approve(answer)
            case .done:
                impression.approve(answer)
                if impression.kind == .positive { index = Self.end(of: index, in: entries) }
            case .bad: impression = .negative
            case .die:
                impression = .negative
                index = Self.end(of: index, in: entries)
            case .jump(let count):
                let target = Self.target(of: count, from: index, in: entries)
                // Past the end is a mistake that libpam answers with a refusal.
                if target == nil { impression = .negative }
                index = target ?? Self.end(of: index, in: entries)
            }
            index += 1
        }
        succeeds = impression.succeeds
    }

    /// The last entry of the substack that `index` is in.
    private static func end(of index: Int, in entries: [Stack.Entry]) -> Int {
        let level = entries[index].level
        return entries[(index + 1)...].firstIndex { $0.level < level }.map { $0 - 1 }
            ?? entries.count - 1
    }

    /// The entry before the one that a jump leads to; a substack counts as one.
    private static func target(
        of count: Int, from index: Int, in entries: [Stack.Entry]
    ) -> Int? {
        let level = entries[index].level
        var index = index
        for _ in 0..<count {
            guard index + 1 < entries.count, entries[index + 1].level >= level else { return nil }
            index += 1
            while index + 1 < entries.count, entries[index + 1].level > level { index += 1 }
        }
        return index
    }
}
