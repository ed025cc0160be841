internal import Vestry

/// `vestry delete`: removes one item.
struct DeleteCommand: Command, Equatable {
    static let name = "delete"
    static let usage = """
        usage: vestry delete SERVICE ACCOUNT

        Removes the item of SERVICE and ACCOUNT, and overwrites its bytes in the file. That an
        item's class is locked does not keep it from being removed.

        """
    static let options: [Arguments.Option] = []

    let key: ItemKey

    init(_ arguments: Arguments) throws(UsageError) {
        key = try ItemKey(operandsOf: arguments, of: Self.self)
    }

    func run() throws(Failure) -> ExitStatus {
        try reporting { () throws(VestryError) in try Keychain().delete(key) }
        return .done
    }
}
