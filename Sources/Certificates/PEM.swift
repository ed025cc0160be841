internal import CCrypto
public import SecureMemory

/// A reason why a text gives no certificate or key.
public enum PEMError: Error, Equatable, Sendable {
    /// No block of the kind asked for, or a broken one.
    case none
    case several
    /// With a password of its own.
    case encrypted
    case unavailable
    case outOfMemory
}

/// Certificates and keys as text (RFC 7468), read by OpenSSL.
public enum PEM {
    public enum Content: Sendable {
        case certificate
        /// Private or public.
        case key
    }

    /// Returns the one certificate or key in a text.
    ///
    /// - Parameters:
    ///   - content: Which of them; blocks of other kinds are passed over.
    ///   - text: Also with words before and between the blocks.
    /// - Returns: DER.
    /// - Throws: `PEMError`.
    public static func der(
        of content: Content, in text: borrowing SecretBytes
    ) throws(PEMError) -> SecretBytes {
        var read = unsafe vestry_crypto_bytes()
        let kind = content == .certificate ? VESTRY_PEM_CERTIFICATE : VESTRY_PEM_KEY
        let result = unsafe text.withUnsafePointer { bytes in
            unsafe vestry_pem_read(bytes, text.count, kind, &read)
        }
        switch result {
        case VESTRY_PEM_OK: break
        case VESTRY_PEM_SEVERAL: throw .several
        case VESTRY_PEM_ENCRYPTED: throw .encrypted
        case VESTRY_PEM_UNAVAILABLE: throw .unavailable
        case VESTRY_PEM_NO_MEMORY: throw .outOfMemory
        default: throw .none
        }
        defer { unsafe vestry_crypto_free(&read) }
        return unsafe SecretBytes(
            copying: UnsafeBufferPointer(start: read.bytes, count: read.count).span)
    }
}
