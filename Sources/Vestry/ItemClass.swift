/// What kind of thing an item is.
///
/// The raw values are those of Apple's `kSecClass` constants.
public enum ItemClass: String, CaseIterable, Sendable {
    /// A secret for a service and an account (`kSecClassGenericPassword`).
    case genericPassword = "genp"
    /// A password for a server, an account and a protocol (`kSecClassInternetPassword`).
    case internetPassword = "inet"
    /// An X.509 certificate (`kSecClassCertificate`).
    case certificate = "cert"
    /// A cryptographic key (`kSecClassKey`).
    case key = "keys"
    /// A certificate together with its private key (`kSecClassIdentity`).
    ///
    /// Never stored: it is found where a certificate's public key hash is a private key's
    /// application label.
    case identity = "idnt"

    /// The number that stands in rows and tags, 0 for what is never stored.
    ///
    /// Numbers never change.
    var number: UInt8 {
        switch self {
        case .genericPassword: 1
        case .internetPassword: 2
        case .certificate: 3
        case .key: 4
        case .identity: 0
        }
    }

    init?(number: UInt8) {
        guard number != 0, let match = Self.allCases.first(where: { $0.number == number }) else {
            return nil
        }
        self = match
    }
}

/// Several classes; cheap to ask, since it is asked for each attribute of each item.
struct ItemClassSet: OptionSet {
    let rawValue: UInt8

    static let genericPassword = Self(rawValue: 1)
    static let internetPassword = Self(rawValue: 2)
    static let certificate = Self(rawValue: 4)
    static let key = Self(rawValue: 8)
    static let passwords: Self = [.genericPassword, .internetPassword]
    static let all: Self = [.passwords, .certificate, .key]

    func holds(_ itemClass: ItemClass) -> Bool {
        switch itemClass {
        case .genericPassword: contains(.genericPassword)
        case .internetPassword: contains(.internetPassword)
        case .certificate: contains(.certificate)
        case .key: contains(.key)
        // An identity has the attributes of both of its parts.
        case .identity: contains(.certificate) || contains(.key)
        }
    }
}
