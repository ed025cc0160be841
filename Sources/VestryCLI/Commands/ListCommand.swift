internal import LinuxSystem
internal import Vestry

/// `vestry list`: shows the items, without their secrets.
struct ListCommand: Command, Equatable {
    static let name = "list"
    static let usage = """
        usage: vestry list [OPTION...] [SERVICE]

        Prints the items of all services or of one, a line each: service, tab, account; sorted by
        service, then account, byte by byte. Of internet passwords it is the server and the account,
        of certificates and keys the label and the reference. In all of them, a backslash is shown as
        \\\\, a tab as \\t, a line feed as \\n, a carriage return as \\r, and other control and invisible
        characters as \\u{HEX}. How many more items are locked is said on standard error, and is no
        failure; items that are damaged are exit status 6, after the others are printed.

          --class any                 items of every class, with the class before each
          --limit NUMBER              at most so many
          --only-readable             say nothing about items that are locked
          --complete                  where items are locked, print nothing: exit status 4
          --json                      print one line of JSON instead:
                                      {"items":[ITEM...],"locked":COUNT,"damaged":COUNT}

        ITEM has class, reference, label, accessible, accessControl, group, synchronizable, created,
        modified and expires, with times in seconds since 1970; service and account of a generic
        password; server, account, protocol, authenticationType, port, path and securityDomain of an
        internet password; subject, issuer and serialNumber of a certificate; keyClass, type,
        keySize, applicationLabel and applicationTag of a key; null where it has none; and every
        other attribute that it has. Later releases may add members.

        \(ItemFilter.usage)
        """
    static let options: [Arguments.Option] =
        ItemFilter.options + [
            .value("--limit"), .flag("--only-readable"), .flag("--complete"), .flag("--json"),
        ]

    let filter: ItemFilter
    let isOfEveryClass: Bool
    let limit: Int
    let isOnlyReadable: Bool
    let isComplete: Bool
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        filter = try ItemFilter(
            arguments, operands: .place, allowsEveryClass: true, of: Self.self)
        isOnlyReadable = arguments.has("--only-readable")
        isComplete = arguments.has("--complete")
        isJSON = arguments.has("--json")
        isOfEveryClass = arguments.value(of: "--class") == ItemClass.anyWord
        if let text = arguments.value(of: "--limit") {
            guard let number = Arguments.number(text, atMost: .max), number > 0 else {
                throw Self.usageError("option '--limit' needs a number of at least 1")
            }
            limit = number
        } else {
            limit = .max
        }
        guard !isOnlyReadable || !isComplete else {
            throw Self.usageError("--only-readable and --complete exclude each other")
        }
        let values = filter.selection.item.values
        guard
            !isOfEveryClass
                || ItemClass.stored.allSatisfy({ itemClass in
                    values.keys.allSatisfy { $0.belongs(to: itemClass) }
                })
        else {
            throw Self.usageError("with --class any, only what items of every class have")
        }
    }

    /// What was found of all classes.
    struct Listing {
        var records: [ItemRecord] = []
        var lockedCount = 0
        var damagedCount = 0
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try filter.selection.item.keychain()
        var listing = Listing()
        for itemClass in isOfEveryClass ? ItemClass.stored : [filter.selection.item.itemClass] {
            try add(itemClass, to: &listing, in: keychain)
        }
        guard !isComplete || listing.lockedCount == 0 else {
            throw Failure(
                .locked, listing.lockedCount.counted("item is", "items are") + " locked",
                code: .locked,
                hint: Failure.lockedHint())
        }
        write(listing)
        guard listing.damagedCount == 0 else {
            throw Failure(
                .damaged, "\(listing.damagedCount) more damaged", code: .itemDamaged,
                hint: "the others are whole; store the damaged ones anew with 'vestry set'")
        }
        return .done
    }

    private func add(
        _ itemClass: ItemClass, to listing: inout Listing, in keychain: Keychain
    ) throws(Failure) {
        var query = filter.query
        if filter.selection.reference == nil { query.itemClass = itemClass }
        query.isOnlyReadable = true
        let matches: ItemMatches
        do throws(VestryError) {
            matches = try keychain.find(query)
        } catch .itemNotFound {
            return
        } catch {
            throw Failure(error)
        }
        listing.records += matches.records.sorted(by: ItemLine.precedes)
        listing.lockedCount += matches.lockedCount
        listing.damagedCount += matches.damagedCount
    }

    private func write(_ listing: Listing) {
        let records = listing.records.prefix(limit)
        if isJSON {
            let json = JSON.object([
                .init("items", .array(records.map { ItemDescription($0).json })),
                .init("locked", .number(Int64(listing.lockedCount))),
                .init("damaged", .number(Int64(listing.damagedCount))),
            ])
            StandardStream.output.write(json.text + "\n")
        } else {
            StandardStream.output.write(records.map(line).joined())
        }
        if listing.lockedCount > 0 && !isOnlyReadable {
            StandardStream.error.write(
                "vestry: \(listing.lockedCount) more locked\n"
                    + "vestry: hint: \(Failure.lockedHint())\n")
        }
    }

    private func line(_ record: ItemRecord) -> String {
        (isOfEveryClass ? record.itemClass.word + "\t" : "") + ItemLine.text(record) + "\n"
    }
}
