internal import SecureMemory
internal import Vestry

/// `vestry get`: writes one secret to standard output.
struct GetCommand: Command, Equatable {
    static let name = "get"
    static let usage = """
        usage: vestry get [OPTION...] SERVICE ACCOUNT
               vestry get --server HOST [OPTION...] [ACCOUNT]

        Prints the secret of SERVICE and ACCOUNT, or of the item that the options name: its bytes and
        nothing else, and on a terminal a newline after it. It asks for nothing and waits for
        nothing; a locked item is exit status 4, a missing one 3. A certificate or a key is printed
        as it was stored, in DER.

          --first                     the oldest, where several items match
        \(ItemSelection.usage)
        """
    static let options: [Arguments.Option] = ItemSelection.options + [.flag("--first")]

    let selection: ItemSelection

    init(_ arguments: Arguments) throws(UsageError) {
        selection = try ItemSelection(arguments, of: Self.self)
        try selection.checkNamesSomething(of: Self.self)
    }

    func run() throws(Failure) -> ExitStatus {
        let keychain = try selection.item.keychain()
        let address = try selection.address(in: keychain)
        let secret = try reporting { () throws(VestryError) in
            try address.secret(in: keychain)
        }
        secret.withBytes { StandardStream.output.write($0) }
        if StandardStream.output.isTerminal { StandardStream.output.write("\n") }
        return .done
    }
}
