internal import Vestry

/// `vestry show`: prints what is known about an item besides its secret.
struct ShowCommand: Command, Equatable {
    static let name = "show"
    static let usage = """
        usage: vestry show [OPTION...] SERVICE ACCOUNT
               vestry show --server HOST [OPTION...] [ACCOUNT]

        Prints the attributes of one item, a line each: name, colon, value; never its secret. Names
        and values are those of 'vestry list --json', with times as in 2030-01-31T18:00:00Z, and
        invisible characters as 'vestry list' shows them.

          --first                     the oldest, where several items match
          --json                      print the item as one line of JSON

        \(ItemSelection.usage)
        """
    static let options: [Arguments.Option] =
        ItemSelection.options + [.flag("--first"), .flag("--json")]

    let selection: ItemSelection
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        selection = try ItemSelection(arguments, of: Self.self)
        try selection.checkNamesSomething(of: Self.self)
        isJSON = arguments.has("--json")
    }

    func run() throws(Failure) -> ExitStatus {
        let record = try selection.record(in: try selection.item.keychain())
        let description = ItemDescription(record)
        StandardStream.output.write(isJSON ? description.json.text + "\n" : description.text)
        return .done
    }
}
