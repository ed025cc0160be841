internal import Vestry

/// `vestry rename`: gives an item other names.
struct RenameCommand: Command, Equatable {
    static let name = "rename"
    static let usage = """
        usage: vestry rename NEW-NAME... [OPTION...] SERVICE ACCOUNT
               vestry rename NEW-NAME... --server HOST [OPTION...] [ACCOUNT]

        Gives one item other names, all in one step; its secret and everything else stays. Where
        another item has the new names, that is exit status 7, and both stay as they are.

          --to-service TEXT           the new service
          --to-account TEXT           the new account
          --to-server HOST            the new server of an internet password
          --to-label TEXT             the new label
          --to-group TEXT             the new access group
          --json                      print {"renamed":COUNT}

        \(ItemSelection.usage)
        """
    static let options: [Arguments.Option] =
        ItemSelection.options + newNames.map { .value($0.option) } + [.flag("--json")]

    private static let newNames: [(option: String, attribute: ItemAttribute)] = [
        ("--to-service", .service), ("--to-account", .account), ("--to-server", .server),
        ("--to-label", .label), ("--to-group", .accessGroup),
    ]

    let selection: ItemSelection
    let names: [ItemAttribute: AttributeValue]
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        selection = try ItemSelection(arguments, of: Self.self)
        try selection.checkNamesSomething(of: Self.self)
        isJSON = arguments.has("--json")
        var names: [ItemAttribute: AttributeValue] = [:]
        for (option, attribute) in Self.newNames {
            guard let text = arguments.value(of: option) else { continue }
            guard selection.reference != nil || attribute.belongs(to: selection.item.itemClass)
            else {
                throw Self.usageError(
                    "option '\(option)' is not for the class \(selection.item.itemClass.word)")
            }
            names[attribute] = .string(text)
        }
        guard !names.isEmpty else {
            throw Self.usageError("expected a new name, such as --to-account TEXT")
        }
        self.names = names
    }

    func run() throws(Failure) -> ExitStatus {
        var keychain = try selection.item.keychain()
        let record = try selection.record(in: keychain)
        let query = ItemQuery(persistentReference: record.persistentReference)
        if let group = names[.accessGroup]?.string { keychain.accessGroups.append(group) }
        let count = try reporting { () throws(VestryError) in
            try keychain.update(query, set: names)
        }
        if isJSON {
            let result = JSON.object([.init("renamed", .number(Int64(count)))])
            StandardStream.output.write(result.text + "\n")
        }
        return .done
    }
}
