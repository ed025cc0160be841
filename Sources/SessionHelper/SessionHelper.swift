internal import CUnlockProtocol
internal import Glibc
internal import LinuxSystem
internal import Privileges
internal import SecureMemory
internal import VestryConfiguration

/// `vestry-session-helper`: serves one request on descriptor 0, and exits.
///
/// pam_vestry.so starts it as root with a socket pair, no environment and no other descriptor;
/// systemd starts it for each connection to the unlock socket. With arguments, which only a person
/// gives, it is root's command for device keys (``DeviceKeyCommand``).
@main
enum SessionHelper {
    static let socket: CInt = STDIN_FILENO

    static func main() {
        // Before anything else: from here on this process has something to hide.
        guard (try? ThisProcess.hideMemory()) != nil else {
            exit(ExitStatus.failure.rawValue)
        }
        _ = umask(0o022)

        // Whoever comes over the socket or from the PAM module gives no arguments.
        let arguments = CommandLine.arguments.dropFirst()
        if !arguments.isEmpty { exit(DeviceKeyCommand.run(Array(arguments)).rawValue) }

        guard let peer = try? FileDescriptor.peerUser(of: socket) else {
            SystemLog.write(.warning, "started without a socket: this program serves pam_vestry")
            DeviceKeyCommand.explain()
            exit(ExitStatus.usage.rawValue)
        }
        let outcome: Outcome
        do throws(Refusal) {
            outcome = try RuntimeState.withPlace(of: peer) { () throws(Refusal) in
                try serve(askedBy: peer)
            }
        } catch {
            outcome = Outcome(error.result)
        }
        outcome.send(to: socket)
    }

    /// The order of the steps is the security argument.
    ///
    /// Root is needed to read the device key, to keep its own files and to become the user, and for
    /// nothing else: no byte that the user controls is opened or parsed before step 6. The request
    /// itself comes from the user where it comes over the unlock socket; it has fixed fields
    /// (``Request``).
    private static func serve(askedBy peer: uid_t) throws(Refusal) -> Outcome {
        // 1. The request.
        guard let request = Request.receive(from: socket) else {
            throw Refusal(VESTRY_BAD_REQUEST)
        }
        // Half a second of the asker's patience is for the way back.
        let deadline = Deadline(after: max(.milliseconds(100), request.budget - .milliseconds(500)))
        // A helper that hangs anyway, say on a dead network file system, ends itself.
        alarm(UInt32(request.budget.components.seconds) + 10)

        // Root may ask for the machine alone.
        if request.verb == .deviceKey && peer == 0 && request.user.isEmpty {
            return Outcome(UserDeviceKeys.load(for: 0, before: deadline).answer(for: nil))
        }

        // 2. Who asks, and for whom. Names are names, also those of digits.
        let account = try self.account(in: request, askedBy: peer)
        let (configuration, complaints) = Configuration.load()
        for complaint in complaints { SystemLog.write(.warning, "\(complaint)") }
        guard configuration.serves(account) else { throw Refusal(VESTRY_NOT_SERVED) }
        let groups = try refusing { () throws(SystemCallError) in try account.groups() }

        // 3. A host of the PAM module may run under limits that it set for itself; the out-of-memory
        // killer shall take this process and not the login.
        ThisProcess.liftLimits()
        volunteerForOutOfMemoryKiller()

        // The record of the account's password, which only root may read.
        let accountPassword = AccountPassword.read(of: account)

        // 4. This user's parts of the device keys; the keys themselves are wiped when this returns.
        let deviceKeys = UserDeviceKeys.load(for: account.user, before: deadline)

        // 5. Root's locks, the event file, and the record of the session.
        let state: RuntimeState
        do throws(SystemCallError) {
            state = try RuntimeState.open(for: account.user, isLogin: peer == 0)
        } catch {
            SystemLog.write(.warning, "\(VESTRY_RUNTIME_DIRECTORY): \(error)")
            throw Refusal(VESTRY_FAILED)
        }
        if request.verb == .close { SessionRecordFile.remove(for: account.user) }
        let record = request.verb == .open ? SessionRecordFile.make(for: account.user) : nil

        // 6. The last privileged act. Everything below runs as the user.
        do throws(SystemCallError) {
            try dropPrivileges(to: account, groups: groups)
        } catch {
            SystemLog.write(.warning, "cannot become \(account.user): \(error)")
            throw Refusal(VESTRY_FAILED)
        }

        // 7. The user's own files and keyrings, with the user's own rights.
        let service = UserService(
            account: account, deviceKeys: deviceKeys, accountPassword: accountPassword,
            configuration: configuration, state: state, deadline: deadline)
        defer { service.noteDeviceKeys() }
        let outcome = try service.serve(request)
        if outcome.session == VESTRY_SESSION_COUNTS {
            record?.write(hasPassword: request.password.count > 0)
        }
        return outcome
    }

    private static func account(
        in request: borrowing Request, askedBy peer: uid_t
    ) throws(Refusal) -> Account {
        let name = request.user
        let account: Account?
        do throws(SystemCallError) {
            account = peer == 0 ? try Account.named(name) : try Account.with(user: peer)
        } catch {
            SystemLog.write(.warning, "account database: \(error)")
            throw Refusal(VESTRY_FAILED)
        }
        guard let account else { throw Refusal(VESTRY_UNKNOWN_USER) }
        if peer != 0 {
            // Everybody but root is served for their own account, and a login is root's to open and
            // to close.
            guard name.isEmpty || name == account.name, request.verb != .open,
                request.verb != .close
            else { throw Refusal(VESTRY_DENIED) }
        }
        return account
    }

    private static func volunteerForOutOfMemoryKiller() {
        // 1000 is the most (proc(5)). Failing is no reason to stop: it is missing in some sandboxes.
        let file = try? FileDescriptor(
            opening: "/proc/self/oom_score_adj", in: AT_FDCWD, flags: O_WRONLY)
        if let file { try? file.write(Array("1000".utf8)) }
    }
}
