internal import LinuxSystem
internal import Vestry

/// `vestry wait`: sleeps until items of a class can be read.
struct WaitCommand: Command, Equatable {
    static let name = "wait"
    static let usage = """
        usage: vestry wait [--timeout TIME] [--for CLASS]

        Sleeps until items of CLASS can be read: for services that start before anybody logs in. It
        goes on at once where they can be read already, and waits for a keychain that is not there yet.

          --timeout TIME  wait at most so long, then end with exit status 11: seconds, or a number
                          with a unit as in 90s, 10m, 12h or 2d; 0 only looks, and without this
                          option it waits for ever
          --for CLASS     after-first-unlock where this option is not given

        \(ClassArgument.usage)
        """
    static let options: [Arguments.Option] = [.value("--timeout"), .value("--for")]

    let timeout: Duration?
    let accessibility: Accessibility

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else { throw Self.usageError("expected no arguments") }
        accessibility =
            try ClassArgument.value(of: "--for", in: arguments, of: Self.self) ?? .afterFirstUnlock
        timeout = try TimeSpan.value(of: "--timeout", in: arguments, of: Self.self)
    }

    func run() throws(Failure) -> ExitStatus {
        let isReadable = try reporting { () throws(VestryError) in
            try Keychain().wait(for: accessibility, timeout: timeout)
        }
        guard isReadable else {
            throw Failure(timedOut: "\(accessibility.rawValue) items are still locked")
        }
        return .done
    }
}

extension Failure {
    /// Nothing was unlocked in the time that the caller gave.
    init(timedOut message: String) {
        self.init(
            .timedOut, "timed out: \(message)",
            hint: Failure.lockedHint())
    }
}
