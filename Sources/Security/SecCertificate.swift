internal import Certificates
public import Foundation
internal import SecurityNames

/// An X.509 certificate (Apple: Certificate, Key, and Trust Services).
///
/// The value of `kSecValueRef` of items of the class `kSecClassCertificate`.
public final class SecCertificate: Sendable {
    let der: [UInt8]
    let contents: Certificate

    /// Nil for bytes that are no certificate, and without OpenSSL's libcrypto.
    init?(der: [UInt8]) {
        guard let contents = try? Certificate(der: der) else { return nil }
        self.der = der
        self.contents = contents
    }
}

extension SecCertificate: Hashable {
    /// Two certificates are equal by their bytes.
    public static func == (left: SecCertificate, right: SecCertificate) -> Bool {
        left.der == right.der
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension SecCertificate: CustomStringConvertible {
    /// The subject's most telling part.
    public var description: String { "<SecCertificate: \(contents.summary)>" }
}

/// Reads a certificate (Apple: Certificate, Key, and Trust Services).
///
/// - Parameters:
///   - allocator: Has no meaning here; nil or `kCFAllocatorDefault`.
///   - data: Exactly one certificate, DER. It is not verified.
/// - Returns: Nil for other data, and where OpenSSL's libcrypto is not installed.
public func SecCertificateCreateWithData(
    _ allocator: CFAllocator?, _ data: CFData
) -> SecCertificate? {
    SecCertificate(der: [UInt8](data))
}

/// The certificate's DER (Apple: Certificate, Key, and Trust Services).
///
/// - Parameter certificate: Any.
/// - Returns: What it was made of.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    Data(certificate.der)
}

/// A name of the subject for people (Apple: Certificate, Key, and Trust Services).
///
/// - Parameter certificate: Any.
/// - Returns: The common name, or else the last part of the subject; nil where there is none.
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    certificate.contents.summary.isEmpty ? nil : certificate.contents.summary
}

/// The addresses that the certificate is for (Apple: Certificate, Key, and Trust Services).
///
/// - Parameters:
///   - certificate: Any.
///   - addresses: Where they go: an array of texts, empty where there are none.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecCertificateCopyEmailAddresses(
    _ certificate: SecCertificate, _ addresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    unsafe addresses.pointee = certificate.contents.emailAddresses
    return errSecSuccess
}

/// The issuer's name, as `kSecMatchIssuers` takes it (Apple: Certificate, Key, and Trust Services).
///
/// - Parameter certificate: Any.
/// - Returns: DER, as it stands in the certificate.
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
    Data(certificate.contents.issuer)
}

/// The subject's name, as `kSecMatchIssuers` takes it (Apple: Certificate, Key, and Trust Services).
///
/// - Parameter certificate: Any.
/// - Returns: DER, as it stands in the certificate.
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
    Data(certificate.contents.subject)
}

/// The serial number (Apple: Certificate, Key, and Trust Services).
///
/// - Parameters:
///   - certificate: Any.
///   - error: Stays as it is; there is always a serial number.
/// - Returns: The contents of its DER, big-endian.
public func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    Data(certificate.contents.serialNumber)
}

/// The public key (Apple: Certificate, Key, and Trust Services).
///
/// - Parameter certificate: Any.
/// - Returns: Nil for an algorithm that is neither RSA nor an elliptic curve.
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    guard let key = try? Certificate.publicKey(of: certificate.der) else { return nil }
    return SecKey(exported: key.exported, algorithm: key.description.algorithm)
}
