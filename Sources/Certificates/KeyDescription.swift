internal import CCrypto
public import SecureMemory

/// What a private or public key is, as OpenSSL reads it.
public struct KeyDescription: Equatable, Sendable {
    public enum Algorithm: Sendable {
        case rsa
        case ellipticCurve
        case other
    }

    /// How the bytes of a key are to be read.
    public enum Form: Sendable {
        /// A private key (PKCS #8, or PKCS #1 and SEC 1 of RSA and EC) or a public one
        /// (SubjectPublicKeyInfo, or PKCS #1 of RSA), not encrypted.
        case der
        /// ANSI X9.63: 04, X and Y of P-256, P-384 or P-521.
        case publicPoint
        /// ANSI X9.63: the public point, and K after it.
        case privatePoint
    }

    public let algorithm: Algorithm
    public let isPrivate: Bool
    public let sizeInBits: Int64
    /// SHA-1 of the public key's bits, 20 bytes: equal to `Certificate.publicKeyHash` of the key's
    /// certificate.
    public let publicKeyHash: [UInt8]

    /// Reads a key.
    ///
    /// - Parameters:
    ///   - bytes: Exactly one key.
    ///   - form: Its form, which the bytes alone do not always say.
    /// - Throws: `CertificateError`.
    public init(_ bytes: borrowing SecretBytes, form: Form = .der) throws(CertificateError) {
        var read = vestry_key()
        let result = unsafe bytes.withUnsafePointer { pointer in
            unsafe vestry_key_read(pointer, bytes.count, form.number, &read)
        }
        try check(result)
        self.init(read)
    }

    init(_ read: vestry_key) {
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

extension KeyDescription {
    /// A key in the form that Apple exports: PKCS #1 of RSA, X9.63 of elliptic curves.
    ///
    /// - Parameters:
    ///   - bytes: Exactly one key.
    ///   - form: Its form.
    ///   - isPublicHalf: Whether only the public half is wanted.
    /// - Returns: The same key, or its public half.
    /// - Throws: `CertificateError`; `malformed` also for an algorithm that has no such form.
    public static func exported(
        _ bytes: borrowing SecretBytes, form: Form, isPublicHalf: Bool = false
    ) throws(CertificateError) -> SecretBytes {
        var exported = unsafe vestry_crypto_bytes()
        let result = unsafe bytes.withUnsafePointer { pointer in
            unsafe vestry_key_export(
                pointer, bytes.count, form.number, isPublicHalf ? 1 : 0, &exported)
        }
        try check(result)
        defer { unsafe vestry_crypto_free(&exported) }
        return unsafe secretBytes(exported)
    }
}

extension KeyDescription.Form {
    var number: vestry_key_form {
        switch self {
        case .der: VESTRY_KEY_DER
        case .publicPoint: VESTRY_KEY_PUBLIC_POINT
        case .privatePoint: VESTRY_KEY_PRIVATE_POINT
        }
    }
}

private func secretBytes(_ bytes: vestry_crypto_bytes) -> SecretBytes {
    unsafe SecretBytes(copying: Span(_unsafeStart: bytes.bytes, count: bytes.count))
}
