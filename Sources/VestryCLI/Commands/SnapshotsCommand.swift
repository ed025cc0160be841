internal import LinuxSystem
internal import Vestry

/// `vestry snapshots`: shows, makes, restores and removes copies of the whole keychain.
struct SnapshotsCommand: Command, Equatable {
    static let name = "snapshots"
    static let usage = """
        usage: vestry snapshots [list] [--json]
               vestry snapshots make [--json]
               vestry snapshots restore NAME [--yes] [--json]
               vestry snapshots delete NAME [--json]

        A snapshot is a sealed copy of all items, in the folder snapshots beside them. One is made
        before the first change of a day, and before whatever changes everything at once; the oldest
        go when there are more than ~/.config/vestry/history says, 10 without it.

          list                        print them, the newest first, a line each: name, tab, reason,
                                      tab, bytes
          make                        make one now, and print its name
          restore                     put the items of one in the place of all that there are now;
                                      a snapshot of these is made first. This is asked for on the
                                      terminal first
          delete                      remove one, and overwrite its bytes
          --yes                       do not ask
          --json                      print one line of JSON instead: {"snapshots":[SNAPSHOT...]},
                                      {"made":SNAPSHOT}, {"restored":SNAPSHOT,"before":SNAPSHOT} or
                                      {"deleted":SNAPSHOT}

        SNAPSHOT has name, date in seconds since 1970, reason and bytes. The reasons are daily,
        migration, rotation, restore, repair and manual.

        """
    static let options: [Arguments.Option] = [.flag("--yes"), .flag("--json")]

    enum Action: Equatable {
        case list
        case make
        case restore(name: String)
        case delete(name: String)
    }

    let action: Action
    let isConfirmed: Bool
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        isConfirmed = arguments.has("--yes")
        isJSON = arguments.has("--json")
        let operands = arguments.operands
        switch (operands.first ?? "list", operands.count) {
        case ("list", 0...1): action = .list
        case ("make", 1): action = .make
        case ("restore", 2): action = .restore(name: operands[1])
        case ("delete", 2): action = .delete(name: operands[1])
        default:
            throw Self.usageError("expected list, make, restore NAME or delete NAME")
        }
        guard !isConfirmed || operands.first == "restore" else {
            throw Self.usageError("--yes belongs to restore")
        }
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        switch action {
        case .list:
            let snapshots = try reporting { () throws(VestryError) in try keychain.snapshots() }
            write([.init("snapshots", .array(snapshots.map(\.json)))]) {
                snapshots.map { "\($0.name)\t\($0.reason.rawValue)\t\($0.byteCount)\n" }.joined()
            }
        case .make:
            let made = try reporting { () throws(VestryError) in try keychain.makeSnapshot() }
            write([.init("made", made.json)]) { made.name + "\n" }
        case .restore(let name):
            let snapshot = try Self.snapshot(name, in: keychain)
            if !isConfirmed {
                try Confirmation.ask(
                    "Put the items of \(name) in the place of all that there are now? Type yes: ",
                    about: "all items are to be replaced", option: "--yes")
            }
            let before = try reporting { () throws(VestryError) in
                try keychain.restore(snapshot)
            }
            write([.init("restored", snapshot.json), .init("before", before.json)]) {
                "the state before is snapshot \(before.name)\n"
            }
        case .delete(let name):
            let snapshot = try Self.snapshot(name, in: keychain)
            try reporting { () throws(VestryError) in try keychain.delete(snapshot) }
            write([.init("deleted", snapshot.json)]) { "" }
        }
        return .done
    }

    private func write(_ members: [JSON.Member], text: () -> String) {
        StandardStream.output.write(isJSON ? JSON.object(members).text + "\n" : text())
    }

    private static func snapshot(
        _ name: String, in keychain: Keychain
    ) throws(Failure) -> Snapshot {
        let snapshots = try reporting { () throws(VestryError) in try keychain.snapshots() }
        guard let snapshot = snapshots.first(where: { $0.name == name }) else {
            throw Failure(
                .notFound, "there is no snapshot of that name", code: .itemNotFound,
                hint: "'vestry snapshots' shows what there is")
        }
        return snapshot
    }

    /// Says on standard error that snapshots are sealed with keys that are gone.
    static func tell(ofKeysIn keychain: Keychain) throws(Failure) {
        let count = try reporting { () throws(VestryError) in try keychain.snapshots() }.count
        guard count > 0 else { return }
        StandardStream.error.write(
            "vestry: \(count.counted("snapshot is", "snapshots are")) from before, sealed with "
                + "the old keys\n"
                + "vestry: hint: 'vestry erase --snapshots' removes them\n")
    }

    /// Says on standard error that snapshots still hold what was removed, where there are any.
    static func tell(of keychain: Keychain) throws(Failure) {
        let count = try reporting { () throws(VestryError) in try keychain.snapshots() }.count
        guard count > 0 else { return }
        StandardStream.error.write(
            "vestry: \(count.counted("snapshot")) may still hold it\n"
                + "vestry: hint: 'vestry erase --snapshots' removes them\n")
    }
}

extension Snapshot {
    var json: JSON {
        .object([
            .init("name", .string(name)), .init("date", .number(date)),
            .init("reason", .string(reason.rawValue)), .init("bytes", .number(byteCount)),
        ])
    }
}
