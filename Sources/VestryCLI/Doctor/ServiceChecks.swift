internal import Glibc
internal import LinuxSystem
internal import Vestry

/// The helper, its socket and folders, the device key, and whether all of it serves the account.
enum ServiceChecks {
    private static let reinstall = "reinstall the package libpam-vestry"

    static func run(_ patient: Patient) -> [Check] {
        [helper()] + runtimeFolders() + [socket(patient)] + deviceKey()
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
                fix: isAbsent
                    ? "sudo systemctl enable --now vestry-unlock.socket" : failure.hint,
                status: [.damaged, .denied].contains(failure.status)
                    ? failure.status : .unavailable)
        }
    }

    // MARK: - The device key

    private static let keyFolder = "/var/lib/vestry"
    private static let keyPath = "/var/lib/vestry/device.key"
    private static let keyFix =
        "put the file back from a backup; only if there is none, 'sudo dpkg-reconfigure"
        + " libpam-vestry' makes a new one, which opens no this-device-only item of before"

    /// By its owner, mode and size; nobody but the helper reads it.
    private static func deviceKey() -> [Check] {
        guard let folder = try? FileFacts(keyFolder) else {
            return [
                .problem(
                    .service, "device-key-missing",
                    "there is no \(keyFolder): no keychain is made, and this-device-only items stay shut",
                    fix: keyFix, status: .unavailable)
            ]
        }
        guard folder.isFolder, folder.owner == 0, folder.mode & 0o077 == 0 else {
            return [
                .problem(
                    .service, "device-key-unsafe",
                    "\(keyFolder) has owner \(folder.owner) and mode \(folder.modeText) instead of root"
                        + " and 0700",
                    fix: "sudo chown root:root \(keyFolder) && sudo chmod 700 \(keyFolder)",
                    status: .denied)
            ]
        }
        do throws(FileFacts.Failure) {
            return [check(try FileFacts(keyPath))]
        } catch .hidden {
            return [
                .note(
                    .service, "device-key-hidden", "only root can look at \(keyPath)",
                    fix: "sudo vestry doctor")
            ]
        } catch {
            return [
                .problem(
                    .service, "device-key-missing",
                    "there is no \(keyPath): no keychain is made, and this-device-only items stay shut",
                    fix: keyFix, status: .unavailable)
            ]
        }
    }

    private static func check(_ key: FileFacts) -> Check {
        guard key.isRegularFile, key.owner == 0, key.mode & 0o077 == 0 else {
            return .problem(
                .service, "device-key-unsafe",
                "\(keyPath) has owner \(key.owner) and mode \(key.modeText) instead of root and 0600",
                fix: "sudo chown root:root \(keyPath) && sudo chmod 600 \(keyPath)", status: .denied
            )
        }
        guard key.byteCount == 32 else {
            return .problem(
                .service, "device-key-damaged",
                "\(keyPath) has \(key.byteCount) instead of 32 bytes", fix: keyFix, status: .damaged
            )
        }
        return .ok(.service, "device-key", "is there, and root's alone")
    }
}
