internal import CUnlockProtocol
internal import Glibc
internal import LinuxSystem

/// `vestry-session-helper device-key`: what root does with this machine's device keys at a terminal.
///
/// No connection leads here: only who starts the program gives it arguments.
enum DeviceKeyCommand {
    static let usage = """
        usage: vestry-session-helper device-key status
               vestry-session-helper device-key replace [--yes]
               vestry-session-helper device-key seal [--with host|tpm2|host+tpm2]
               vestry-session-helper device-key unseal
               vestry-session-helper device-key forget-old [--yes]

        This machine's device key wraps the keys of the this-device-only items, together with the
        passwords. For root.

          status      says where it is, whose, when made, sealed with what, and who needs older ones
          replace     makes a new one; the one before stays until each user has logged in or unlocked
                      the keychain. With --yes also when the one before does not open
          seal        seals it with systemd-creds(1): with a key of this machine's in another file,
                      with its TPM, or both, which is what it takes where there is a TPM
          unseal      lets it stand in its file as it is
          forget-old  forgets the older ones that nobody needs; with --yes all of them, and with them
                      the this-device-only items of those who have not come by

        """

    struct Failure: Error, Equatable {
        let status: ExitStatus
        let message: String
        let hint: String

        init(_ status: ExitStatus, _ message: String, hint: String) {
            self.status = status
            self.message = message
            self.hint = hint
        }

        init(_ fault: DeviceKeyFault, of path: String = DeviceKeyFolder.keyPath) {
            let message = "the device key \(path): \(fault.text)"
            switch fault {
            case .missing: self.init(.unavailable, message, hint: Self.backupHint)
            case .unsafe:
                self.init(
                    .denied, message,
                    hint:
                        "chown root:root \(path) && chmod 600 \(path); '\(VESTRY_HELPER_PATH)"
                        + " device-key replace' makes a new one, if somebody may have read it")
            case .damaged: self.init(.damaged, message, hint: Self.backupHint)
            case .shut:
                self.init(
                    .unavailable, message,
                    hint:
                        "put right what keeps systemd-creds(1) from it, or put a copy of the"
                        + " unsealed key in its place; if that is gone for good, '\(VESTRY_HELPER_PATH)"
                        + " device-key replace --yes' makes a new one, and this-device-only items stay"
                        + " shut")
            case .unreadable:
                self.init(.failure, message, hint: "look at \(DeviceKeyFolder.path) as root")
            }
        }

        init(_ error: SystemCallError) {
            self.init(
                .failure, "\(DeviceKeyFolder.path): \(error)",
                hint: "nothing is half done: put the cause right, and run the command again")
        }

        private static let backupHint =
            "put the file back from a backup; only if there is none, remove it, and"
            + " 'dpkg-reconfigure libpam-vestry' makes a new one, which opens no this-device-only item"
            + " of before"
    }

    enum Verb: Equatable {
        case help
        case status
        case replace(isForced: Bool)
        case seal(DeviceKeySealing?)
        case unseal
        case forgetOld(isForced: Bool)
    }

    /// Nil for what is no command.
    static func verb(_ arguments: [String]) -> Verb? {
        guard arguments.first == "device-key" || arguments == ["--help"] else { return nil }
        if arguments.contains("--help") { return .help }
        let words = Array(arguments.dropFirst())
        switch words.first {
        case "status": return words.count == 1 ? .status : nil
        case "unseal": return words.count == 1 ? .unseal : nil
        case "replace", "forget-old":
            guard words.count == 1 || words.dropFirst() == ["--yes"] else { return nil }
            return words[0] == "replace"
                ? .replace(isForced: words.count == 2) : .forgetOld(isForced: words.count == 2)
        case "seal":
            if words.count == 1 { return .seal(nil) }
            guard words.count == 3, words[1] == "--with" else { return nil }
            return DeviceKeySealing(rawValue: words[2]).map { .seal($0) }
        default: return nil
        }
    }

    /// Runs a command to its end.
    ///
    /// - Parameter arguments: Those of the program, without its name.
    /// - Returns: What the shell gets.
    static func run(_ arguments: [String]) -> ExitStatus {
        guard let verb = verb(arguments) else {
            write(usage, to: STDERR_FILENO)
            return .usage
        }
        if verb == .help {
            write(usage, to: STDOUT_FILENO)
            return .done
        }
        _ = umask(0o077)
        do throws(Failure) {
            guard geteuid() == 0 else {
                throw Failure(
                    .denied, "only root may do this",
                    hint: "sudo \(VESTRY_HELPER_PATH) \(arguments.joined(separator: " "))")
            }
            switch verb {
            case .help: break
            case .status: try DeviceKeyReport.print()
            case .replace(let isForced): try DeviceKeyChange.open().replace(isForced: isForced)
            case .seal(let sealing): try DeviceKeyChange.open().seal(with: sealing)
            case .unseal: try DeviceKeyChange.open().unseal()
            case .forgetOld(let isForced):
                try DeviceKeyChange.open().forgetOld(isForced: isForced)
            }
            return .done
        } catch {
            write(
                "vestry-session-helper: \(error.message)\nvestry-session-helper: hint: \(error.hint)\n",
                to: STDERR_FILENO)
            return error.status
        }
    }

    static func folder() throws(Failure) -> DeviceKeyFolder {
        do throws(DeviceKeyFault) {
            return try DeviceKeyFolder.open()
        } catch {
            throw Failure(error)
        }
    }

    /// To somebody who has started the program by hand.
    static func explain() {
        write(usage, to: STDERR_FILENO)
    }

    static func say(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

    private static func write(_ text: String, to descriptor: CInt) {
        let stream = FileDescriptor(adopting: descriptor)
        // Whoever closed it does not want to hear it.
        try? stream.write(Array(text.utf8))
        _ = stream.release()
    }
}
