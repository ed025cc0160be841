/// A length of time, as arguments have it: a number of s, m, h or d.
enum TimeSpan {
    /// For messages.
    static let requirement = "a number of seconds, or one with a unit as in 90s, 10m, 12h or 2d"

    /// About 31,000 years.
    private static let countLimit = 1_000_000_000

    /// Reads a number with its unit.
    ///
    /// - Parameters:
    ///   - text: As somebody wrote it.
    ///   - needsUnit: Whether a number alone, which is one of seconds, is refused.
    /// - Returns: Seconds; nil for what is no length of time.
    static func seconds(_ text: some StringProtocol, needsUnit: Bool = false) -> Int? {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        if let unit = text.last.flatMap({ units[$0] }) {
            return Arguments.number(String(text.dropLast()), atMost: countLimit).map { $0 * unit }
        }
        return needsUnit ? nil : Arguments.number(String(text), atMost: countLimit)
    }

    /// The value of an option, where it is given.
    ///
    /// - Throws: `UsageError` for what is no length of time.
    static func value(
        of option: String, in arguments: Arguments, of command: (some Command).Type
    ) throws(UsageError) -> Duration? {
        guard let text = arguments.value(of: option) else { return nil }
        guard let seconds = seconds(text) else {
            throw command.usageError("option '\(option)' needs \(requirement)")
        }
        return .seconds(seconds)
    }
}
