internal import CUnlockProtocol
internal import Glibc
internal import KeyClasses
internal import LinuxSystem
internal import SecureMemory

/// The client's side of `CUnlockProtocol`.
struct UnlockRequest: ~Copyable {
    /// A derivation takes a tenth of a second; the rest is for a queue of logins.
    static let budgetMilliseconds: UInt32 = 30_000
    static let timeoutSeconds = 35

    private let packet: SecretBytes

    init(
        _ verb: vestry_verb, password: borrowing SecretBytes, newPassword: borrowing SecretBytes,
        keyClass: KeyClass? = nil, classes: [KeyClass] = [], user: [UInt8] = [],
        protector: ProtectorFields = ProtectorFields()
    ) {
        let number =
            classes.isEmpty
            ? UInt32(keyClass?.rawValue ?? 0)
            : classes.reduce(0) { $0 | 1 << UInt32($1.rawValue) }
        let count = min(password.count, Int(VESTRY_PASSWORD_MAX))
        let newCount = min(newPassword.count, Int(VESTRY_PASSWORD_MAX))
        packet = unsafe password.withUnsafePointer { password in
            unsafe newPassword.withUnsafePointer { newPassword in
                // Filled in place: no password has another copy than this one.
                unsafe SecretBytes(
                    count: MemoryLayout<vestry_request>.size,
                    unsafelyFilledBy: { bytes in
                        let packet = UnsafeMutableRawPointer(bytes)
                        unsafe packet.storeBytes(of: VESTRY_PROTOCOL_VERSION, as: UInt32.self)
                        unsafe packet.storeBytes(
                            of: verb.rawValue, toByteOffset: 4, as: UInt32.self)
                        unsafe packet.storeBytes(
                            of: Self.budgetMilliseconds, toByteOffset: 8, as: UInt32.self)
                        unsafe packet.storeBytes(
                            of: UInt16(count), toByteOffset: 12, as: UInt16.self)
                        unsafe packet.storeBytes(
                            of: UInt16(newCount), toByteOffset: 14, as: UInt16.self)
                        // Empty but for root: the service asks the kernel who this is.
                        for (index, byte) in user.prefix(Int(VESTRY_USER_SIZE) - 1).enumerated() {
                            unsafe packet.storeBytes(
                                of: byte, toByteOffset: 16 + index, as: UInt8.self)
                        }
                        let passwords = unsafe packet + 16 + Int(VESTRY_USER_SIZE)
                        unsafe passwords.copyMemory(from: password, byteCount: count)
                        unsafe (passwords + Int(VESTRY_PASSWORD_MAX)).copyMemory(
                            from: newPassword, byteCount: newCount)
                        unsafe packet.storeBytes(
                            of: number,
                            toByteOffset: 16 + Int(VESTRY_USER_SIZE + 2 * VESTRY_PASSWORD_MAX),
                            as: UInt32.self)
                        let fields =
                            unsafe packet + 20
                            + Int(VESTRY_USER_SIZE + 2 * VESTRY_PASSWORD_MAX)
                        for (index, byte) in protector.bytes.enumerated() {
                            unsafe fields.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
                        }
                    })
            }
        }
    }

    /// What the verbs of protectors say besides.
    struct ProtectorFields {
        var opener = VESTRY_PROTECTOR_ANY_PASSWORD
        var kind = VESTRY_PROTECTOR_ANY_PASSWORD
        var label: [UInt8] = []
        var protector: [UInt8] = []

        /// As they stand at the end of a request.
        fileprivate var bytes: [UInt8] {
            let label = label.prefix(Int(VESTRY_LABEL_SIZE))
            let padding = Int(VESTRY_LABEL_SIZE) - label.count
            let count = UInt16(label.count)
            return [UInt8(opener.rawValue), UInt8(kind.rawValue)]
                + inMachineOrder(count) + label
                + [UInt8](repeating: 0, count: padding)
                + protector.prefix(Int(VESTRY_PROTECTOR_ID_SIZE))
        }
    }

    /// A request with one password.
    init(
        _ verb: vestry_verb, password: borrowing SecretBytes, keyClass: KeyClass? = nil,
        classes: [KeyClass] = []
    ) {
        self.init(
            verb, password: password, newPassword: SecretBytes(capacity: 0, filledBy: { _ in 0 }),
            keyClass: keyClass, classes: classes)
    }

    func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result { packet.withBytes(body) }

    /// - Returns: The service's `vestry_result`.
    func send(
        to path: String, timeoutSeconds: Int = timeoutSeconds
    ) throws(VestryError) -> UInt32 {
        Self.word(try exchange(with: path, timeoutSeconds: timeoutSeconds), 4)
    }

    /// - Returns: The service's whole reply, which can have a key in it.
    func exchange(
        with path: String, timeoutSeconds: Int = timeoutSeconds
    ) throws(VestryError) -> SecretBytes {
        let reply: SecretBytes
        do throws(SystemCallError) {
            let socket = try FileDescriptor.connectToPacketSocket(
                path: path, timeoutSeconds: timeoutSeconds)
            // Whoever else listens there does not get the password.
            guard try FileDescriptor.peerUser(of: socket.rawValue) == 0 else {
                throw SystemCallError("connect", errno: EPERM)
            }
            try unsafe packet.withUnsafePointer { (bytes) throws(SystemCallError) in
                try unsafe socket.sendPacket(bytes, count: packet.count)
            }
            reply = try SecretBytes(
                capacity: MemoryLayout<vestry_reply>.size + 1,
                filledBy: { (bytes) throws(SystemCallError) in
                    try socket.receivePacket(into: &bytes)
                })
        } catch {
            switch error.errno {
            case ENOENT, ECONNREFUSED:
                throw VestryError(.serviceNotAvailable, detail: "nobody listens at \(path)")
            case EPERM:
                throw VestryError(
                    .serviceNotAvailable, detail: "what listens at \(path) is not root's")
            case EAGAIN, ETIMEDOUT:
                throw VestryError(.timedOut, detail: "the unlock service did not answer")
            case EPIPE, ECONNRESET:
                throw VestryError(.serviceNotAvailable, detail: "it ended early")
            default:
                throw error.publicError
            }
        }
        guard reply.count == MemoryLayout<vestry_reply>.size, Self.word(reply, 0) == 1 else {
            throw VestryError(.serviceNotAvailable, detail: "it gave no valid answer")
        }
        return reply
    }

    static func word(_ bytes: borrowing SecretBytes, _ offset: Int) -> UInt32 {
        // In the machine's own byte order.
        bytes.withBytes { bytes in
            unsafe bytes.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            }
        }
    }

    /// Gets the key of a presence class with the login password.
    ///
    /// - Returns: The key, of whatever keychain the service found: the caller compares.
    /// - Throws: `VestryError`, as ``Keychain/unlock(password:)``.
    static func authorize(
        _ keyClass: KeyClass, password: borrowing SecretBytes,
        at path: String = VESTRY_UNLOCK_SOCKET_PATH
    ) throws(VestryError) -> ClassKey {
        let request = UnlockRequest(VESTRY_VERB_AUTHORIZE, password: password, keyClass: keyClass)
        let reply = try request.exchange(with: path)
        _ = try outcome(result: word(reply, 4))
        let keyOffset = 24 + Int(VESTRY_STORE_ID_SIZE)
        guard let seed = reply.slice(from: keyOffset, count: ClassKey.byteCount),
            let key = ClassKey(keyClass, epoch: word(reply, 20), seed: seed)
        else { throw VestryError(.serviceNotAvailable, detail: "it gave no valid answer") }
        return key
    }

    static func outcome(result: UInt32) throws(VestryError) -> UnlockOutcome {
        switch vestry_result(rawValue: result) {
        case VESTRY_OPENED, VESTRY_ENROLLED, VESTRY_REWRAPPED, VESTRY_ROTATION_BEGUN,
            VESTRY_ROTATION_ENDED:
            return .unlocked
        case VESTRY_ALREADY_OPEN: return .alreadyUnlocked
        case VESTRY_OPENED_BY_PREVIOUS: return .unlockedByPreviousPassword
        case VESTRY_NO_PASSWORD: throw VestryError(.wrongPassword, detail: "it was empty")
        case VESTRY_NO_STORE: throw VestryError(.noSuchKeychain)
        case VESTRY_ACCOUNT_WITHOUT_PASSWORD:
            throw VestryError(.wrongPassword, detail: "this account has none")
        case VESTRY_WRONG_PASSWORD: throw VestryError(.wrongPassword)
        case VESTRY_DAMAGED: throw VestryError(.damaged, detail: "keybag")
        case VESTRY_NEWER_FORMAT: throw VestryError(.newerFormat, detail: "keybag")
        case VESTRY_DENIED: throw VestryError(.denied, detail: "owner, mode or type of a file")
        case VESTRY_NOT_SERVED:
            throw VestryError(.notAvailable, detail: "/etc/vestry.conf excludes this account")
        case VESTRY_UNKNOWN_USER:
            throw VestryError(.notAvailable, detail: "the service does not know this user")
        case VESTRY_HOME_MISSING:
            throw VestryError(.notAvailable, detail: "the home directory is missing")
        case VESTRY_NO_DEVICE_KEY:
            throw VestryError(.notAvailable, detail: "this machine has no device key")
        case VESTRY_DEVICE_KEY_SHUT:
            throw VestryError(
                .notAvailable, detail: "this machine's device key is sealed and does not open")
        case VESTRY_PROTECTOR_OUT_OF_REACH:
            throw VestryError(
                .notAvailable,
                detail: "a protector can be given no new key before its secret was used")
        case VESTRY_PROTECTOR_NEEDED:
            throw VestryError(.notAvailable, detail: "without it some items would open no more")
        case VESTRY_NO_SUCH_PROTECTOR:
            throw VestryError(.itemNotFound, detail: "no protector has this id")
        case VESTRY_KEYBAG_FULL:
            throw VestryError(.notAvailable, detail: "there is room for no more protectors")
        case VESTRY_NO_KEYRING_SUPPORT:
            throw VestryError(.notAvailable, detail: "this kernel has no key retention service")
        case VESTRY_KEYRING_BLOCKED:
            throw VestryError(.notAvailable, detail: "keyctl(2) is blocked")
        case VESTRY_KEYRING_QUOTA: throw VestryError.quotaExceeded()
        case VESTRY_BUSY: throw VestryError(.busy, detail: "too many unlocks at once")
        case VESTRY_NO_MEMORY: throw VestryError(.outOfMemory)
        case VESTRY_WRITE_FAILED: throw VestryError(.diskFull, detail: "keybag")
        case VESTRY_READ_ONLY: throw VestryError(.readOnly, detail: "keybag")
        case VESTRY_INPUT_OUTPUT: throw VestryError(.inputOutput, detail: "keybag")
        default: throw VestryError(.inputOutput, detail: "unlock service, result \(result)")
        }
    }
}

private func inMachineOrder(_ number: UInt16) -> [UInt8] {
    let bytes = [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
    return 1.littleEndian == 1 ? bytes : bytes.reversed()
}
