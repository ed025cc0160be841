/// How an internet password is presented to its server.
///
/// The raw values are Apple's four-character codes.
public enum AuthenticationType: String, CaseIterable, Sendable {
    case ntlm = "ntlm"
    case msn = "msna"
    case dpa = "dpaa"
    case rpa = "rpaa"
    case httpBasic = "http"
    case httpDigest = "httd"
    case htmlForm = "form"
    case `default` = "dflt"
}

extension AuthenticationType: CustomStringConvertible {
    /// The name that ``Keychain/allItems()`` gives, such as "HTTPBasic".
    public var description: String {
        switch self {
        case .ntlm: "NTLM"
        case .msn: "MSN"
        case .dpa: "DPA"
        case .rpa: "RPA"
        case .httpBasic: "HTTPBasic"
        case .httpDigest: "HTTPDigest"
        case .htmlForm: "HTMLForm"
        case .default: "Default"
        }
    }
}
