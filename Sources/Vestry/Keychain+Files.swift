internal import Certificates
public import SecureMemory

extension Keychain {
    /// What a file with a certificate or a key is read for.
    public enum FileContent: Sendable {
        case certificate
        /// Private or public.
        case key
    }

    /// Returns the certificate or key in a file's contents, as
    /// ``addCertificate(der:attributes:)`` and ``addKey(der:attributes:)`` take it.
    ///
    /// - Parameters:
    ///   - content: Which of them the file holds.
    ///   - contents: DER, or PEM (RFC 7468) with one block of the kind.
    /// - Returns: DER, which of a file in DER is not looked at here.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/parameter`` for PEM without a
    ///   certificate or key, with more than one, or with one that has a password of its own; and
    ///   ``VestryError/Code/notAvailable`` when OpenSSL's libcrypto is not installed.
    public static func der(
        of content: FileContent, in contents: borrowing SecretBytes
    ) throws(VestryError) -> SecretBytes {
        // Each certificate and key in DER is a sequence (X.690, section 8.9), and 0x30 is "0", with
        // which no line of PEM begins.
        let isDER = contents.withBytes { $0.count > 0 && $0[0] == 0x30 }
        if isDER { return contents.withBytes { SecretBytes(copying: $0) } }
        do throws(PEMError) {
            return try PEM.der(of: content == .certificate ? .certificate : .key, in: contents)
        } catch {
            throw error.publicError(content == .certificate ? "certificate" : "key")
        }
    }
}

extension PEMError {
    fileprivate func publicError(_ what: String) -> VestryError {
        switch self {
        case .none:
            VestryError(.parameter, detail: "there is no \(what) in it, neither as DER nor as PEM")
        case .several:
            VestryError(.parameter, detail: "there is more than one \(what) in it")
        case .encrypted:
            VestryError(
                .parameter, detail: "the key has a password of its own; take that off first")
        case .unavailable: CertificateError.unavailable.publicError
        case .outOfMemory: VestryError(.outOfMemory)
        }
    }
}

extension ItemRecord {
    /// The readable form (RFC 2253) of a certificate's name.
    ///
    /// - Parameter attribute: ``ItemAttribute/subject`` or ``ItemAttribute/issuer``.
    /// - Returns: Such as "CN=example.org,O=Example"; nil where the item has no such name, or
    ///   OpenSSL's libcrypto is not installed.
    public func nameText(_ attribute: ItemAttribute) -> String? {
        guard attribute == .subject || attribute == .issuer, let name = self[attribute]?.data
        else { return nil }
        return try? Certificate.text(ofName: name)
    }
}
