internal import Vestry

extension ItemKey {
    /// The operands SERVICE and ACCOUNT.
    init(operandsOf arguments: Arguments, of command: (some Command).Type) throws(UsageError) {
        guard arguments.operands.count == 2 else {
            throw command.usageError("expected SERVICE and ACCOUNT")
        }
        self.init(service: arguments.operands[0], account: arguments.operands[1])
    }
}

/// The option value CLASS.
enum ClassArgument {
    static let usage = """
        CLASS is one of
          after-first-unlock                   from the first login with a password until reboot
          when-unlocked                        while a login session is open and not screen-locked
          after-first-unlock-this-device-only  likewise, and only on this machine
          when-unlocked-this-device-only       likewise, and only on this machine
          when-passcode-set-this-device-only   likewise, and only while there is a login password

        """

    static func value(
        of option: String, in arguments: Arguments, of command: (some Command).Type
    ) throws(UsageError) -> Accessibility? {
        guard let text = arguments.value(of: option) else { return nil }
        guard let accessibility = Accessibility(rawValue: text) else {
            throw command.usageError(
                "option '\(option)' needs a CLASS, not '\(text.escapedForTerminal)'")
        }
        return accessibility
    }
}
