internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// `vestry repair`: saves what opens of a damaged keychain.
struct RepairCommand: Command, Equatable {
    static let name = "repair"
    static let usage = """
        usage: vestry repair [--dry-run | --yes] [--json]

        Puts a damaged keychain right, as far as it can be, and throws nothing away. What would be
        done is shown, and asked for on the terminal, first.

        A damaged keybag is replaced by keybag.previous, the one before its last change, or by that
        of a snapshot. The items that open go into a new item file, with new tags, which takes the
        place of the damaged one in one step; those that do not open go into a quarantine file, and
        come back as they were in the newest snapshot that is whole, if it has them; so does an item
        file that is missing. An old secret or a deleted item that does not open goes into the
        quarantine file alone. The damaged files stay beside the new ones,
        under names with the time.

          --dry-run  only show what would be done
          --yes      do not ask
          --json     print one line of JSON instead

        The exit status is 0 when nothing was damaged or everything was saved, 6 when some items,
        old secrets or deleted items could not be saved, 4 when the items are locked and could not be
        repaired.

        """
    static let options: [Arguments.Option] = [
        .flag("--dry-run"), .flag("--yes"), .flag("--json"),
    ]

    let isDryRun: Bool
    let isConfirmed: Bool
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else { throw Self.usageError("expected no arguments") }
        isDryRun = arguments.has("--dry-run")
        isConfirmed = arguments.has("--yes")
        isJSON = arguments.has("--json")
        guard !isDryRun || !isConfirmed else {
            throw Self.usageError("--dry-run and --yes exclude each other")
        }
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        if !isConfirmed {
            let plan = try repair(keychain, isDryRun: true)
            if isDryRun || plan.steps.isEmpty { return try finish(plan, isPlan: isDryRun) }
            let terminal = try confirmingTerminal()
            StandardStream.output.write(plan.text(isPlan: true))
            try terminal.confirm("Repair the keychain? Type yes: ")
        }
        return try finish(try repair(keychain, isDryRun: false), isPlan: false)
    }

    private func repair(
        _ keychain: Keychain, isDryRun: Bool
    ) throws(Failure) -> RepairReport {
        do throws(VestryError) {
            return try keychain.repair(isDryRun: isDryRun)
        } catch  where error.code == .damaged {
            // What this command cannot do, it must not be recommended for.
            throw Failure(
                .damaged, error.description, code: .damaged,
                hint: "nothing was changed; put the named file back from a copy, or move "
                    + "~/.local/share/vestry away, log in again, and run 'vestry restore FILE'")
        } catch {
            throw Failure(error)
        }
    }

    private func confirmingTerminal() throws(Failure) -> Terminal {
        guard let terminal = Terminal() else {
            throw Failure(
                .failure, "no terminal to ask on whether to repair the keychain",
                hint: "nothing was changed; --yes repairs without asking, --dry-run only tells")
        }
        return terminal
    }

    private func finish(_ report: RepairReport, isPlan: Bool) throws(Failure) -> ExitStatus {
        StandardStream.output.write(
            isJSON ? report.json(isPlan: isPlan).text + "\n" : report.text(isPlan: isPlan))
        guard !report.isLocked else {
            throw Failure(
                .locked, "the items were not repaired: they are locked", code: .locked,
                hint: "\(Failure.lockedHint()); then repair again")
        }
        let lostCount = report.lostCount
        let verb = isPlan ? "cannot be saved" : "could not be saved"
        guard lostCount == 0 else {
            throw Failure(
                .damaged, "\(lostCount.counted("item")) \(verb)", code: .itemDamaged,
                hint: isPlan
                    ? "'vestry repair' saves the others, and keeps these in a quarantine file"
                    : "store them anew with 'vestry set', or restore a backup")
        }
        let lostPastCount = report.count(.pastQuarantine)
        guard lostPastCount == 0 else {
            throw Failure(
                .damaged,
                lostPastCount.counted(
                    "old secret or deleted item", "old secrets or deleted items") + " \(verb)",
                code: .itemDamaged,
                hint: isPlan
                    ? "'vestry repair' keeps every item, and these in a quarantine file"
                    : "every item is kept; what is left of these is in the quarantine file")
        }
        return .done
    }
}

extension RepairReport {
    /// How many items are in the quarantine file alone.
    var lostCount: Int { max(0, count(.quarantine) - count(.restored)) }

    func text(isPlan: Bool) -> String {
        let lines = steps.map { ItemFinding($0).text }
        let nothing = steps.isEmpty && !isLocked ? "nothing to repair\n" : ""
        return lines.joined() + nothing
            + "items: \(savedCount) whole, \(lostCount) not saved, "
            + "\(unknownCount) kept as they are\n"
    }

    func json(isPlan: Bool) -> JSON {
        .object([
            .init("dryRun", .bool(isPlan)),
            .init("whole", .number(Int64(savedCount))),
            .init("lost", .number(Int64(lostCount))),
            .init("kept", .number(Int64(unknownCount))),
            .init("pastLost", .number(Int64(count(.pastQuarantine)))),
            .init(
                "steps",
                .array(
                    steps.map { ItemFinding($0).json })),
        ])
    }
}
