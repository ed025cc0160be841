internal import LinuxSystem
internal import Vestry

/// `vestry erase`: removes what is kept of the past, for good.
struct EraseCommand: Command, Equatable {
    static let name = "erase"
    static let usage = """
        usage: vestry erase (--history | --deleted | --snapshots | --all) [--yes] [--json]

        Removes what is kept of the past for good, and overwrites its bytes; no item that is there is
        touched. This is asked for on the terminal first.

          --history                   the old secrets of all items
          --deleted                   all deleted items
          --snapshots                 all snapshots, which can hold the others too
          --all                       all three
          --yes                       do not ask
          --json                      print {"oldSecrets":COUNT,"deletedItems":COUNT,"snapshots":COUNT}

        """
    static let options: [Arguments.Option] = [
        .flag("--history"), .flag("--deleted"), .flag("--snapshots"), .flag("--all"),
        .flag("--yes"), .flag("--json"),
    ]

    let erasesHistory: Bool
    let erasesDeleted: Bool
    let erasesSnapshots: Bool
    let isConfirmed: Bool
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else { throw Self.usageError("expected no arguments") }
        let isAll = arguments.has("--all")
        erasesHistory = isAll || arguments.has("--history")
        erasesDeleted = isAll || arguments.has("--deleted")
        erasesSnapshots = isAll || arguments.has("--snapshots")
        isConfirmed = arguments.has("--yes")
        isJSON = arguments.has("--json")
        guard erasesHistory || erasesDeleted || erasesSnapshots else {
            throw Self.usageError("expected --history, --deleted, --snapshots or --all")
        }
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try reporting { () throws(VestryError) in try Keychain() }
        if !isConfirmed {
            let words = [
                erasesHistory ? "old secrets" : nil, erasesDeleted ? "deleted items" : nil,
                erasesSnapshots ? "snapshots" : nil,
            ].compactMap { $0 }
            let question = "Remove all \(words.joined(separator: ", ")) for good? Type yes: "
            try Confirmation.ask(question, about: "all are to be removed", option: "--yes")
        }
        let (oldSecrets, deletedItems, snapshots) = try reporting { () throws(VestryError) in
            (
                erasesHistory ? try keychain.eraseOldSecrets() : 0,
                erasesDeleted ? try keychain.eraseDeletedItems() : 0,
                erasesSnapshots ? try Self.deleteSnapshots(in: keychain) : 0
            )
        }
        if isJSON {
            let json = JSON.object([
                .init("oldSecrets", .number(Int64(oldSecrets))),
                .init("deletedItems", .number(Int64(deletedItems))),
                .init("snapshots", .number(Int64(snapshots))),
            ])
            StandardStream.output.write(json.text + "\n")
        } else if !erasesSnapshots {
            try SnapshotsCommand.tell(of: keychain)
        }
        return .done
    }

    private static func deleteSnapshots(in keychain: Keychain) throws(VestryError) -> Int {
        let snapshots = try keychain.snapshots()
        for snapshot in snapshots { try keychain.delete(snapshot) }
        return snapshots.count
    }
}
