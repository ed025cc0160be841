internal import CSodium
public import SecureMemory

/// BLAKE2b (RFC 7693) of public bytes, for noticing damage; no key, no secrecy.
///
/// - Returns: 32 bytes.
public func checksum(of bytes: Span<UInt8>) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    _ = unsafe bytes.withUnsafeBufferPointer {
        unsafe crypto_generichash(&digest, digest.count, $0.baseAddress, UInt64($0.count), nil, 0)
    }
    return digest
}

/// Bytes from the system's random number generator, for what is not secret: salts, identifiers.
public func randomBytes(count: Int) -> [UInt8] {
    precondition(count >= 0 && sodium_init() != -1, "libsodium failed to initialize")
    var bytes = [UInt8](repeating: 0, count: count)
    unsafe randombytes_buf(&bytes, count)
    return bytes
}

extension SecretBytes {
    /// BLAKE2b keyed with this secret, for values that may be seen: tags and check values.
    ///
    /// - Parameters:
    ///   - message: What to hash, in an encoding that cannot be read in two ways.
    ///   - count: The size of the digest, 16 to 64 bytes.
    /// - Returns: `count` bytes.
    public func keyedHash(of message: [UInt8], count: Int) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: count)
        unsafe withUnsafePointer { key in
            _ = unsafe crypto_generichash(
                &digest, count, message, UInt64(message.count), key, self.count)
        }
        return digest
    }

    /// BLAKE2b keyed with this secret, for a digest that is itself a 32-byte key.
    public func keyedHashKey(of message: [UInt8]) -> SecretBytes {
        unsafe message.span.withUnsafeBufferPointer {
            unsafe keyedHashKey(of: $0.baseAddress, $0.count)
        }
    }

    /// BLAKE2b keyed with this secret over another one: mixes two keys into a third of 32 bytes.
    public func keyedHashKey(of message: borrowing SecretBytes) -> SecretBytes {
        unsafe message.withUnsafePointer { unsafe keyedHashKey(of: $0, message.count) }
    }

    private func keyedHashKey(
        of message: UnsafePointer<UInt8>?, _ messageCount: Int
    ) -> SecretBytes {
        unsafe SecretBytes(
            count: 32,
            unsafelyFilledBy: { digest in
                unsafe withUnsafePointer { key in
                    _ = unsafe crypto_generichash(
                        digest, 32, message, UInt64(messageCount), key, count)
                }
            })
    }
}
