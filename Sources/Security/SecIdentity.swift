internal import SecurityNames

/// A certificate with its private key (Apple: Certificate, Key, and Trust Services).
///
/// The value of `kSecValueRef` of items of the class `kSecClassIdentity`.
public final class SecIdentity: Sendable {
    let certificate: SecCertificate
    let privateKey: SecKey

    init(_ certificate: SecCertificate, _ privateKey: SecKey) {
        self.certificate = certificate
        self.privateKey = privateKey
    }
}

extension SecIdentity: Hashable {
    /// Two identities are equal by their certificates.
    public static func == (left: SecIdentity, right: SecIdentity) -> Bool {
        left.certificate == right.certificate
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(certificate) }
}

/// The certificate of an identity (Apple: Certificate, Key, and Trust Services).
///
/// - Parameters:
///   - identity: Any.
///   - certificate: Where it goes.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecIdentityCopyCertificate(
    _ identity: SecIdentity, _ certificate: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    unsafe certificate.pointee = identity.certificate
    return errSecSuccess
}

/// The private key of an identity (Apple: Certificate, Key, and Trust Services).
///
/// - Parameters:
///   - identity: Any.
///   - key: Where it goes.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecIdentityCopyPrivateKey(
    _ identity: SecIdentity, _ key: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
    unsafe key.pointee = identity.privateKey
    return errSecSuccess
}
