internal import SecureMemory
internal import Vestry

/// What the arguments say about items that come in, and how that is carried out: first it is found out
/// what would happen, then a person agrees, then it happens.
struct MergeArguments: Equatable {
    static let usage = """
          --merge RULE                where the keychain has another item of the same name:
                                      newest (default)  the one that was modified last stays
                                      stored            that of the keychain stays
                                      incoming          the one that comes in takes its place
                                      keep-both         both stay, the new one as "ACCOUNT (2)"
                                      ask               ask on the terminal for each
          --dry-run                   change nothing, and print what would become of each item
          --yes                       do not ask whether to go on
        """
    static let options: [Arguments.Option] = [
        .value("--merge"), .flag("--dry-run"), .flag("--yes"), .flag("--json"),
    ]
    static let askWord = "ask"

    /// Nil where a person says it for each.
    let rule: MergeRule?
    let isDryRun: Bool
    let isConfirmed: Bool
    let isJSON: Bool

    init(_ arguments: Arguments, of command: (some Command).Type) throws(UsageError) {
        let word = arguments.value(of: "--merge") ?? MergeRule.newest.rawValue
        rule = MergeRule(rawValue: word)
        guard rule != nil || word == Self.askWord else {
            let words = MergeRule.allCases.map(\.rawValue) + [Self.askWord]
            throw command.usageError(
                "option '--merge' needs one of \(words.joined(separator: ", "))")
        }
        isDryRun = arguments.has("--dry-run")
        isConfirmed = arguments.has("--yes")
        isJSON = arguments.has("--json")
        guard !isDryRun || !isConfirmed else {
            throw command.usageError("--dry-run and --yes exclude each other")
        }
    }

    /// Merges.
    ///
    /// - Parameters:
    ///   - members: What the JSON has besides.
    ///   - merge: Does it, or finds out what it would do.
    /// - Throws: `Failure`.
    func run(
        members: [JSON.Member] = [], _ merge: (MergeOptions) throws(Failure) -> MergeReport
    ) throws(Failure) {
        var options = MergeOptions(rule: rule ?? .newest)
        options.isDryRun = true
        if isDryRun {
            return write(try merge(options), members)
        }
        if !isConfirmed || rule == nil {
            guard let terminal = Terminal() else {
                throw Failure(
                    .failure, "no terminal to ask on whether to go on",
                    hint: "nothing was changed; --dry-run shows what would be, --yes does it")
            }
            var plan = try merge(options)
            if rule == nil {
                options.decisions = try Self.decisions(on: plan, terminal)
                plan = try merge(options)
            }
            if !isConfirmed { try terminal.confirm("\(plan.summary). Go on? Type yes: ") }
        }
        options.isDryRun = false
        write(try merge(options), members)
    }

    private static func decisions(
        on plan: MergeReport, _ terminal: borrowing Terminal
    ) throws(Failure) -> [Int: MergeRule] {
        let answers: [(String, MergeRule)] = [
            ("s", .stored), ("i", .incoming), ("b", .both),
        ]
        var decisions: [Int: MergeRule] = [:]
        for (index, entry) in plan.entries.enumerated() {
            guard let stored = entry.storedModificationDate else { continue }
            let incoming = entry.item[.modificationDate]?.date
            let question =
                ItemLine.text(entry.item).replacing("\t", with: " ") + ": stored "
                + moment(stored) + ", incoming " + (incoming.map(moment) ?? "without a date")
                + ". Keep s(tored), i(ncoming) or b(oth): "
            while decisions[index] == nil {
                let answer = try terminal.ask(question, isShown: true)
                decisions[index] = answers.first { answer.isText($0.0) }?.1
            }
        }
        return decisions
    }

    private static func moment(_ seconds: Double) -> String {
        Int64(exactly: seconds.rounded(.down)).map { Moment.text($0) } ?? "\(seconds)"
    }

    private func write(_ report: MergeReport, _ members: [JSON.Member]) {
        if isJSON {
            let result = JSON.object(
                [
                    .init("dryRun", .bool(isDryRun)),
                    .init("items", .array(report.entries.map(\.json))),
                ] + members)
            StandardStream.output.write(result.text + "\n")
        } else if isDryRun {
            for entry in report.entries {
                StandardStream.output.write(
                    "\(entry.result.rawValue)\t\(entry.item.itemClass.word)\t"
                        + ItemLine.text(entry.item) + "\n")
            }
        }
        StandardStream.error.write("vestry: \(report.summary)\n")
    }
}

extension MergeReport {
    /// How many items have each of the results that there are.
    var summary: String {
        let parts = MergeResult.allCases.compactMap { result in
            let count = count(of: result)
            return count == 0 ? nil : "\(count) \(result.rawValue)"
        }
        return parts.isEmpty ? "no items" : parts.joined(separator: ", ")
    }
}

extension MergeReport.Entry {
    var json: JSON {
        let members: [JSON.Member] = [
            .init("result", .string(result.rawValue)), .init("conflict", .bool(isConflict)),
        ]
        guard case .object(let item) = ItemDescription(item).json else { return .object(members) }
        return .object(members + item)
    }
}

extension SecretBytes {
    /// Whether these are the bytes of a text that is no secret.
    func isText(_ text: String) -> Bool {
        constantTimeEquals(SecretBytes(copying: Array(text.utf8).span))
    }
}
