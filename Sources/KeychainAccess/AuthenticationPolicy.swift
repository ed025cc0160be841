public import Security
internal import Vestry

/// What an item asks for at each read, besides its ``Accessibility``.
///
/// KeychainAccess has a type of its own with the same names and bits; here it is Security's.
public typealias AuthenticationPolicy = SecAccessControlCreateFlags

extension AuthenticationPolicy {
    /// The same bits for the store, or nil where there are more than it has.
    var flags: AccessControl.Flags? {
        UInt32(exactly: rawValue).map { AccessControl.Flags(rawValue: $0) }
    }
}
