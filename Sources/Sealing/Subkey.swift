internal import CSodium
public import SecureMemory

extension SecretBytes {
    /// Derives a 32-byte subkey of this 32-byte key (libsodium's `crypto_kdf`: BLAKE2b with the
    /// subkey's number and an eight-character context as salt and personalization).
    ///
    /// - Parameters:
    ///   - number: Which subkey.
    ///   - context: Exactly eight ASCII characters.
    /// - Returns: 32 bytes.
    public func subkey(_ number: UInt64, context: StaticString) -> SecretBytes {
        precondition(count == Int(crypto_kdf_KEYBYTES), "subkeys come from a 32-byte key")
        precondition(context.utf8CodeUnitCount == Int(crypto_kdf_CONTEXTBYTES))
        return unsafe SecretBytes(
            count: 32,
            unsafelyFilledBy: { subkey in
                unsafe withUnsafePointer { key in
                    unsafe context.utf8Start.withMemoryRebound(to: CChar.self, capacity: 8) {
                        _ = unsafe crypto_kdf_derive_from_key(subkey, 32, number, $0, key)
                    }
                }
            })
    }

    /// The X25519 public key (RFC 7748) whose secret key is made from this 32-byte seed, as
    /// libsodium's `crypto_box_seed_keypair` makes it.
    ///
    /// - Returns: 32 bytes that may be known to everybody.
    public func publicKey() -> [UInt8] {
        precondition(count == Int(crypto_box_SEEDBYTES), "a key pair comes from a 32-byte seed")
        var publicKey = [UInt8](repeating: 0, count: Int(crypto_box_PUBLICKEYBYTES))
        _ = unsafe SecretBytes(
            count: Int(crypto_box_SECRETKEYBYTES),
            unsafelyFilledBy: { secretKey in
                unsafe withUnsafePointer { seed in
                    _ = unsafe crypto_box_seed_keypair(&publicKey, secretKey, seed)
                }
            })
        return publicKey
    }
}
