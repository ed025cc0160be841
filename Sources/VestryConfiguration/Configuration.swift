public import Glibc
public import LinuxSystem

/// What `/etc/vestry.conf` says: which accounts Vestry serves, and when it locks by itself.
///
///     # a comment
///     enabled = yes
///     minimum-uid = 1000
///     maximum-uid = 59999
///     lock-after-idle = 15
///     follow-new-password = yes
public struct Configuration: Equatable, Sendable {
    static let path = "/etc/vestry.conf"
    /// Far more than anybody writes there.
    static let byteLimit = 65_536
    /// A day.
    static let longestIdleMinutes = 1440

    public internal(set) var isEnabled = true
    /// People's accounts, as Debian's policy (section 9.2.2) and login.defs(5) number them.
    public internal(set) var users: ClosedRange<uid_t> = 1000...59_999
    /// After how long without anybody at a user's sessions their when-unlocked items are locked; nil
    /// for never.
    public internal(set) var lockAfterIdle: Duration?

    /// Whether a login with a password that opens no keychain makes the one that is open since this
    /// boot open with it.
    public internal(set) var followsNewPassword = true

    /// A line that is not understood.
    public struct Complaint: Error, Equatable, CustomStringConvertible {
        let line: Int
        let reason: String

        public var description: String { "\(Configuration.path):\(line): \(reason)" }
    }

    /// Reads the file, with the defaults where there is none.
    ///
    /// - Returns: The configuration and what was not understood in it. Such a file switches Vestry
    ///   off: whoever wanted to exclude an account must not find it served because of a typing error.
    public static func load() -> (Configuration, [Complaint]) {
        do throws(SystemCallError) {
            let file = try FileDescriptor(opening: path, in: AT_FDCWD, flags: O_RDONLY)
            guard let bytes = try file.readAll(limit: byteLimit) else {
                return off(Complaint(line: 0, reason: "more than \(byteLimit) bytes"))
            }
            return parse(String(decoding: bytes, as: UTF8.self))
        } catch {
            if error.errno == ENOENT { return (Configuration(), []) }
            return off(Complaint(line: 0, reason: "\(error)"))
        }
    }

    static func parse(_ text: String) -> (Configuration, [Complaint]) {
        var configuration = Configuration()
        var complaints: [Complaint] = []
        var (lowest, highest) = (configuration.users.lowerBound, configuration.users.upperBound)
        // Not by "\n": an editor's CRLF is one Character, and no line would end.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let content = line.prefix { $0 != "#" }
            if content.allSatisfy(\.isWhitespace) { continue }
            let parts = content.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false
            ).map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            func complain(_ reason: String) {
                complaints.append(Complaint(line: index + 1, reason: reason))
            }
            guard parts.count == 2 else {
                complain("expected \"key = value\"")
                continue
            }
            switch (parts[0], parts[1]) {
            case ("enabled", "yes"): configuration.isEnabled = true
            case ("enabled", "no"): configuration.isEnabled = false
            case ("enabled", _): complain("enabled is \"yes\" or \"no\"")
            case ("minimum-uid", let value), ("maximum-uid", let value):
                guard let user = uid_t(value), user > 0 else {
                    complain("\(parts[0]) is a number from 1 on")
                    continue
                }
                if parts[0] == "minimum-uid" { lowest = user } else { highest = user }
            case ("follow-new-password", "yes"): configuration.followsNewPassword = true
            case ("follow-new-password", "no"): configuration.followsNewPassword = false
            case ("follow-new-password", _):
                complain("follow-new-password is \"yes\" or \"no\"")
            case ("lock-after-idle", "never"): configuration.lockAfterIdle = nil
            case ("lock-after-idle", let value):
                guard let minutes = Int(value), (1...longestIdleMinutes).contains(minutes) else {
                    complain(
                        "lock-after-idle is \"never\" or a number of minutes from 1 to "
                            + "\(longestIdleMinutes)")
                    continue
                }
                configuration.lockAfterIdle = .seconds(minutes * 60)
            default: complain("unknown key \"\(parts[0])\"")
            }
        }
        guard lowest <= highest else {
            return off(Complaint(line: lines.count, reason: "minimum-uid is above maximum-uid"))
        }
        configuration.users = lowest...highest
        if !complaints.isEmpty { configuration.isEnabled = false }
        return (configuration, complaints)
    }

    private static func off(_ complaint: Complaint) -> (Configuration, [Complaint]) {
        var configuration = Configuration()
        configuration.isEnabled = false
        return (configuration, [complaint])
    }

    /// Whether this account gets a keychain; root never does.
    public func serves(_ account: Account) -> Bool {
        isEnabled && account.user != 0 && users.contains(account.user)
    }
}
