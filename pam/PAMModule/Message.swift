internal import CPAM
internal import CUnlockProtocol

/// Every line that the module writes, in one place: administrators search for them.
///
/// "@" stands for the user's name, "#" for a number. No line carries a token or anything that was
/// computed from one, its length included. Lines of LOG_DEBUG are written with the option `debug`
/// only, so that an ordinary login writes at most one line, and a login by key none. Nothing is an
/// error (LOG_ERR): the login goes on.
@safe
struct Message {
    let priority: CInt
    /// Lives as long as the program; nil never happens (see `cString`).
    let template: UnsafePointer<CChar>?

    @inline(__always)
    init(_ priority: CInt, _ template: StaticString) {
        self.priority = priority
        unsafe self.template = cString(template)
    }

    /// The same line where nobody needs it unless looking for it.
    func forDebugging() -> Message {
        Message(debugging: self)
    }

    private init(debugging message: Message) {
        priority = LOG_DEBUG
        unsafe template = message.template
    }
}

extension Message {
    static var unknownOptions: Message {
        Message(LOG_WARNING, "# unknown option(s) in the PAM service file are ignored")
    }
    static var noToken: Message {
        Message(LOG_DEBUG, "no password has been asked for yet: nothing is kept for @")
    }
    static var tokenKept: Message {
        Message(LOG_DEBUG, "keeping the password of @ until the session opens")
    }
    static var noMemory: Message {
        Message(LOG_WARNING, "out of memory: going on without the keychain of @")
    }
    static var handOverFailed: Message {
        Message(
            LOG_WARNING,
            "cannot leave the password for the session of @ in the kernel keyring (error #)")
    }
    static var tokenOfAnother: Message {
        Message(LOG_DEBUG, "the password at hand is not that of @: it is dropped")
    }
    static var tokenNotProven: Message {
        Message(LOG_DEBUG, "the password at hand is not what let @ in: it is dropped")
    }
    /// The auth line was skipped by one above, or stands in the wrong place.
    static var tokenUnseen: Message {
        Message(
            LOG_NOTICE,
            "@ got in by a password or a code that was not seen here: see \"vestry doctor\"")
    }
    static var noNewToken: Message {
        Message(LOG_DEBUG, "no new password of @ is known at this place of the stack")
    }
    static var presenceUnlinked: Message {
        Message(LOG_DEBUG, "the session of @ no longer counts as open")
    }
    static var oldPasswordNeeded: Message {
        Message(
            LOG_NOTICE, "the keychain of @ still opens with the old password only: none was given")
    }

    /// The one line that a user ever sees, where a password was changed without the old one.
    static var tellOldPasswordNeeded: Message {
        Message(
            LOG_NOTICE,
            """
            Vestry: the keychain of @ still opens with the old password only; \
            "vestry rewrap", run as @, changes that.
            """)
    }
}

// What a person reads after a login whose password the keychain did not know.
extension Message {
    /// The line for a result of the verb open; nil for nothing to tell.
    static func tellAtLogin(_ result: UInt32) -> Message? {
        switch vestry_result(rawValue: result) {
        case VESTRY_WRONG_PASSWORD:
            Message(
                LOG_NOTICE,
                """
                Vestry: the keychain of @ still opens with an older password only; \
                "vestry rewrap", run as @, changes that.
                """)
        case VESTRY_FOLLOWS_NEXT:
            Message(
                LOG_NOTICE,
                """
                Vestry: the keychain of @ still opens with an older password only; the next \
                login with this one, or "vestry rewrap", run as @, changes that.
                """)
        case VESTRY_FOLLOWED:
            Message(
                LOG_NOTICE,
                """
                Vestry: the keychain of @ follows the new password; for what was not open, \
                run "vestry rewrap" as @.
                """)
        default: nil
        }
    }
}

// Why there was no answer.
extension Message {
    static var helperNotStarted: Message {
        Message(
            LOG_WARNING,
            "cannot start the helper (error #): going on without the keychain of @")
    }
    static var helperKilled: Message {
        Message(
            LOG_WARNING,
            "the helper was ended by signal #: going on without the keychain of @")
    }
    static var helperSilent: Message {
        Message(
            LOG_WARNING,
            "the helper ended without an answer: going on without the keychain of @")
    }
    static var helperLate: Message {
        Message(
            LOG_WARNING,
            "the helper did not answer within # s: going on without the keychain of @")
    }
    static var unexpectedAnswer: Message {
        Message(
            LOG_WARNING,
            "unexpected answer of the helper: going on without the keychain of @")
    }
    static var socketUnreachable: Message {
        Message(
            LOG_WARNING,
            "cannot reach the unlock socket (error #): the keychain of @ stays as it is")
    }
    static var socketNotRoots: Message {
        Message(LOG_WARNING, "the unlock socket is not root's: the keychain of @ stays as it is")
    }
}

// What the helper answered.
extension Message {
    init(_ result: UInt32) {
        switch vestry_result(rawValue: result) {
        case VESTRY_OPENED, VESTRY_REOPENED:
            self.init(LOG_INFO, "opened the keychain of @")
        case VESTRY_ENROLLED:
            self.init(LOG_INFO, "made a keychain for @")
        case VESTRY_ALREADY_OPEN:
            self.init(LOG_DEBUG, "the keychain of @ was open already")
        case VESTRY_REWRAPPED:
            self.init(LOG_INFO, "the keychain of @ opens with the new password now")
        case VESTRY_FOLLOWED:
            self.init(
                LOG_NOTICE,
                "the keychain of @ opens with its new password now, as far as it was open")
        case VESTRY_OPENED_BY_PREVIOUS:
            self.init(LOG_NOTICE, "opened the keychain of @ with the password before this one")
        case VESTRY_NO_PASSWORD:
            self.init(LOG_DEBUG, "no password came with this login of @")
        case VESTRY_NO_STORE:
            self.init(LOG_DEBUG, "@ has no keychain")
        case VESTRY_WRONG_PASSWORD:
            self.init(
                LOG_NOTICE,
                "the password does not open the keychain of @: it still has an older one")
        case VESTRY_NOT_THE_PASSWORD:
            self.init(
                LOG_NOTICE,
                "what this login gave is not the password of @: its keychain stays as it is")
        case VESTRY_FOLLOWS_NEXT:
            self.init(
                LOG_NOTICE,
                "the password does not open the keychain of @: the next login with it will")
        case VESTRY_ACCOUNT_WITHOUT_PASSWORD:
            self.init(LOG_DEBUG, "@ has no password that could open a keychain")
        case VESTRY_DAMAGED:
            self.init(
                LOG_WARNING, "the keychain of @ is damaged: see \"vestry check\", run as @")
        case VESTRY_NEWER_FORMAT:
            self.init(LOG_WARNING, "the keychain of @ was written by a newer version")
        case VESTRY_DENIED:
            self.init(
                LOG_WARNING, "the keychain of @ is not used: owner, mode or file type is wrong")
        case VESTRY_NOT_SERVED:
            self.init(LOG_DEBUG, "no keychain is kept for @")
        case VESTRY_UNKNOWN_USER:
            self.init(LOG_NOTICE, "the helper knows no account @")
        case VESTRY_HOME_MISSING:
            self.init(LOG_NOTICE, "the home directory of @ is missing: no keychain")
        case VESTRY_NO_DEVICE_KEY:
            self.init(LOG_WARNING, "this machine has no device key: the keychain of @ stays locked")
        case VESTRY_DEVICE_KEY_SHUT:
            self.init(LOG_WARNING, "the device key does not open: the keychain of @ stays as it is")
        case VESTRY_NO_KEYRING_SUPPORT:
            self.init(LOG_WARNING, "this kernel has no keyrings: the keychain of @ stays locked")
        case VESTRY_KEYRING_BLOCKED:
            self.init(LOG_WARNING, "keyrings are forbidden here: the keychain of @ stays locked")
        case VESTRY_KEYRING_QUOTA:
            self.init(LOG_WARNING, "the key quota of @ is used up: the keychain stays locked")
        case VESTRY_BUSY:
            self.init(LOG_WARNING, "too many logins at once: the keychain of @ stays locked")
        case VESTRY_NO_MEMORY:
            self.init(LOG_WARNING, "the helper had too little memory for the keychain of @")
        case VESTRY_WRITE_FAILED:
            self.init(LOG_WARNING, "no space is left for the keychain of @")
        case VESTRY_READ_ONLY:
            self.init(LOG_WARNING, "the file system of the keychain of @ is read-only")
        case VESTRY_INPUT_OUTPUT:
            self.init(LOG_WARNING, "the disk failed at the keychain of @: see the kernel's log")
        case VESTRY_CLOSED:
            self.init(LOG_NOTICE, "Vestry closed the keychain of @ again: the session was refused")
        case VESTRY_BAD_REQUEST, VESTRY_FAILED:
            self.init(LOG_WARNING, "the helper failed: the keychain of @ stays as it is")
        default:
            self = .unexpectedAnswer
        }
    }

    /// The same result, where in addition the session does not hold the keychain open.
    static func withoutPresence(_ result: UInt32, _ session: UInt32) -> Message? {
        let keyringIsMissing = session == VESTRY_SESSION_HAS_NO_KEYRING.rawValue
        guard keyringIsMissing || session == VESTRY_SESSION_FAILED.rawValue else { return nil }
        switch vestry_result(rawValue: result) {
        case VESTRY_OPENED, VESTRY_REOPENED, VESTRY_ALREADY_OPEN, VESTRY_OPENED_BY_PREVIOUS:
            return keyringIsMissing
                ? Message(
                    LOG_NOTICE,
                    "opened the keychain of @; the session does not count (pam_keyinit)")
                : Message(LOG_WARNING, "opened the keychain of @, but the session does not count")
        case VESTRY_ENROLLED:
            return keyringIsMissing
                ? Message(
                    LOG_NOTICE,
                    "made a keychain for @; the session does not count (pam_keyinit)")
                : Message(LOG_WARNING, "made a keychain for @, but the session does not count")
        default:
            return nil
        }
    }
}
