internal import SecureMemory
internal import Vestry

/// `vestry get`: writes one secret to standard output.
struct GetCommand: Command, Equatable {
    static let name = "get"
    static let usage = """
        usage: vestry get SERVICE ACCOUNT

        Prints the secret of SERVICE and ACCOUNT: its bytes and nothing else, and on a terminal a
        newline after it. It waits for nothing; a locked item is exit status 4, a missing one 3.

        It asks for nothing but, on the terminal, for the login password of an item that was stored
        with --require-password. Without a terminal such an item is exit status 4.

        """
    static let options: [Arguments.Option] = []

    let key: ItemKey

    init(_ arguments: Arguments) throws(UsageError) {
        key = try ItemKey(operandsOf: arguments, of: Self.self)
    }

    func run() throws(Failure) -> ExitStatus {
        let prompt = PresencePrompt()
        let secret = try prompt.reporting { () throws(VestryError) in
            var keychain = try Keychain()
            keychain.presenceHandler = prompt.handler
            return try keychain.secret(for: key)
        }
        secret.withBytes { StandardStream.output.write($0) }
        if StandardStream.output.isTerminal { StandardStream.output.write("\n") }
        return .done
    }
}
