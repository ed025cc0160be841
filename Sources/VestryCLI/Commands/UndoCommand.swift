internal import LinuxSystem
internal import Vestry

/// `vestry undo`: brings back an old secret, or a deleted item.
struct UndoCommand: Command, Equatable {
    static let name = "undo"
    static let usage = """
        usage: vestry undo [OPTION...] SERVICE ACCOUNT
               vestry undo --server HOST [OPTION...] [ACCOUNT]

        Gives an item the secret back that it had before, with when it could be read and what a read
        asked for; every other attribute stays. Where no old secret is kept, it brings back the
        item of that name that was deleted last. What is replaced by that is kept in turn: the same
        command again takes it back. Nobody is asked for a password.

          --number NUMBER             what 'vestry history' shows under that number, 1 unless given
          --json                      print {"undone":ENTRY}, as 'vestry history --json' shows it

        \(ItemSelection.usage)
        """
    static let options: [Arguments.Option] =
        ItemSelection.options + [.value("--number"), .flag("--json")]

    let selection: ItemSelection
    let number: Int
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        selection = try ItemSelection(arguments, of: Self.self)
        try selection.checkNamesSomething(of: Self.self)
        isJSON = arguments.has("--json")
        guard let text = arguments.value(of: "--number") else {
            number = 1
            return
        }
        guard let given = Arguments.number(text, atMost: 100_000), given > 0 else {
            throw Self.usageError("option '--number' needs a number of at least 1")
        }
        number = given
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try selection.item.keychain()
        let address = try HistoryAddress(selection, in: keychain)
        let entry: HistoryEntry
        do throws(VestryError) {
            entry = try address.undo(number, in: keychain)
        } catch .itemNotFound {
            throw Failure(
                .notFound, "nothing of that item is kept under number \(number)",
                code: .itemNotFound,
                hint: "'vestry history' with the same names shows what is kept of it, "
                    + "'vestry deleted' what was deleted")
        } catch {
            throw Failure(error)
        }
        if isJSON {
            StandardStream.output.write(JSON.object([.init("undone", entry.json)]).text + "\n")
        }
        return .done
    }
}
