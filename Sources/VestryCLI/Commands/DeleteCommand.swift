internal import LinuxSystem
internal import Vestry

/// `vestry delete`: removes one item, or all that match.
struct DeleteCommand: Command, Equatable {
    static let name = "delete"
    static let usage = """
        usage: vestry delete [OPTION...] SERVICE ACCOUNT
               vestry delete --server HOST [OPTION...] [ACCOUNT]
               vestry delete --all [--yes] [OPTION...] [SERVICE]

        Removes the item of SERVICE and ACCOUNT, or the one that the options name. 'vestry undo' brings
        it back within 30 days, or as many as ~/.config/vestry/history says. That an item's class is
        locked does not keep it from being removed.

          --all                       every item of a class that matches, or of the whole class;
                                      this is asked for on the terminal first
          --yes                       do not ask
          --no-history                keep nothing of it, and overwrite its bytes in the file
          --json                      print {"deleted":COUNT}
        \(ItemFilter.usage)
        """
    static let options: [Arguments.Option] =
        ItemFilter.options + [
            .flag("--all"), .flag("--yes"), .flag("--no-history"), .flag("--json"),
        ]

    let filter: ItemFilter
    let isAll: Bool
    let isConfirmed: Bool
    let keepsHistory: Bool
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        isAll = arguments.has("--all")
        isConfirmed = arguments.has("--yes")
        keepsHistory = !arguments.has("--no-history")
        isJSON = arguments.has("--json")
        let filter = try ItemFilter(
            arguments, operands: isAll ? .place : .name, of: Self.self)
        self.filter = filter
        guard isAll || !isConfirmed else { throw Self.usageError("--yes belongs to --all") }
        if !isAll && !filter.hasTextConditions {
            try filter.selection.checkNamesSomething(of: Self.self)
        }
    }

    func run() throws(Failure) -> ExitStatus {
        var keychain = try filter.selection.item.keychain()
        keychain.keepsHistory = keepsHistory
        let count = try isAll ? deleteAll(in: keychain) : deleteOne(in: keychain)
        if isJSON {
            let result = JSON.object([.init("deleted", .number(Int64(count)))])
            StandardStream.output.write(result.text + "\n")
        }
        return .done
    }

    private func deleteOne(in keychain: Keychain) throws(Failure) -> Int {
        if let key = filter.selection.item.key(in: keychain), !filter.hasTextConditions {
            try reporting { () throws(VestryError) in try keychain.delete(key) }
            return 1
        }
        let found = try matches(in: keychain)
        let count = found.records.count + found.lockedCount + found.damagedCount
        guard count == 1 else {
            guard found.records.count == count else {
                throw Failure(
                    .usage,
                    count.counted("item matches", "items match") + ", and some cannot be read now",
                    reason: Failure.ambiguous,
                    hint: "name the one that you mean by more options")
            }
            throw Failure(ambiguous: found.records)
        }
        let record = found.records.first
        let query = record.map { ItemQuery(persistentReference: $0.persistentReference) }
        return try reporting { () throws(VestryError) in
            try keychain.delete(query ?? filter.query)
        }
    }

    private func deleteAll(in keychain: Keychain) throws(Failure) -> Int {
        let found = try matches(in: keychain)
        if !isConfirmed {
            let count = found.records.count + found.lockedCount + found.damagedCount
            guard let terminal = Terminal() else {
                throw Failure(
                    .failure, "no terminal to ask on whether all are to be deleted",
                    hint: "nothing was changed; --yes deletes without asking")
            }
            try terminal.confirm("Delete \(count.counted("item"))? Type yes: ")
        }
        return try reporting { () throws(VestryError) in try keychain.delete(filter.query) }
    }

    private func matches(in keychain: Keychain) throws(Failure) -> ItemMatches {
        var query = filter.query
        query.isOnlyReadable = true
        return try reporting { () throws(VestryError) in try keychain.find(query) }
    }
}
