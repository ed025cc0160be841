internal import Vestry

/// `vestry wait`: sleeps until items of a class can be read.
struct WaitCommand: Command, Equatable {
    static let name = "wait"
    static let usage = """
        usage: vestry wait [--timeout SECONDS] [--for CLASS]

        Sleeps until items of CLASS can be read: for services that start before anybody logs in. It
        goes on at once where they can be read already, and waits for a keychain that is not there yet.

          --timeout SECONDS  wait at most so long, then end with exit status 11; 0 only looks, and
                             without this option it waits for ever
          --for CLASS        after-first-unlock where this option is not given

        \(ClassArgument.usage)
        """
    static let options: [Arguments.Option] = [.value("--timeout"), .value("--for")]

    let timeoutSeconds: Int?
    let accessibility: Accessibility

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else { throw Self.usageError("expected no arguments") }
        accessibility =
            try ClassArgument.value(of: "--for", in: arguments, of: Self.self) ?? .afterFirstUnlock
        guard let text = arguments.value(of: "--timeout") else {
            timeoutSeconds = nil
            return
        }
        // About 31 years.
        guard let number = Arguments.number(text, atMost: 1_000_000_000) else {
            throw Self.usageError("option '--timeout' needs a number of seconds")
        }
        timeoutSeconds = number
    }

    func run() throws(Failure) -> ExitStatus {
        let isReadable = try reporting { () throws(VestryError) in
            try Keychain().wait(for: accessibility, timeout: timeoutSeconds.map { .seconds($0) })
        }
        guard isReadable else {
            throw Failure(
                .timedOut, "timed out: \(accessibility.rawValue) items are still locked",
                hint: "log in with your password, or run 'vestry unlock'")
        }
        return .done
    }
}
