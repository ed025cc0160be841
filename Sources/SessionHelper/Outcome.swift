internal import CUnlockProtocol
internal import Glibc
internal import KernelKeyring
internal import Keybag
internal import LinuxSystem

/// The one reply of a connection.
struct Outcome {
    var result: vestry_result
    var session = VESTRY_SESSION_NOT_ASKED
    var presenceKeyring: Int32 = 0
    var sessionKeyring: Int32 = 0

    init(_ result: vestry_result) {
        self.result = result
    }

    /// Notes what became of the session's presence.
    mutating func session(_ link: () throws(KeyringError) -> SessionPresence) {
        switch try? link() {
        case .linked(let presence, let session):
            self.session = VESTRY_SESSION_COUNTS
            presenceKeyring = presence
            sessionKeyring = session
        case .alreadyLinked: self.session = VESTRY_SESSION_COUNTS
        case .noSessionKeyring: self.session = VESTRY_SESSION_HAS_NO_KEYRING
        case nil: self.session = VESTRY_SESSION_FAILED
        }
    }

    /// Sends the reply; an asker that is gone is no reason to do anything else.
    func send(to socket: CInt) {
        var reply = vestry_reply(
            version: VESTRY_PROTOCOL_VERSION, result: result.rawValue, session: session.rawValue,
            presence_keyring: presenceKeyring, session_keyring: sessionKeyring)
        _ = unsafe Glibc.send(
            socket, &reply, MemoryLayout<vestry_reply>.size, CInt(MSG_NOSIGNAL))
    }
}

/// A reason to stop, as the result that the asker gets.
struct Refusal: Error {
    let result: vestry_result

    init(_ result: vestry_result) {
        self.result = result
    }
}

// The only file in which errors of the inner modules become results.

extension KeybagError {
    var refusal: Refusal {
        switch self {
        case .file(let error): error.refusal
        case .unsupportedVersion: Refusal(VESTRY_NEWER_FORMAT)
        case .truncated, .trailingBytes, .badMagic, .badChecksum, .malformed, .costTooHigh,
            .costTooLow:
            Refusal(VESTRY_DAMAGED)
        case .wrongPassword: Refusal(VESTRY_WRONG_PASSWORD)
        case .foreignDevice: Refusal(VESTRY_NO_DEVICE_KEY)
        case .outOfMemory: Refusal(VESTRY_NO_MEMORY)
        }
    }
}

extension PrivateFileError {
    var refusal: Refusal {
        switch self {
        case .wrongType, .wrongOwner, .tooPermissive: Refusal(VESTRY_DENIED)
        case .tooLarge: Refusal(VESTRY_DAMAGED)
        case .system(let error): error.refusal
        }
    }
}

extension SystemCallError {
    var refusal: Refusal {
        switch errno {
        case ENOSPC, EDQUOT, EROFS, EFBIG, EIO: Refusal(VESTRY_WRITE_FAILED)
        case EACCES, EPERM: Refusal(VESTRY_DENIED)
        case ENOENT: Refusal(VESTRY_HOME_MISSING)
        case ENOMEM: Refusal(VESTRY_NO_MEMORY)
        default: Refusal(VESTRY_FAILED)
        }
    }
}

extension KeyringError {
    var refusal: Refusal {
        switch self {
        case .notSupported: Refusal(VESTRY_NO_KEYRING_SUPPORT)
        case .blocked, .denied: Refusal(VESTRY_KEYRING_BLOCKED)
        case .quota: Refusal(VESTRY_KEYRING_QUOTA)
        case .system: Refusal(VESTRY_FAILED)
        }
    }
}

/// Runs `body` and throws the refusal that its error means.
func refusing<Value: ~Copyable>(
    _ body: () throws(KeybagError) -> Value
) throws(Refusal) -> Value {
    do { return try body() } catch { throw error.refusal }
}

func refusing<Value: ~Copyable>(
    _ body: () throws(PrivateFileError) -> Value
) throws(Refusal) -> Value {
    do { return try body() } catch { throw error.refusal }
}

func refusing<Value: ~Copyable>(
    _ body: () throws(SystemCallError) -> Value
) throws(Refusal) -> Value {
    do { return try body() } catch { throw error.refusal }
}

func refusing<Value: ~Copyable>(
    _ body: () throws(KeyringError) -> Value
) throws(Refusal) -> Value {
    do { return try body() } catch { throw error.refusal }
}
