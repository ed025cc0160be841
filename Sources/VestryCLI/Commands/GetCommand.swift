internal import SecureMemory
internal import Vestry

/// `vestry get`: writes one secret to standard output.
struct GetCommand: Command, Equatable {
    static let name = "get"
    static let usage = """
        usage: vestry get [OPTION...] SERVICE ACCOUNT
               vestry get --server HOST [OPTION...] [ACCOUNT]

        Prints the secret of SERVICE and ACCOUNT, or of the item that the options name: its bytes and
        nothing else, and on a terminal a newline after it. It waits for nothing; a locked item is
        exit status 4, a missing one 3. A certificate or a key is printed as it was stored, in DER.

        It asks for nothing but, on the terminal, for the login password of an item that was stored
        with --require-password. Without a terminal such an item is exit status 4.

          --first                     the oldest, where several items match
          --pinentry                  ask with the program 'pinentry' instead of on the terminal
        \(ItemSelection.usage)
        """
    static let options: [Arguments.Option] =
        ItemSelection.options + [.flag("--first"), Pinentry.option]

    let selection: ItemSelection
    let asking: Asking

    init(_ arguments: Arguments) throws(UsageError) {
        selection = try ItemSelection(arguments, of: Self.self)
        try selection.checkNamesSomething(of: Self.self)
        asking = Asking(arguments)
    }

    func run() throws(Failure) -> ExitStatus {
        let prompt = PresencePrompt(asking)
        var keychain = try selection.item.keychain()
        keychain.presenceHandler = prompt.handler
        let address = try selection.address(in: keychain)
        let secret = try prompt.reporting { () throws(VestryError) in
            try address.secret(in: keychain)
        }
        secret.withBytes { StandardStream.output.write($0) }
        if StandardStream.output.isTerminal { StandardStream.output.write("\n") }
        return .done
    }
}
