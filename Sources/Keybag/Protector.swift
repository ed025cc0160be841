internal import KeyClasses
internal import Sealing

/// What unwraps class keys: a password or another secret, with its own wrapping of the class keys.
public struct Protector: Equatable, Sendable {
    /// What the secret is; a number that this release does not know is kept.
    ///
    /// The numbers stand in keybags and never change their meaning.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let loginPassword = Kind(rawValue: 1)
        /// The login password before the last change.
        ///
        /// It stays until a login has proved the new one: whether the change took effect is decided by other PAM modules, after this one.
        public static let previousPassword = Kind(rawValue: 2)
        public static let recoveryCode = Kind(rawValue: 3)
        public static let passphrase = Kind(rawValue: 4)
        /// The secret is the hash of a file.
        public static let keyFile = Kind(rawValue: 5)

        static let known: [Kind] = [
            .loginPassword, .previousPassword, .recoveryCode, .passphrase, .keyFile,
        ]
        /// A login tries one password against each of these: at most one protector of each.
        static let single: [Kind] = [.loginPassword, .previousPassword]
    }

    /// How a secret becomes the protector key.
    enum Method: Equatable, Sendable {
        case password(PasswordDerivation)
        /// The 24 bytes of a kind that a later release has.
        case unknown([UInt8])
    }

    /// How a class key stands in its box.
    ///
    /// The numbers stand in keybags and never change their meaning.
    enum Form: UInt8, Sendable {
        /// Under the protector key.
        case wrapped = 0
        /// Sealed to the protector's public key, with a voucher: made while its secret was not there.
        case sealed = 1
        /// The same of a ThisDeviceOnly class, in a box under a key of the device key.
        case sealedOnDevice = 2

        /// Nonce, sealed class key, tag; or a deposit and a voucher.
        var boxByteCount: Int {
            let box = SealingKey.overhead + ClassKey.byteCount
            let sealed = Deposit.sealedKeyByteCount + box + Wrap.voucherByteCount
            return switch self {
            case .wrapped: box
            case .sealed: sealed
            case .sealedOnDevice: SealingKey.overhead + sealed
            }
        }
    }

    /// A class key in its box.
    struct Wrap: Equatable, Sendable {
        static let headerByteCount = 8
        static let voucherByteCount = 16

        let keyClass: KeyClass
        let epoch: UInt32
        let form: Form
        let box: [UInt8]

        var name: ClassKeyName { ClassKeyName(keyClass: keyClass, epoch: epoch) }
    }

    public static let idByteCount = 16
    static let headerByteCount = 52
    static let methodByteCount = 24
    /// 9999-12-31, so that every time can be written as text.
    static let latestTime: UInt64 = 253_402_300_799

    /// Random, 16 bytes.
    public let id: [UInt8]
    public internal(set) var kind: Kind
    let method: Method
    /// When it was made, in seconds since 1970; 0 where that is not known.
    public let createdAt: UInt64
    var extensions: ProtectorExtension
    /// In ascending order of class and epoch, for some or all of the class entries.
    var wraps: [Wrap]

    /// The user's own name for it.
    public var label: String? { extensions.label }

    /// The id in hexadecimal digits, as people read and type it.
    public var idText: String {
        id.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Whether this release knows what its secret is.
    public var isKnown: Bool { Kind.known.contains(kind) }

    func wrap(_ name: ClassKeyName) -> Wrap? { wraps.first { $0.name == name } }

    var byteCount: Int {
        Self.headerByteCount + extensions.byteCount
            + wraps.reduce(0) { $0 + Wrap.headerByteCount + $1.form.boxByteCount }
    }
}

/// Which class key: one class in one epoch.
struct ClassKeyName: Hashable, Comparable, Sendable {
    let keyClass: KeyClass
    let epoch: UInt32

    static func < (left: ClassKeyName, right: ClassKeyName) -> Bool {
        (left.keyClass.rawValue, left.epoch) < (right.keyClass.rawValue, right.epoch)
    }
}
