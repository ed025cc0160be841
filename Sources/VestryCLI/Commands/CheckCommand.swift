internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// `vestry check`: looks at every byte of the keychain that can be looked at.
struct CheckCommand: Command, Equatable {
    static let name = "check"
    static let usage = """
        usage: vestry check [--json] [--password-fd N | --ask]

        Looks at the whole keychain and changes nothing: the keybag, the item file with its indexes,
        of each item its attributes, its secret and its tags, old secrets, deleted items, and all of
        that in each snapshot. Names what is damaged, item by item, old secrets with their number
        in 'vestry history'. What is of a locked class is counted and not looked at. Secrets that
        ask for the password at each read are compared with digests; with the password, they are
        opened too. Of those that take an application password, only the outer box is opened.

          --json           print one line of JSON instead
          --password-fd N  open those secrets too, with the login password from descriptor N, by the
                           rules of 'vestry unlock --password-fd'
          --ask            likewise, and ask for it on the terminal

        The exit status is 0 when everything was looked at and is whole, 6 when something is damaged,
        4 when nothing is and something is locked, and 9 when only a newer release can tell.

        """
    static let options: [Arguments.Option] = [
        .flag("--json"), .value("--password-fd"), .flag("--ask"),
    ]

    let isJSON: Bool
    let password: PasswordSource?

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else { throw Self.usageError("expected no arguments") }
        isJSON = arguments.has("--json")
        let isGiven = arguments.value(of: "--password-fd") != nil
        guard !isGiven || !arguments.has("--ask") else {
            throw Self.usageError("--password-fd and --ask exclude each other")
        }
        password =
            isGiven || arguments.has("--ask")
            ? try PasswordSource(option: "--password-fd", in: arguments, of: Self.self) : nil
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        let report = try report(on: keychain)
        StandardStream.output.write(
            isJSON ? report.json.text + "\n" : report.text)
        if let failure = report.failure { throw failure }
        return .done
    }

    private func report(on keychain: Keychain) throws(Failure) -> CheckReport {
        guard let password else {
            return try reporting { () throws(VestryError) in try keychain.check() }
        }
        let typed = try password.read(
            asking: "Login password of \(keychain.accountName.escapedForTerminal)")
        return try reporting { () throws(VestryError) in try keychain.check(password: typed) }
    }
}

extension CheckReport {
    /// A line for each finding, and the counts.
    var text: String {
        var text = findings.map { ItemFinding($0).text }.joined()
        text +=
            "items: \(soundCount) whole, \(damagedItemCount) damaged, \(lockedCount) not checked: "
            + "locked\n"
        if past.total > 0 {
            text +=
                "old secrets and deleted items: \(past.sound) whole, \(past.damaged) damaged, "
                + "\(past.locked) not checked: locked\n"
        }
        if snapshots.total > 0 {
            text +=
                "snapshots: \(snapshots.sound) whole, \(snapshots.damaged) damaged, "
                + "\(snapshots.locked) not checked: locked\n"
        }
        if snapshots.outdated > 0 {
            text +=
                "snapshots with keys that a rotation has dropped: \(snapshots.outdated), "
                + "not checked; they cannot be restored\n"
        }
        if unopenedSecretCount > 0 {
            text +=
                "secrets that take an application password: \(unopenedSecretCount), of which only "
                + "the outer box was opened\n"
        }
        return text
    }

    var json: JSON {
        .object([
            .init("sound", .bool(failure == nil)),
            .init("status", .number(Int64((failure?.status ?? .done).rawValue))),
            .init("whole", .number(Int64(soundCount))),
            .init("damaged", .number(Int64(damagedItemCount))),
            .init("locked", .number(Int64(lockedCount))),
            .init("past", past.json),
            .init("snapshots", snapshots.json),
            .init("unopenedSecrets", .number(Int64(unopenedSecretCount))),
            .init(
                "findings",
                .array(findings.map { ItemFinding($0).json })),
        ])
    }

    private var damagedItemCount: Int {
        count(.item) + count(.unreadable) + count(.tags) + count(.duplicate)
    }

    /// What the command ends with; nil when everything is whole.
    var failure: Failure? {
        if isDamagedInSnapshotsOnly {
            return Failure(
                .damaged,
                "the keychain is whole, and "
                    + snapshots.damaged.counted("of its snapshots is", "of its snapshots are")
                    + " damaged",
                code: .damaged,
                hint: "'vestry snapshots delete NAME' removes one, 'vestry snapshots make' makes "
                    + "another")
        }
        if isDamaged {
            let what =
                isWithoutKeybag
                ? "the keybag is damaged, and without it no item can be looked at"
                : "the keychain is damaged: "
                    + findings.count { $0.kind != .newer }.counted("finding")
            return Failure(
                .damaged, what, code: .damaged,
                hint: "'vestry repair --dry-run' tells what can be saved, and changes nothing")
        }
        let locked = [
            lockedCount == 0 ? nil : lockedCount.counted("item"),
            past.locked == 0
                ? nil
                : past.locked.counted("old secret or deleted item", "old secrets or deleted items"),
            snapshots.locked == 0 ? nil : snapshots.locked.counted("snapshot"),
        ].compactMap { $0 }
        if !locked.isEmpty {
            return Failure(
                .locked, "not checked, because locked: \(locked.joined(separator: ", "))",
                code: .locked,
                hint: "\(Failure.lockedHint()); then check again")
        }
        guard count(.newer) > 0 else { return nil }
        return Failure(
            .unavailable,
            count(.newer).counted("item is", "items are") + " of a newer release or keybag",
            code: .newerFormat,
            hint: "upgrade vestry, or put the newer keybag back; then check again")
    }
}

extension CheckReport.Counts {
    var total: Int { sound + damaged + locked }

    var json: JSON {
        .object([
            .init("whole", .number(Int64(sound))),
            .init("damaged", .number(Int64(damaged))),
            .init("locked", .number(Int64(locked))),
            .init("outdated", .number(Int64(outdated))),
        ])
    }
}
