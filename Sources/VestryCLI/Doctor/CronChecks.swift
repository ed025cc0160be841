internal import LinuxSystem
internal import PAMStacks
internal import Vestry

/// Why a job would fail now, for each class, and what helps.
enum CronChecks {
    static func run(_ patient: Patient, cron: ServiceReport?) -> [Check] {
        var checks = [service(cron)]
        if case .caller(_, let keychain) = patient { checks += classes(keychain) }
        return checks
    }

    /// Keys are read by user ID, so cron needs no line of ours, and takes nothing away.
    private static func service(_ cron: ServiceReport?) -> Check {
        guard let cron else {
            return .note(
                .cron, "cron-absent", "there is no PAM service of cron to look at", fix: nil)
        }
        guard !cron.findings.contains(where: { $0.code == "pam-include-missing" }) else {
            return .problem(
                .cron, "cron-refused", "libpam refuses the service: no job runs",
                about: cron.service,
                fix: "see the service's own line above")
        }
        return .ok(
            .cron, "cron-service", "leaves the keys alone: a job reads what its user can read",
            about: cron.service)
    }

    private enum Answer: Equatable {
        case readable, locked
        case failing(message: String, hint: String, ExitStatus)
    }

    private static func classes(_ keychain: Keychain) -> [Check] {
        let status = keychain.statusOfAccount()
        if status.state == .noStore || status.state == .noPassword {
            return [
                .note(
                    .cron, "cron-no-keychain",
                    "a job fails now, with exit status 3: no keychain yet",
                    fix: Failure.enrollHint)
            ]
        }
        // Classes with the same answer share a line.
        var order: [(check: (String) -> Check, text: String, classes: [String])] = []
        for accessibility in Accessibility.allCases {
            let make = check(
                accessibility, answer(accessibility, in: keychain),
                isOpen: status.state == .afterFirstUnlock || status.state == .unlocked, status)
            let text = make("").text
            if let index = order.firstIndex(where: { $0.text == text }) {
                order[index].classes.append(accessibility.rawValue)
            } else {
                order.append((make, text, [accessibility.rawValue]))
            }
        }
        return order.map { $0.check($0.classes.joined(separator: ", ")) }
    }

    private static func answer(_ accessibility: Accessibility, in keychain: Keychain) -> Answer {
        do throws(VestryError) {
            return try keychain.isReadable(accessibility) ? .readable : .locked
        } catch {
            let failure = Failure(error)
            return .failing(message: failure.message, hint: failure.hint, failure.status)
        }
    }

    private static func check(
        _ accessibility: Accessibility, _ answer: Answer, isOpen: Bool, _ status: KeychainStatus
    ) -> (String) -> Check {
        let report = StatusCommand.Report(status)
        let needsSession = accessibility.needsSession
        switch answer {
        case .readable where !needsSession:
            return {
                .ok(.cron, "cron-readable", "a job reads them now, and until reboot", about: $0)
            }
        case .readable:
            return {
                .note(
                    .cron, "cron-readable-now",
                    "a job reads them now, and not while no session is open: at night it would fail",
                    about: $0, fix: "store what jobs need with --accessible after-first-unlock")
            }
        case .locked where !isOpen:
            return {
                .note(
                    .cron, "cron-locked",
                    "a job fails now, with exit status 4: \(report.message)", about: $0,
                    fix: report.next ?? Failure.unlockHint)
            }
        case .locked where !needsSession:
            return {
                .warning(
                    .cron, "cron-device-key",
                    "a job fails now, with exit status 4: this machine's device key is missing, or is"
                        + " not the one of these items", about: $0,
                    fix: "put /var/lib/vestry/device.key back from a backup, and log in again")
            }
        case .locked where status.state == .unlocked:
            return {
                .note(
                    .cron, "cron-no-password",
                    "a job fails now, with exit status 4: the account has no usable password, or the"
                        + " device key is not the one of these items", about: $0,
                    fix: "'passwd' sets a password; then log in with it")
            }
        case .locked:
            return {
                .note(
                    .cron, "cron-no-session",
                    "a job fails now, with exit status 4: \(report.message)", about: $0,
                    fix: report.next
                        ?? "store what jobs need with --accessible after-first-unlock")
            }
        case .failing(let message, let hint, let exitStatus):
            return {
                .problem(
                    .cron, "cron-failing",
                    "a job fails now, with exit status \(exitStatus.rawValue): \(message)",
                    about: $0,
                    fix: hint, status: exitStatus)
            }
        }
    }
}

extension Accessibility {
    /// Whether a login session must be open.
    fileprivate var needsSession: Bool {
        switch self {
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: false
        case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly: true
        }
    }
}
