internal import LinuxSystem
internal import Vestry

/// Which of Vestry's keys are in the kernel, for how long, and which sessions hold them.
enum KeyChecks {
    static func run(_ patient: Patient) -> [Check] {
        switch patient {
        case .caller:
            guard let list = try? KernelKeyList.current() else { return [] }
            return checks(list)
        case .another(let account):
            return [
                .note(
                    .keys, "keys-hidden", "a user's keys are seen by that user alone",
                    fix: "runuser -u \(account.name) -- vestry doctor")
            ]
        case .machine: return []
        }
    }

    static func checks(_ list: KernelKeyList) -> [Check] {
        guard !list.keys.isEmpty else {
            return [
                .note(
                    .keys, "no-keys", "none of this user's keys is in the kernel",
                    fix: Failure.lockedHint())
            ]
        }
        return [sessions(list.sessions)]
            + list.keys.filter { !$0.isKeyring }.map { key in
                .ok(
                    .keys, "key", "\(hexadecimal(key.serial)), \(lifetime(of: key))",
                    about: key.name)
            }
    }

    private static func sessions(_ sessions: [KernelKeyList.Entry]) -> Check {
        guard !sessions.isEmpty else {
            return .note(
                .keys, "no-session", "no login session counts: when-unlocked items are locked",
                fix: "log in by a service of which is said above that it counts as a session"
            )
        }
        let serials = sessions.map { hexadecimal($0.serial) }.joined(separator: ", ")
        return .ok(
            .keys, "sessions",
            "login sessions that count: \(sessions.count) (their session keyrings: \(serials))")
    }

    /// How long the kernel keeps it.
    private static func lifetime(of key: KernelKeyList.Entry) -> String {
        if let timeLeft = key.timeLeft {
            return "for \(timeLeft), in the process that asked for it"
        }
        switch key.purpose {
        case .openSessions: return "while a session counts, until the screen is locked"
        case .pointer: return "which leads to the keys of the open sessions"
        case .mismatch: return "until the password opens the keychain again"
        case .firstUnlock: return "until the next reboot, or 'vestry lock --all'"
        }
    }

    private static func hexadecimal(_ serial: Int32) -> String {
        "serial " + String(UInt32(bitPattern: serial), radix: 16)
    }
}
