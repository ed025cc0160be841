internal import CSodium
public import SecureMemory

/// A failure to open a sealed box.
public enum SealingError: Error, Equatable, Sendable {
    /// The box is shorter than a nonce and a tag.
    case truncated
    /// The tag does not match. Wrong key, wrong context or changed bytes: the cipher cannot tell
    /// these apart, so neither does the error.
    case authenticationFailed
}

/// A 32-byte key for XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03).
///
/// The nonce has 192 bits and is drawn at random for each box, so that no counter has to survive
/// crashes, restored backups or two machines writing to one home.
public struct SealingKey: ~Copyable, Sendable {
    public static let byteCount = Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES)
    /// What a box is longer than its plaintext: a 24-byte nonce and a 16-byte tag.
    public static let overhead = nonceByteCount + tagByteCount

    static let nonceByteCount = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
    static let tagByteCount = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)

    private let secret: SecretBytes

    /// Takes ownership of 32 secret bytes; another size is a mistake in this program.
    public init(_ secret: consuming SecretBytes) {
        precondition(secret.count == Self.byteCount, "a sealing key has 32 bytes")
        self.secret = secret
    }

    /// A key that takes both this one and another secret: BLAKE2b keyed with this key over the other.
    public func combined(with other: borrowing SecretBytes) -> SealingKey {
        SealingKey(secret.keyedHashKey(of: other))
    }

    /// Encrypts `plaintext` so that it opens only with this key and the same context.
    ///
    /// - Parameters:
    ///   - plaintext: Any number of bytes, none included.
    ///   - context: The associated data: not secret, and not stored in the box.
    /// - Returns: 24-byte nonce, ciphertext, 16-byte tag, in this order.
    public func seal(_ plaintext: borrowing SecretBytes, context: [UInt8]) -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: Self.nonceByteCount)
        unsafe randombytes_buf(&nonce, nonce.count)
        return seal(plaintext, context: context, nonce: nonce)
    }

    // The nonce is a parameter for the published vectors alone.
    func seal(
        _ plaintext: borrowing SecretBytes, context: [UInt8], nonce: [UInt8]
    ) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: plaintext.count + Self.tagByteCount)
        unsafe plaintext.withUnsafePointer { plaintextBytes in
            unsafe secret.withUnsafePointer { key in
                _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
                    &sealed, nil, plaintextBytes, UInt64(plaintext.count),
                    context, UInt64(context.count), nil, nonce, key)
            }
        }
        return nonce + sealed
    }

    /// Decrypts `box` after checking that it was sealed for `context`.
    ///
    /// - Parameters:
    ///   - box: As ``seal(_:context:)`` returned it.
    ///   - context: The associated data.
    /// - Returns: The plaintext.
    /// - Throws: `SealingError`. No byte is decrypted before the tag matches.
    public func open(
        _ box: Span<UInt8>, context: [UInt8]
    ) throws(SealingError) -> SecretBytes {
        guard box.count >= Self.overhead else { throw .truncated }
        let plaintextCount = box.count - Self.overhead
        return try unsafe SecretBytes(
            count: plaintextCount,
            unsafelyFilledBy: { (plaintext) throws(SealingError) in
                let status = unsafe box.withUnsafeBufferPointer { box in
                    guard let nonce = box.baseAddress else { return CInt(-1) }
                    return unsafe secret.withUnsafePointer { key in
                        unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
                            plaintext, nil, nil, nonce + Self.nonceByteCount,
                            UInt64(box.count - Self.nonceByteCount),
                            context, UInt64(context.count), nonce, key)
                    }
                }
                guard status == 0 else { throw .authenticationFailed }
            })
    }
}
