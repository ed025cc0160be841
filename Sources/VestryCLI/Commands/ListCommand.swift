internal import Vestry

/// `vestry list`: shows the items, without their secrets.
struct ListCommand: Command, Equatable {
    static let name = "list"
    static let usage = """
        usage: vestry list [--json] [SERVICE]

        Prints the items of all services or of one, a line each: service, tab, account; sorted by
        service, then account, byte by byte. In both, a backslash is shown as \\\\, a tab as \\t, a line
        feed as \\n, a carriage return as \\r, and other control and invisible characters as \\u{HEX}.
        How many more items are locked is said on standard error, and is no failure; items that are
        damaged are exit status 6, after the others are printed.

          --json  print one line of JSON instead:
                  {"items":[ITEM...],"locked":COUNT,"damaged":COUNT}, where ITEM is
                  {"service":TEXT,"account":TEXT,"label":TEXT or null,"accessible":CLASS,
                  "created":SECONDS,"modified":SECONDS}, with seconds since 1970. Later
                  releases may add members.

        """
    static let options: [Arguments.Option] = [.flag("--json")]

    let service: String?
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.count <= 1 else {
            throw Self.usageError("expected at most one SERVICE")
        }
        service = arguments.operands.first
        isJSON = arguments.has("--json")
    }

    func run() throws(Failure) -> ExitStatus {
        let listing = try reporting { () throws(VestryError) in
            try Keychain().items(service: service)
        }
        if isJSON {
            StandardStream.output.write(Self.json(listing).text + "\n")
        } else {
            StandardStream.output.write(listing.items.map(Self.line).joined())
        }
        if listing.lockedCount > 0 {
            StandardStream.error.write(
                "vestry: \(listing.lockedCount) more locked\n"
                    + "vestry: hint: log in with your password, or run 'vestry unlock'\n")
        }
        guard listing.damagedCount == 0 else {
            throw Failure(
                .damaged, "\(listing.damagedCount) more damaged",
                hint: "the others are whole; store the damaged ones anew with 'vestry set'")
        }
        return .done
    }

    static func line(_ item: Item) -> String {
        item.key.service.escapedForTerminal + "\t" + item.key.account.escapedForTerminal + "\n"
    }

    static func json(_ listing: ItemListing) -> JSON {
        .object([
            .init("items", .array(listing.items.map(json))),
            .init("locked", .number(Int64(listing.lockedCount))),
            .init("damaged", .number(Int64(listing.damagedCount))),
        ])
    }

    private static func json(_ item: Item) -> JSON {
        .object([
            .init("service", .string(item.key.service)),
            .init("account", .string(item.key.account)),
            .init("label", item.label.map(JSON.string) ?? .null),
            .init("accessible", .string(item.accessibility.rawValue)),
            .init("created", .number(item.creationDate)),
            .init("modified", .number(item.modificationDate)),
        ])
    }
}
