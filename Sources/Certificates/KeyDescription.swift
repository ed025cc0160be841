internal import CCrypto
public import SecureMemory

/// What a private or public key is, as OpenSSL reads it.
public struct KeyDescription: Equatable, Sendable {
    public enum Algorithm: Sendable {
        case rsa
        case ellipticCurve
        case other
    }

    public let algorithm: Algorithm
    public let isPrivate: Bool
    public let sizeInBits: Int64
    /// SHA-1 of the public key's bits, 20 bytes: equal to `Certificate.publicKeyHash` of the key's
    /// certificate.
    public let publicKeyHash: [UInt8]

    /// Reads a private key (PKCS #8, or PKCS #1 and SEC 1 of RSA and EC) or a public one
    /// (SubjectPublicKeyInfo, or PKCS #1 of RSA).
    ///
    /// - Parameter der: Exactly one key, not encrypted.
    /// - Throws: `CertificateError`.
    public init(der: borrowing SecretBytes) throws(CertificateError) {
        var read = vestry_key()
        let result = unsafe der.withUnsafePointer { bytes in
            unsafe vestry_key_read(bytes, der.count, &read)
        }
        try check(result)
        switch read.algorithm {
        case VESTRY_KEY_RSA: algorithm = .rsa
        case VESTRY_KEY_EC: algorithm = .ellipticCurve
        default: algorithm = .other
        }
        isPrivate = read.is_private != 0
        sizeInBits = read.bits
        publicKeyHash = unsafe withUnsafeBytes(of: read.public_key_hash) { unsafe Array($0) }
    }
}
