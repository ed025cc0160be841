internal import LinuxSystem
internal import Vestry

/// `vestry history`: shows what is kept of an item's past, or removes it.
struct HistoryCommand: Command, Equatable {
    static let name = "history"
    static let usage = """
        usage: vestry history [--erase] [OPTION...] SERVICE ACCOUNT
               vestry history [--erase] --server HOST [OPTION...] [ACCOUNT]

        Prints what 'vestry undo' can bring back, without any secret, a line each: number, tab,
        old-secret or deleted-item, tab, when it was replaced or until when it is kept. The old secrets
        of an item come first, the newest of them as number 1, then deleted items of that name. The
        file ~/.config/vestry/history says how much is kept.

          --erase                     remove all of it for good, and overwrite its bytes in the file;
                                      snapshots still hold it
          --json                      print one line of JSON instead: {"entries":[ENTRY...]}, or
                                      {"erased":COUNT}

        ENTRY has number, kind, modified, replaced, keptUntil, accessible, accessControl and reference,
        with times in seconds since 1970, and null for what it has not or what is locked.

        \(ItemSelection.usage)
        """
    static let options: [Arguments.Option] =
        ItemSelection.options + [.flag("--erase"), .flag("--json")]

    let selection: ItemSelection
    let erases: Bool
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        selection = try ItemSelection(arguments, of: Self.self)
        try selection.checkNamesSomething(of: Self.self)
        erases = arguments.has("--erase")
        isJSON = arguments.has("--json")
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try selection.item.keychain()
        let address = try HistoryAddress(selection, in: keychain)
        let entries = try reporting { () throws(VestryError) in
            try address.history(in: keychain)
        }
        if entries.isEmpty { try address.checkItem(in: keychain) }
        guard erases else {
            if isJSON {
                let json = JSON.object([.init("entries", .array(entries.map(\.json)))])
                StandardStream.output.write(json.text + "\n")
            } else {
                StandardStream.output.write(entries.map { $0.text + "\n" }.joined())
            }
            return .done
        }
        let count = try reporting { () throws(VestryError) in
            try address.eraseHistory(in: keychain)
        }
        if isJSON {
            let json = JSON.object([.init("erased", .number(Int64(count)))])
            StandardStream.output.write(json.text + "\n")
        }
        return .done
    }
}
