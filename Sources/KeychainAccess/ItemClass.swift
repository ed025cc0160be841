/// The two kinds of password that a ``Keychain`` is for.
///
/// The raw values are those of Apple's `kSecClass` constants.
public enum ItemClass: String, CaseIterable, Sendable {
    /// A secret of a service.
    case genericPassword = "genp"
    /// A password of a server.
    case internetPassword = "inet"
}

extension ItemClass: CustomStringConvertible {
    /// The name that ``Keychain/allItems()`` gives, such as "GenericPassword".
    public var description: String {
        switch self {
        case .genericPassword: "GenericPassword"
        case .internetPassword: "InternetPassword"
        }
    }
}
