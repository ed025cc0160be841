internal import CUnlockProtocol
internal import Glibc
internal import KeyClasses
internal import Keybag
internal import SecureMemory

/// What one connection asks for, with its secrets.
struct Request: ~Copyable {
    enum Verb: Equatable {
        case open
        case unlock
        case rewrap
        /// Gives a class that lives nowhere its key.
        case authorize(KeyClass)
        case close
        case addProtector(Protector.Kind, label: String?)
        case removeProtector([UInt8])
        case recover
        /// Gives classes new keys.
        case beginRotation([KeyClass])
        /// Forgets the older keys of classes.
        case endRotation([KeyClass])
        /// Asks whether the device key opens the user's ThisDeviceOnly classes.
        case deviceKey
    }

    let verb: Verb
    /// The user's name as the asker gave it; empty for the asker's own account.
    let user: String
    /// How long the asker waits for the reply.
    let budget: Duration
    /// Empty where none was given.
    let password: SecretBytes
    let newPassword: SecretBytes
    /// What the password is the secret of: which kinds of protectors to try, in this order.
    let openers: [Protector.Kind]

    /// Receives the one packet of a connection.
    ///
    /// Nothing here can run over an end: the packet has one size, its fields are fixed arrays, and
    /// counts are checked against them.
    ///
    /// - Returns: The request, or nil when none comes in time or it is none of ours.
    static func receive(from socket: CInt) -> Request? {
        // An asker that connects and says nothing must not keep a process.
        var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&ready, 1, 5000) == 1 else { return nil }

        let size = MemoryLayout<vestry_request>.size
        // One byte more shows a packet that is too long.
        let packet = SecretBytes(
            capacity: size + 1,
            filledBy: { bytes in
                unsafe bytes.withUnsafeMutableBytes {
                    unsafe recv(socket, $0.baseAddress, $0.count, 0)
                }
            })
        guard packet.count == size else { return nil }
        return parse(packet)
    }

    private static func parse(_ packet: borrowing SecretBytes) -> Request? {
        guard let version = packet.number(at: \.version, UInt32.self),
            version == VESTRY_PROTOCOL_VERSION,
            let rawVerb = packet.number(at: \.verb, UInt32.self),
            let milliseconds = packet.number(at: \.budget_milliseconds, UInt32.self),
            let name = packet.field(\.user, count: Int(VESTRY_USER_SIZE)),
            let passwordCount = packet.number(at: \.password_count, UInt16.self),
            let newPasswordCount = packet.number(at: \.new_password_count, UInt16.self),
            passwordCount <= VESTRY_PASSWORD_MAX, newPasswordCount <= VESTRY_PASSWORD_MAX,
            let password = packet.field(\.password, count: Int(passwordCount)),
            let newPassword = packet.field(\.new_password, count: Int(newPasswordCount)),
            let user = name.withBytes({ Self.name(in: $0) }),
            let keyClass = packet.number(at: \.key_class, UInt32.self),
            let protector = ProtectorFields(packet)
        else { return nil }
        let verb: Verb
        switch vestry_verb(rawVerb) {
        case VESTRY_VERB_OPEN: verb = .open
        case VESTRY_VERB_UNLOCK: verb = .unlock
        case VESTRY_VERB_REWRAP: verb = .rewrap
        case VESTRY_VERB_CLOSE: verb = .close
        case VESTRY_VERB_ADD_PROTECTOR:
            guard let kind = protector.kind else { return nil }
            verb = .addProtector(kind, label: protector.label)
        case VESTRY_VERB_REMOVE_PROTECTOR: verb = .removeProtector(protector.id)
        case VESTRY_VERB_RECOVER: verb = .recover
        case VESTRY_VERB_DEVICE_KEY: verb = .deviceKey
        case VESTRY_VERB_AUTHORIZE:
            switch vestry_key_class(keyClass) {
            case VESTRY_KEY_CLASS_PRESENCE: verb = .authorize(.presence)
            case VESTRY_KEY_CLASS_PRESENCE_THIS_DEVICE_ONLY:
                verb = .authorize(.presenceThisDeviceOnly)
            default: return nil
            }
        case VESTRY_VERB_BEGIN_ROTATION, VESTRY_VERB_END_ROTATION:
            guard let classes = Self.classes(keyClass) else { return nil }
            verb =
                rawVerb == VESTRY_VERB_BEGIN_ROTATION.rawValue
                ? .beginRotation(classes) : .endRotation(classes)
        default: return nil
        }
        switch verb {
        case .authorize, .beginRotation, .endRotation: break
        default: guard keyClass == 0 else { return nil }
        }
        guard protector.fit(verb) else { return nil }
        return Request(
            verb: verb, user: user,
            budget: .milliseconds(Int64(min(max(milliseconds, 200), 120_000))),
            password: password, newPassword: newPassword, openers: protector.openers)
    }

    /// The fields of the verbs of protectors.
    private struct ProtectorFields {
        let openers: [Protector.Kind]
        /// Of a new protector; nil for none.
        let kind: Protector.Kind?
        let label: String?
        /// Zeros for none.
        let id: [UInt8]

        init?(_ packet: borrowing SecretBytes) {
            guard let opener = packet.number(at: \.opener, UInt8.self),
                let kind = packet.number(at: \.kind, UInt8.self),
                let labelCount = packet.number(at: \.label_count, UInt16.self),
                labelCount <= VESTRY_LABEL_SIZE,
                let label = packet.field(\.label, count: Int(labelCount)),
                let id = packet.field(\.protector, count: Int(VESTRY_PROTECTOR_ID_SIZE)),
                let text = label.withBytes({ bytes in
                    String(validating: bytes.indices.map { bytes[$0] }, as: UTF8.self)
                })
            else { return nil }
            switch vestry_protector(UInt32(opener)) {
            case VESTRY_PROTECTOR_ANY_PASSWORD: openers = Keybag.loginKinds
            case VESTRY_PROTECTOR_LOGIN_PASSWORD, VESTRY_PROTECTOR_PREVIOUS_PASSWORD,
                VESTRY_PROTECTOR_RECOVERY_CODE, VESTRY_PROTECTOR_PASSPHRASE,
                VESTRY_PROTECTOR_KEY_FILE:
                openers = [Protector.Kind(rawValue: opener)]
            default: return nil
            }
            switch vestry_protector(UInt32(kind)) {
            case VESTRY_PROTECTOR_RECOVERY_CODE, VESTRY_PROTECTOR_PASSPHRASE,
                VESTRY_PROTECTOR_KEY_FILE:
                self.kind = Protector.Kind(rawValue: kind)
            case VESTRY_PROTECTOR_ANY_PASSWORD: self.kind = nil
            default: return nil
            }
            self.label = text.isEmpty ? nil : text
            self.id = id.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        }

        /// Whether there is nothing but what a verb uses.
        func fit(_ verb: Verb) -> Bool {
            let hasID = !id.allSatisfy { $0 == 0 }
            let hasNew = kind != nil || label != nil
            return switch verb {
            case .addProtector: !hasID
            case .removeProtector: hasID && !hasNew
            case .recover, .unlock: !hasID && !hasNew
            case .open, .rewrap, .authorize, .close, .beginRotation, .endRotation, .deviceKey:
                !hasID && !hasNew && openers == Keybag.loginKinds
            }
        }
    }

    /// The classes of the bits that are set; nil for none, and for what is no class that is rotated.
    private static func classes(_ bits: UInt32) -> [KeyClass]? {
        let rotated = KeyClass.allCases.filter { $0 != .index }
        let classes = rotated.filter { bits & 1 << UInt32($0.rawValue) != 0 }
        let known = classes.reduce(0) { $0 | 1 << UInt32($1.rawValue) }
        return classes.isEmpty || bits != known ? nil : classes
    }

    /// The text before the first NUL; nil when there is no NUL, or where it is not UTF-8: put right,
    /// it would be another name.
    private static func name(in bytes: Span<UInt8>) -> String? {
        let text = bytes.indices.map { bytes[$0] }.prefix { $0 != 0 }
        guard text.count < bytes.count else { return nil }
        return String(validating: text, as: UTF8.self)
    }
}

extension SecretBytes {
    fileprivate func field(
        _ path: PartialKeyPath<vestry_request>, count: Int
    ) -> SecretBytes? {
        guard let offset = MemoryLayout<vestry_request>.offset(of: path) else { return nil }
        return slice(from: offset, count: count)
    }

    /// A number in the machine's byte order.
    fileprivate func number<Number: FixedWidthInteger>(
        at path: PartialKeyPath<vestry_request>, _ type: Number.Type
    ) -> Number? {
        field(path, count: MemoryLayout<Number>.size)?.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: Number.self) }
        }
    }
}
