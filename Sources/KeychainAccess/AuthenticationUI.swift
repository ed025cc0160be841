internal import Vestry

/// What happens with items that ask for the user at each read.
public enum AuthenticationUI: CaseIterable, Sendable {
    /// The user is asked, where anybody can be.
    case allow
    /// They answer with ``Status/interactionNotAllowed``.
    case fail
    /// Reading leaves them out, as if they were not there; changing them is as with ``fail``.
    case skip

    /// The raw value of Apple's `kSecUseAuthenticationUI` constant.
    public var rawValue: String {
        switch self {
        case .allow: "u_AuthUIA"
        case .fail: "u_AuthUIF"
        case .skip: "u_AuthUIS"
        }
    }

    var forReading: ItemQuery.AuthenticationUI {
        switch self {
        case .allow: .allow
        case .fail: .fail
        case .skip: .skip
        }
    }

    var forChanging: ItemQuery.AuthenticationUI { self == .allow ? .allow : .fail }
}

extension AuthenticationUI: CustomStringConvertible {
    /// The name of the case.
    public var description: String {
        switch self {
        case .allow: "allow"
        case .fail: "fail"
        case .skip: "skip"
        }
    }
}
