internal import CCrypto

/// A reason why bytes are no certificate or key for us.
public enum CertificateError: Error, Equatable, Sendable {
    /// Not DER of the kind asked for, or more than that.
    case malformed
    /// OpenSSL's libcrypto is not installed, or another one than this release knows.
    case unavailable
    case outOfMemory
}

/// What a certificate says, as OpenSSL reads it; nothing of it is verified.
public struct Certificate: Equatable, Sendable {
    /// 1 to 3.
    public let version: Int64
    /// DER.
    public let subject: [UInt8]
    /// DER.
    public let issuer: [UInt8]
    /// As of RFC 2253, such as "CN=example.org,O=Example".
    public let subjectText: String
    /// The common name, or else the last part of the subject.
    public let summary: String
    /// The contents of its DER: big-endian, a zero byte first where the next has its high bit set.
    public let serialNumber: [UInt8]
    /// Nil where the certificate has no such extension.
    public let subjectKeyID: [UInt8]?
    /// SHA-1 of the public key's bits, 20 bytes: the name that Apple's keychain joins identities by,
    /// not a protection.
    public let publicKeyHash: [UInt8]
    /// Seconds since 1970.
    public let validity: ClosedRange<Int64>
    public let emailAddresses: [String]

    /// Reads one certificate.
    ///
    /// - Parameter der: Exactly one.
    /// - Throws: `CertificateError`.
    public init(der: [UInt8]) throws(CertificateError) {
        var read = unsafe vestry_certificate()
        try check(unsafe vestry_certificate_read(der, der.count, &read))
        defer { unsafe vestry_certificate_free(&read) }
        guard unsafe read.not_before <= read.not_after else { throw .malformed }
        version = unsafe read.version
        subject = unsafe copy(read.subject)
        issuer = unsafe copy(read.issuer)
        subjectText = unsafe utf8(read.subject_text)
        summary = unsafe utf8(read.summary)
        serialNumber = unsafe copy(read.serial)
        subjectKeyID = unsafe read.subject_key_id.bytes == nil ? nil : copy(read.subject_key_id)
        publicKeyHash = unsafe withUnsafeBytes(of: read.public_key_hash) { unsafe Array($0) }
        validity = unsafe read.not_before...read.not_after
        emailAddresses = unsafe utf8(read.email_addresses).split(separator: "\n").map(String.init)
    }

    /// The readable form (RFC 2253) of a name in DER.
    ///
    /// - Parameter name: Such as ``subject``.
    /// - Returns: Such as "CN=example.org,O=Example".
    /// - Throws: `CertificateError`.
    public static func text(ofName name: [UInt8]) throws(CertificateError) -> String {
        var bytes = unsafe vestry_crypto_bytes()
        try check(unsafe vestry_name_text(name, name.count, &bytes))
        defer { unsafe vestry_crypto_free(&bytes) }
        return unsafe utf8(bytes)
    }
}

func check(_ result: vestry_crypto_result) throws(CertificateError) {
    switch result {
    case VESTRY_CRYPTO_OK: return
    case VESTRY_CRYPTO_UNAVAILABLE: throw .unavailable
    case VESTRY_CRYPTO_NO_MEMORY: throw .outOfMemory
    default: throw .malformed
    }
}

func copy(_ bytes: vestry_crypto_bytes) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: bytes.bytes, count: bytes.count))
}

private func utf8(_ bytes: vestry_crypto_bytes) -> String {
    unsafe String(decoding: copy(bytes), as: UTF8.self)
}
