internal import SecurityNames
internal import Vestry

/// What a certificate is to be trusted for (Apple: Certificate, Key, and Trust Services).
///
/// The value of `kSecMatchPolicy`.
public final class SecPolicy: Sendable {
    let value: CertificateConditions.Policy

    init(_ value: CertificateConditions.Policy) { self.value = value }
}

/// That a certificate leads to a trusted one (Apple: Certificate, Key, and Trust Services).
///
/// - Returns: The policy.
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.init()) }

/// That a certificate is trusted for TLS (Apple: Certificate, Key, and Trust Services).
///
/// - Parameters:
///   - server: Whether it is a server's, else a client's.
///   - hostname: The host that it must be for, a name or an address; nil for any.
/// - Returns: The policy.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(.init(server ? .tlsServer : .tlsClient, hostName: hostname))
}

/// A keychain (Apple: Keychain Services, on the Mac); there is only the user's own.
public final class SecKeychain: Sendable {
    static let standard = SecKeychain()

    private init() {}
}

/// The user's keychain, for `kSecMatchSearchList` and `kSecUseKeychain` (Apple: Keychain Services, on
/// the Mac).
///
/// - Parameter keychain: Where it goes.
/// - Returns: `errSecSuccess`, whether or not the keychain can be used now.
@discardableResult
public func SecKeychainCopyDefault(
    _ keychain: UnsafeMutablePointer<SecKeychain?>
) -> OSStatus {
    unsafe keychain.pointee = SecKeychain.standard
    return errSecSuccess
}
