/// What an item asks for at each read, besides its accessibility
/// (`SecAccessControlCreateWithFlags`).
///
/// As the value of ``ItemAttribute/accessControl`` it stands as ``encoded``.
public struct AccessControl: Hashable, Sendable {
    /// The constraints; the bits are Apple's `SecAccessControlCreateFlags`.
    public struct Flags: OptionSet, Hashable, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Any proof that the user is there; here, the login password.
        public static let userPresence = Self(rawValue: 1 << 0)
        /// No biometric method is available in this release.
        public static let biometryAny = Self(rawValue: 1 << 1)
        /// No biometric method is available in this release.
        public static let biometryCurrentSet = Self(rawValue: 1 << 3)
        /// The login password.
        public static let devicePasscode = Self(rawValue: 1 << 4)
        /// A paired watch; none is available in this release.
        public static let watch = Self(rawValue: 1 << 5)
        /// One of the constraints is enough.
        public static let or = Self(rawValue: 1 << 14)
        /// All constraints must be met; so it is without ``or`` too.
        public static let and = Self(rawValue: 1 << 15)
        /// The key may be used, and not read.
        public static let privateKeyUsage = Self(rawValue: 1 << 30)
        /// A password of the program's own goes into the sealing (``ApplicationPassword``); ``or``
        /// leaves that as it is.
        public static let applicationPassword = Self(rawValue: 1 << 31)
    }

    /// When the item can be read at all.
    public let accessibility: Accessibility
    public let flags: Flags

    public init(_ accessibility: Accessibility, _ flags: Flags) {
        self.accessibility = accessibility
        self.flags = flags
    }

    /// Reads what ``encoded`` gives; nil for other bytes.
    public init?(encoded bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let accessibility = Accessibility(appleName: String(parts[0])),
            let flags = UInt32(parts[1], radix: 16)
        else { return nil }
        self.init(accessibility, Flags(rawValue: flags))
        guard encoded == bytes else { return nil }
    }

    /// The accessibility's ``Accessibility/appleName``, a colon, and the flags in hexadecimal, such
    /// as "aku:1".
    public var encoded: [UInt8] {
        Array("\(accessibility.appleName):\(String(flags.rawValue, radix: 16))".utf8)
    }
}
