internal import Vestry

/// The option value CLASS of `--accessible` and `--for`.
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
