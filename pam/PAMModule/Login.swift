internal import CPAM
internal import CUnlockProtocol

/// One call of an entry point: the host's handle, the options and the deadline.
@safe
struct Login {
    private let conversation: Conversation
    private let options: Options
    private let deadline: Deadline

    init(
        _ handle: OpaquePointer, _ count: CInt,
        _ arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?, reportsUnknownOptions: Bool
    ) {
        conversation = unsafe Conversation(handle)
        options = unsafe Options(count, arguments)
        deadline = Deadline(secondsFromNow: options.timeoutSeconds)
        // Once per line of the service file: the other entry points get the same arguments.
        if reportsUnknownOptions && options.unknownCount > 0 {
            log(.unknownOptions, number: CInt(truncatingIfNeeded: options.unknownCount))
        }
    }

    /// The end of a handle, where the arguments of the module's line are not known any more.
    init(afterRefusal handle: OpaquePointer) {
        unsafe self.init(handle, 0, nil, reportsUnknownOptions: false)
    }

    /// Authenticate: keeps the token for later, or uses it at once where there is no later.
    func keepToken() {
        // Another try in the same conversation: whatever the one before left must not stay.
        Stash.drop(conversation)
        HandOver.revoke(conversation)
        guard unsafe user != nil else { return }
        guard let request = SecretRequest() else { return log(.noMemory) }
        guard let user = unsafe user, unsafe request.setUser(user),
            unsafe request.setPassword(conversation.item(PAM_AUTHTOK))
        else { return log(.noToken) }
        guard geteuid() == 0 else { return unlockOwn(request) }

        if HandOver.isNeeded(conversation) {
            let error = HandOver.leave(request, conversation)
            if error != 0 { log(.handOverFailed, number: error) }
        }
        log(Stash.keep(request, conversation) ? .tokenKept : .noMemory)
    }

    /// A screen locker that runs as the user: the socket serves the asker's own account, so nobody
    /// else's token may go there.
    private func unlockOwn(_ request: consuming SecretRequest) {
        guard let user = unsafe user,
            let account = unsafe pam_modutil_getpwnam(conversation.handle, user),
            unsafe account.pointee.pw_uid == geteuid()
        else { return log(.tokenOfAnother) }
        request.clearUser()
        report(UnlockSocket.ask(request, by: deadline), hadToken: true)
    }

    /// Setcred, refresh: a screen locker that runs as root.
    func unlockAgain() {
        guard let request = takeToken(), geteuid() == 0 else { return }
        report(Helper.ask(request, VESTRY_VERB_UNLOCK, by: deadline), hadToken: true)
    }

    /// Open session: opens the store if a token is at hand, and counts the session in any case.
    ///
    /// - Parameter mayTell: Whether the host shows messages to the person.
    func openSession(mayTell: Bool) {
        // First of all, so that nothing stays where there is nobody to serve: sudo authenticates a
        // user, opens the session of root, and lives as long as the command.
        let token = takeToken()
        guard geteuid() == 0, let user = unsafe user else { return }
        let hadToken = token != nil
        guard hadToken || !options.isLate else { return }
        if !hadToken, let methods = SSHMethods(conversation),
            methods.includesPassword || methods.includesKeyboardInteractive
        {
            log(.tokenUnseen)
        }
        guard let request = token ?? SecretRequest() else { return log(.noMemory) }
        guard unsafe request.setUser(user) else { return }
        let spare = hadToken && !options.isLate ? request.copy() : nil
        // The lines of one login share its time.
        var deadline = deadline
        if let budget = request.keptBudget { deadline = deadline.orSooner(within: budget) }
        let answer = Helper.ask(request, VESTRY_VERB_OPEN, by: deadline)
        if let spare, answer.isHomeMissing {
            // A line below may make or mount it, and a late one of ours stand behind that.
            spare.keepBudget(deadline)
            _ = Stash.keep(spare, conversation)
        }
        if case .reply(let reply) = answer {
            Presence.keep(reply, conversation, left: deadline)
        }
        report(answer, hadToken: hadToken)
        guard mayTell, hadToken, case .reply(let reply) = answer,
            let message = Message.tellAtLogin(reply.result)
        else { return }
        unsafe tell(message, user: user)
    }

    func closeSession() {
        Stash.drop(conversation)
        if Presence.unlink(conversation) { log(.presenceUnlinked) }
    }

    /// After open_session has opened the store, and a module below has refused the session.
    ///
    /// - Parameter milliseconds: What open_session has left of the login's time.
    func closeAgain(within milliseconds: Int64) {
        let deadline = deadline.orSooner(within: milliseconds)
        guard geteuid() == 0, let user = unsafe user, let request = SecretRequest(),
            unsafe request.setUser(user)
        else { return }
        report(Helper.ask(request, VESTRY_VERB_CLOSE, by: deadline), hadToken: true)
    }

    /// Chauthtok, update phase.
    func changeToken(mayTell: Bool) {
        guard geteuid() == 0, let user = unsafe user else { return }
        guard let request = SecretRequest() else { return log(.noMemory) }
        guard unsafe request.setUser(user),
            unsafe request.setNewPassword(conversation.item(PAM_AUTHTOK))
        else { return log(.noNewToken) }
        renewToken()
        let hadOld = unsafe request.setPassword(conversation.item(PAM_OLDAUTHTOK))
        let answer = Helper.ask(request, VESTRY_VERB_REWRAP, by: deadline)
        guard !hadOld, case .reply(let reply) = answer, reply.result == VESTRY_NO_PASSWORD.rawValue
        else { return report(answer, hadToken: true) }
        log(.oldPasswordNeeded)
        guard mayTell else { return }
        unsafe tell(.tellOldPasswordNeeded, user: user)
    }

    private func tell(_ message: Message, user: UnsafePointer<CChar>) {
        guard let line = unsafe LogLine(message.template, user: user, number: 0) else { return }
        unsafe line.withCString { unsafe vestry_tell(conversation.handle, $0) }
    }

    /// An expired password that is changed during the login: from here on the new one is the login
    /// password, and open_session must not make a store with the old one.
    private func renewToken() {
        guard let earlier = Stash.take(conversation), let user = unsafe user,
            unsafe earlier.isFor(user)
        else { return }
        keepToken()
    }

    /// Takes the token that let this user in; nothing is left of any other.
    private func takeToken() -> SecretRequest? {
        let handedOver = HandOver.take(conversation)
        let stashed = Stash.take(conversation)
        guard let user = unsafe user else { return nil }
        guard let methods = SSHMethods(conversation) else {
            return unsafe checked(stashed, for: user)
        }
        if handedOver != nil, methods.includesKeyboardInteractive {
            return unsafe checked(handedOver, for: user)
        }
        if stashed != nil, !methods.includesPassword {
            log(.tokenNotProven)
            return nil
        }
        return unsafe checked(stashed, for: user)
    }

    private func checked(
        _ request: consuming SecretRequest?, for user: UnsafePointer<CChar>
    ) -> SecretRequest? {
        guard let request else { return nil }
        if unsafe request.isFor(user) { return request }
        log(.tokenOfAnother)
        return nil
    }

    /// PAM_USER as it is now, or nil where there is nobody to serve.
    ///
    /// Not root, by name: sudo and cron open root's sessions all day, and root is below the range of
    /// accounts that have a keychain. Any other name of uid 0 costs a helper that says so.
    private var user: UnsafePointer<CChar>? {
        guard let name = unsafe conversation.item(PAM_USER), unsafe name[0] != 0,
            unsafe strcmp(name, "root") != 0
        else { return nil }
        return unsafe name
    }

    private func report(_ answer: Answer, hadToken: Bool) {
        switch answer {
        case .reply(let reply):
            let message =
                Message.withoutPresence(reply.result, reply.session) ?? Message(reply.result)
            // A login by key has nothing to complain about: what it cannot open, it did not try to.
            log(hadToken ? message : message.forDebugging())
        case .notStarted(let error): log(.helperNotStarted, number: error)
        case .ended: log(.helperSilent)
        case .killed(let signal): log(.helperKilled, number: signal)
        case .late: log(.helperLate, number: CInt(truncatingIfNeeded: options.timeoutSeconds))
        case .unexpected: log(.unexpectedAnswer)
        case .unreachable(let error): log(.socketUnreachable, number: error)
        case .socketNotRoots: log(.socketNotRoots)
        }
    }

    private func log(_ message: Message, number: CInt = 0) {
        guard message.priority != LOG_DEBUG || options.debug else { return }
        guard
            let line = unsafe LogLine(
                message.template, user: conversation.item(PAM_USER), number: number)
        else { return }
        // syslog(3) keeps its socket in the host, perhaps as the first descriptor of the process.
        let standard = StandardDescriptors()
        defer { standard?.release() }
        unsafe line.withCString { unsafe vestry_log(conversation.handle, message.priority, $0) }
    }
}
