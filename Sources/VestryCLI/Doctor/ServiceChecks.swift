internal import Glibc
internal import LinuxSystem
internal import Vestry

/// The helper, its socket and folders, the device key, and whether all of it serves the account.
enum ServiceChecks {
    private static let reinstall = "reinstall the package libpam-vestry"

    static func run(_ patient: Patient) -> [Check] {
        [helper()] + runtimeFolders() + [socket(patient)] + DeviceKeyChecks.run(patient)
    }

    private static func helper() -> Check {
        let path = Keychain.helperPath
        guard let facts = try? FileFacts(path) else {
            return .problem(
                .service, "helper-missing", "there is no \(path): no login opens a keychain",
                fix: reinstall, status: .unavailable)
        }
        if let fault = facts.faultOfProgram(path) {
            return .problem(
                .service, "helper-unsafe", fault,
                fix: "\(reinstall), and find out who has changed it", status: .denied)
        }
        guard facts.mode & 0o100 != 0 else {
            return .problem(
                .service, "helper-missing", "\(path) cannot be run (mode \(facts.modeText))",
                fix: "sudo chmod 755 \(path)", status: .unavailable)
        }
        return .ok(.service, "helper", "\(path) is there")
    }

    /// Whoever could change these would hold logins up, or wake those who wait.
    private static func runtimeFolders() -> [Check] {
        let folder = Keychain.runtimeFolder
        let modes: [(path: String, mode: mode_t)] = [
            (folder, 0o755), ("\(folder)/unlocked", 0o755), ("\(folder)/sessions", 0o755),
            ("\(folder)/lock", 0o700),
        ]
        return modes.compactMap { path, mode in
            // The helper makes what is missing.
            guard let facts = try? FileFacts(path) else { return nil }
            if facts.isFolder && facts.owner == 0 && facts.mode & ~mode == 0 { return nil }
            return .problem(
                .service, "runtime-folder-unsafe",
                "owner \(facts.owner) and mode \(facts.modeText) instead of root and "
                    + "0\(String(mode, radix: 8))",
                about: path,
                fix:
                    "sudo chown root:root \(path) && sudo chmod \(String(mode, radix: 8)) \(path)",
                status: .denied)
        }
    }

    private static var serve: String {
        FileFacts.hasSystemd
            ? "sudo systemctl enable --now vestry-unlock.socket"
            : "see 'Without systemd' in vestry-session-helper(8); logins need no unlock service"
    }

    /// By a request that opens nothing: what answers is what a login would meet.
    private static func socket(_ patient: Patient) -> Check {
        let path = Keychain.unlockSocketPath
        let name: String? = if case .another(let account) = patient { account.name } else { nil }
        do throws(VestryError) {
            switch try Keychain.askUnlockService(for: name) {
            case .ready: return .ok(.service, "unlock-service", "serves this account")
            case .noKeychain:
                return .ok(
                    .service, "unlock-service", "serves this account, which has no keychain yet")
            case .accountWithoutPassword:
                return .ok(
                    .service, "unlock-service", "serves this account, which has no password")
            case .excluded:
                return .problem(
                    .service, "account-excluded",
                    "/etc/vestry.conf excludes this account, is switched off, or has a mistake",
                    fix: "see vestry.conf(5); 'sudo journalctl -g vestry.conf' shows the mistakes",
                    status: .unavailable)
            case .alive: return .ok(.service, "unlock-service", "answers at \(path)")
            }
        } catch {
            let failure = Failure(error)
            let isAbsent = !FileFacts.exists(path)
            return .problem(
                .service, isAbsent ? "unlock-socket-missing" : "unlock-service-failing",
                failure.message,
                fix: isAbsent ? serve : failure.hint,
                status: [.damaged, .denied].contains(failure.status)
                    ? failure.status : .unavailable)
        }
    }
}
