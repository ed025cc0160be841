internal import LinuxSystem
internal import Vestry

/// `vestry deleted`: shows the deleted items that can be brought back.
struct DeletedCommand: Command, Equatable {
    static let name = "deleted"
    static let usage = """
        usage: vestry deleted [--group TEXT] [--json]

        Prints the deleted items that are still kept, the last deleted first, a line each: class, tab,
        reference, tab, until when it is kept, tab, and what 'vestry list' shows of such an item.
        'vestry undo' with its names or with --reference brings one back.

          --group TEXT                the access group, 'default' unless given
          --json                      print one line of JSON instead:
                                      {"items":[ITEM...],"locked":COUNT,"damaged":COUNT}, where ITEM
                                      is as for 'vestry list', with keptUntil in seconds since 1970

        """
    static let options: [Arguments.Option] = [.value("--group"), .flag("--json")]

    let group: String?
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else { throw Self.usageError("expected no arguments") }
        group = arguments.value(of: "--group")
        isJSON = arguments.has("--json")
    }

    func run() throws(Failure) -> ExitStatus {
        var keychain = try reporting { () throws(VestryError) in try Keychain() }
        if let group { keychain.accessGroups = [group] }
        let found = try reporting { () throws(VestryError) in try keychain.deletedItems() }
        if isJSON {
            let json = JSON.object([
                .init("items", .array(found.items.map(Self.json))),
                .init("locked", .number(Int64(found.lockedCount))),
                .init("damaged", .number(Int64(found.damagedCount))),
            ])
            StandardStream.output.write(json.text + "\n")
        } else {
            StandardStream.output.write(found.items.map(Self.line).joined())
            if found.lockedCount > 0 {
                StandardStream.error.write(
                    "vestry: \(found.lockedCount) more locked\n"
                        + "vestry: hint: \(Failure.lockedHint())\n")
            }
        }
        guard found.damagedCount == 0 else {
            throw Failure(
                .damaged, "\(found.damagedCount) more damaged", code: .itemDamaged,
                hint: "the others are whole; 'vestry erase --deleted' removes all that are kept")
        }
        return .done
    }

    private static func line(_ item: DeletedItem) -> String {
        [
            item.record.itemClass.word, Hexadecimal.text(item.record.persistentReference),
            Moment.text(item.keptUntil), ItemLine.text(item.record),
        ].joined(separator: "\t") + "\n"
    }

    private static func json(_ item: DeletedItem) -> JSON {
        guard case .object(let members) = ItemDescription(item.record).json else { return .null }
        return .object(members + [.init("keptUntil", .number(item.keptUntil))])
    }
}
