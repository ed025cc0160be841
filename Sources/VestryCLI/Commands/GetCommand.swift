internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// `vestry get`: writes one secret to standard output.
struct GetCommand: Command, Equatable {
    static let name = "get"
    static let usage = """
        usage: vestry get [OPTION...] SERVICE ACCOUNT
               vestry get --server HOST [OPTION...] [ACCOUNT]

        Prints the secret of SERVICE and ACCOUNT, or of the item that the options name: its bytes and
        nothing else, and on a terminal a newline after it. Without --wait it waits for nothing; a
        locked item is exit status 4, a missing one 3. A certificate or a key is printed as it was
        stored, in DER.

        It asks for nothing but, on the terminal, for the login password of an item that was stored
        with --require-password. Without a terminal such an item is exit status 4.

          --first                     the oldest, where several items match
          --wait TIME                 where it is locked, sleep until it can be read, at most so
                                      long, and then end with exit status 11: seconds, or a number
                                      with a unit as in 90s, 10m, 12h or 2d
          --pinentry                  ask with the program 'pinentry' instead of on the terminal
          --json                      print one line of JSON: the members of 'vestry show', and the
                                      secret as text in secret where it is UTF-8, else as Base64 in
                                      secretBase64

        \(ItemSelection.usage)
        """
    static let options: [Arguments.Option] =
        ItemSelection.options + [
            .flag("--first"), .value("--wait"), Pinentry.option, .flag("--json"),
        ]

    let selection: ItemSelection
    let patience: Duration?
    let asking: Asking
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        selection = try ItemSelection(arguments, of: Self.self)
        try selection.checkNamesSomething(of: Self.self)
        patience = try TimeSpan.value(of: "--wait", in: arguments, of: Self.self)
        asking = Asking(arguments)
        isJSON = arguments.has("--json")
    }

    func run() throws(Failure) -> ExitStatus {
        let deadline = patience.map { Deadline(after: $0) }
        guard !isJSON else {
            let record = try read(before: deadline) { (address, keychain) throws(VestryError) in
                try address.record(in: keychain)
            }
            try reporting { () throws(VestryError) in
                try ItemWithSecret.write(record) { StandardStream.output.write($0) }
            }
            StandardStream.output.write("\n")
            return .done
        }
        let secret = try read(before: deadline) { (address, keychain) throws(VestryError) in
            try address.secret(in: keychain)
        }
        secret.withBytes { StandardStream.output.write($0) }
        if StandardStream.output.isTerminal { StandardStream.output.write("\n") }
        return .done
    }

    /// What `body` reads of the item, as soon as it can be read.
    private func read<Value: ~Copyable>(
        before deadline: Deadline?,
        _ body: (ItemAddress, Keychain) throws(VestryError) -> Value
    ) throws(Failure) -> Value {
        let prompt = PresencePrompt(asking)
        var keychain = try selection.item.keychain()
        keychain.presenceHandler = prompt.handler
        if let deadline { try wait(for: .afterFirstUnlock, of: keychain, before: deadline) }
        while true {
            do throws(Failure) {
                let address = try selection.address(in: keychain)
                return try prompt.reporting { () throws(VestryError) in
                    try body(address, keychain)
                }
            } catch  where error.code == .locked {
                guard let deadline else { throw error }
                switch keychain.status().state {
                case .unlocked:
                    // It asks for something else than an unlock.
                    throw error
                case .afterFirstUnlock:
                    try wait(for: .whenUnlocked, of: keychain, before: deadline)
                case .locked, .noStore, .noPassword, .unavailable:
                    try wait(for: .afterFirstUnlock, of: keychain, before: deadline)
                }
            }
        }
    }

    private func wait(
        for accessibility: Accessibility, of keychain: Keychain, before deadline: Deadline
    ) throws(Failure) {
        let isReadable = try reporting { () throws(VestryError) in
            try keychain.wait(for: accessibility, timeout: deadline.remaining)
        }
        guard isReadable else { throw Failure(timedOut: "the item is still locked") }
    }
}
