internal import Glibc
internal import LinuxSystem
internal import Vestry

/// This machine's device key: where it is, whether it opens, and who still needs older ones.
enum DeviceKeyChecks {
    static let statusHint = "'sudo \(Keychain.helperPath) device-key status' says what to do"

    private static let folder = "/var/lib/vestry"
    private static let path = "\(folder)/device.key"
    private static let fix =
        "put the file back from a backup; only if there is none, 'sudo dpkg-reconfigure"
        + " libpam-vestry' makes a new one, which opens no this-device-only item of before"
    /// A key that is not sealed has this size; a sealed one is far longer.
    private static let byteCount = 32
    private static let sealedByteCount = 128...8192

    static func run(_ patient: Patient) -> [Check] {
        let file = file()
        guard file.result == .ok || file.result == .note else { return [file] }
        return [answer(patient, file)] + olderKeys()
    }

    // MARK: - The file

    /// By its owner, mode and size; nobody but the helper reads it.
    private static func file() -> Check {
        guard let facts = try? FileFacts(folder) else { return missing(folder) }
        guard facts.isFolder, facts.owner == 0, facts.mode & 0o077 == 0 else {
            return .problem(
                .service, "device-key-unsafe",
                "\(folder) has owner \(facts.owner) and mode \(facts.modeText) instead of root"
                    + " and 0700",
                fix: "sudo chown root:root \(folder) && sudo chmod 700 \(folder)",
                status: .denied)
        }
        do throws(FileFacts.Failure) {
            return check(try FileFacts(path))
        } catch .hidden {
            return .note(
                .service, "device-key-hidden", "only root can look at \(path)",
                fix: "sudo vestry doctor")
        } catch {
            return missing(path)
        }
    }

    private static func missing(_ path: String) -> Check {
        .problem(
            .service, "device-key-missing",
            "there is no \(path): no keychain is made, and this-device-only items stay shut",
            fix: fix, status: .unavailable)
    }

    private static func check(_ key: FileFacts) -> Check {
        guard key.isRegularFile, key.owner == 0, key.mode & 0o077 == 0 else {
            return .problem(
                .service, "device-key-unsafe",
                "\(path) has owner \(key.owner) and mode \(key.modeText) instead of root and 0600",
                fix: "sudo chown root:root \(path) && sudo chmod 600 \(path)", status: .denied)
        }
        if key.byteCount == byteCount {
            return .ok(.service, "device-key", "is there, and root's alone")
        }
        guard sealedByteCount.contains(key.byteCount) else { return damaged(key.byteCount) }
        return .ok(.service, "device-key", "is there, root's alone, and sealed")
    }

    private static func damaged(_ count: Int) -> Check {
        .problem(
            .service, "device-key-damaged",
            "\(path) has \(count.counted("byte")), and is neither a device key nor a sealed one",
            fix: fix, status: .damaged)
    }

    // MARK: - What the unlock service says

    /// The check of the file, unless the service knows better; that it does not answer is said elsewhere.
    private static func answer(_ patient: Patient, _ file: Check) -> Check {
        let name: String? = if case .another(let account) = patient { account.name } else { nil }
        switch try? Keychain.askForDeviceKey(of: name) {
        case .shut:
            return .problem(
                .service, "device-key-shut",
                "a device key is sealed and does not open: this-device-only items stay shut",
                fix: statusHint, status: .unavailable)
        case .missing where file.result == .ok:
            return damaged((try? FileFacts(path))?.byteCount ?? 0)
        case .missing:
            return .problem(
                .service, "device-key-missing",
                "there is no device key, or it is damaged or not root's alone: this-device-only items"
                    + " stay shut",
                fix: "sudo vestry doctor", status: .unavailable)
        case .fits, .ofAnother, nil: return file
        }
    }

    // MARK: - Older keys

    /// For root, who alone sees them.
    private static func olderKeys() -> [Check] {
        guard let keys = try? FileDescriptor.openDirectory(path: folder),
            let ids = try? DeviceKeyNote.olderKeyIDs(in: keys), !ids.isEmpty,
            let notes = try? DeviceKeyNote.all(in: keys)
        else { return [] }
        let count = notes.values.count { note in ids.contains(where: note.mayNeed) }
        guard count > 0 else {
            return [
                .note(
                    .service, "older-device-keys",
                    "the next login or unlock forgets older device keys: nobody needs them",
                    fix: nil)
            ]
        }
        return [
            .note(
                .service, "older-device-keys",
                "older device keys are kept, for users who have not come by since the last"
                    + " replacement: \(count)",
                fix: "'sudo \(Keychain.helperPath) device-key status' names them")
        ]
    }
}
