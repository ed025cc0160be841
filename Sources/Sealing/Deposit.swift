internal import CSodium
public import SecureMemory

/// Boxes that anybody can make who knows a public key, and only its owner can open.
///
///     offset  size  field
///     0       80    random 32-byte content key, sealed to the public key (libsodium's
///                   `crypto_box_seal`: X25519 with a new key pair, XSalsa20-Poly1305)
///     80            box under the content key (`SealingKey.seal`)
///
/// The context goes into the second box. Whoever knows the public key can make a valid box, so what
/// a box is worth must be written down where that person cannot write.
public enum Deposit {
    // A computed macro in C: crypto_box_SEALBYTES.
    public static let sealedKeyByteCount =
        32 + Int(crypto_box_PUBLICKEYBYTES) + Int(crypto_box_MACBYTES)

    /// Seals `plaintext` to the owner of a public key.
    ///
    /// - Parameters:
    ///   - plaintext: Any number of bytes.
    ///   - publicKey: 32 bytes, as `SecretBytes.publicKey()` gives them.
    ///   - context: The associated data: not secret, and not stored in the box.
    /// - Returns: The box; nil for a public key of another size.
    public static func seal(
        _ plaintext: borrowing SecretBytes, to publicKey: [UInt8], context: [UInt8]
    ) -> [UInt8]? {
        guard publicKey.count == Int(crypto_box_PUBLICKEYBYTES) else { return nil }
        let contentKey = SecretBytes.random(count: SealingKey.byteCount)
        var sealedKey = [UInt8](repeating: 0, count: sealedKeyByteCount)
        let status = unsafe contentKey.withUnsafePointer {
            unsafe crypto_box_seal(&sealedKey, $0, UInt64(SealingKey.byteCount), publicKey)
        }
        guard status == 0 else { return nil }
        return sealedKey + SealingKey(contentKey).seal(plaintext, context: context)
    }

    /// Opens a box with the seed that the public key was made from.
    ///
    /// - Parameters:
    ///   - box: As ``seal(_:to:context:)`` returned it.
    ///   - seed: 32 bytes.
    ///   - context: The associated data.
    /// - Returns: The plaintext.
    /// - Throws: `SealingError`.
    public static func open(
        _ box: [UInt8], seed: borrowing SecretBytes, context: [UInt8]
    ) throws(SealingError) -> SecretBytes {
        guard box.count >= sealedKeyByteCount else { throw .truncated }
        let contentKey = try contentKey(in: box, seed)
        return try SealingKey(contentKey).open(
            box.span.extracting(sealedKeyByteCount..<box.count), context: context)
    }

    private static func contentKey(
        in box: [UInt8], _ seed: borrowing SecretBytes
    ) throws(SealingError) -> SecretBytes {
        precondition(seed.count == Int(crypto_box_SEEDBYTES), "a key pair comes from 32 bytes")
        var publicKey = [UInt8](repeating: 0, count: Int(crypto_box_PUBLICKEYBYTES))
        let secretKey = unsafe SecretBytes(
            count: Int(crypto_box_SECRETKEYBYTES),
            unsafelyFilledBy: { secretKey in
                unsafe seed.withUnsafePointer { seed in
                    _ = unsafe crypto_box_seed_keypair(&publicKey, secretKey, seed)
                }
            })
        return try unsafe SecretBytes(
            count: SealingKey.byteCount,
            unsafelyFilledBy: { (contentKey) throws(SealingError) in
                let status = unsafe secretKey.withUnsafePointer { secretKey in
                    unsafe crypto_box_seal_open(
                        contentKey, box, UInt64(sealedKeyByteCount), publicKey, secretKey)
                }
                guard status == 0 else { throw .authenticationFailed }
            })
    }
}
