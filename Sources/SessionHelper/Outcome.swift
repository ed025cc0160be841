internal import CUnlockProtocol
internal import Glibc
internal import KernelKeyring
internal import KeyClasses
internal import Keybag
internal import LinuxSystem
internal import SecureMemory

/// The one reply of a connection.
struct Outcome {
    var result: vestry_result
    var session = VESTRY_SESSION_NOT_ASKED
    var presenceKeyring: Int32 = 0
    var sessionKeyring: Int32 = 0
    /// Only for the verb authorize.
    private var key: AuthorizedKey?

    init(_ result: vestry_result) {
        self.result = result
    }

    /// The answer to a right password: the key for one read.
    init(_ result: vestry_result, key: consuming ClassKey, of store: StoreID) {
        self.result = result
        self.key = AuthorizedKey(key, of: store)
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
        // Filled in place: a key has no other copy in this process than its own and this one.
        let reply = unsafe SecretBytes(
            count: MemoryLayout<vestry_reply>.size,
            unsafelyFilledBy: { bytes in
                let reply = UnsafeMutableRawPointer(bytes)
                let numbers = [
                    VESTRY_PROTOCOL_VERSION, result.rawValue, session.rawValue,
                    UInt32(bitPattern: presenceKeyring), UInt32(bitPattern: sessionKeyring),
                    key?.key.epoch ?? 0,
                ]
                for (index, number) in numbers.enumerated() {
                    unsafe reply.storeBytes(of: number, toByteOffset: index * 4, as: UInt32.self)
                }
                guard let key else { return }
                let store = unsafe reply + numbers.count * 4
                unsafe store.copyMemory(from: key.store.bytes, byteCount: StoreID.byteCount)
                unsafe key.key.seed.withUnsafePointer {
                    unsafe (store + StoreID.byteCount).copyMemory(
                        from: $0, byteCount: ClassKey.byteCount)
                }
            })
        _ = unsafe reply.withUnsafePointer {
            unsafe Glibc.send(socket, $0, reply.count, CInt(MSG_NOSIGNAL))
        }
    }

    /// A key that is wiped when the last copy of the outcome is gone.
    private final class AuthorizedKey {
        let key: ClassKey
        let store: StoreID

        init(_ key: consuming ClassKey, of store: StoreID) {
            self.key = key
            self.store = store
        }
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
        case .classNotOpen: Refusal(VESTRY_NO_DEVICE_KEY)
        case .protectorOutOfReach: Refusal(VESTRY_PROTECTOR_OUT_OF_REACH)
        case .wouldLose, .isLoginPassword: Refusal(VESTRY_PROTECTOR_NEEDED)
        case .noSuchProtector: Refusal(VESTRY_NO_SUCH_PROTECTOR)
        case .full: Refusal(VESTRY_KEYBAG_FULL)
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
        case ENOSPC, EDQUOT, EFBIG: Refusal(VESTRY_WRITE_FAILED)
        case EROFS: Refusal(VESTRY_READ_ONLY)
        case EIO: Refusal(VESTRY_INPUT_OUTPUT)
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
