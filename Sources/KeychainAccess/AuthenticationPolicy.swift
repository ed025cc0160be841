internal import Vestry

/// What an item asks for at each read, besides its ``Accessibility``.
///
/// The bits are those of Apple's `SecAccessControlCreateFlags`.
public struct AuthenticationPolicy: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// The policy with these bits.
    ///
    /// - Parameter rawValue: Bits without a name are kept; an item with them cannot be written.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Any proof that the user is there; here, the login password.
    public static let userPresence = Self(rawValue: 1 << 0)
    /// No biometric method is available here.
    public static let biometryAny = Self(rawValue: 1 << 1)
    /// The old name of ``biometryAny``.
    public static let touchIDAny = Self(rawValue: 1 << 1)
    /// No biometric method is available here.
    public static let biometryCurrentSet = Self(rawValue: 1 << 3)
    /// The old name of ``biometryCurrentSet``.
    public static let touchIDCurrentSet = Self(rawValue: 1 << 3)
    /// The login password.
    public static let devicePasscode = Self(rawValue: 1 << 4)
    /// A paired watch; none is available here.
    public static let watch = Self(rawValue: 1 << 5)
    /// One of the constraints is enough.
    public static let or = Self(rawValue: 1 << 14)
    /// All constraints must be met.
    public static let and = Self(rawValue: 1 << 15)
    /// The key may be used, and not read.
    public static let privateKeyUsage = Self(rawValue: 1 << 30)
    /// A password of the program's own goes into the encryption.
    public static let applicationPassword = Self(rawValue: 1 << 31)

    /// The same bits for the store, or nil where there are more than it has.
    var flags: AccessControl.Flags? {
        UInt32(exactly: rawValue).map { AccessControl.Flags(rawValue: $0) }
    }
}
