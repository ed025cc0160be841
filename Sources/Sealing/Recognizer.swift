internal import CSodium
public import SecureMemory

/// Makes marks by which a secret is recognized that was seen before, without keeping it.
///
/// A mark is 128-bit SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF") under a
/// random key of this value's own. Who does not know that key, which never leaves the process, makes no
/// other secret with the same mark. Who does can try guesses, and a random 256-bit key is not guessed.
public struct Recognizer: Sendable {
    private let key = randomBytes(count: Int(crypto_shorthash_siphashx24_KEYBYTES))

    public init() {}

    /// - Returns: 16 bytes.
    public func mark(of secret: borrowing SecretBytes) -> [UInt8] {
        var mark = [UInt8](repeating: 0, count: Int(crypto_shorthash_siphashx24_BYTES))
        unsafe secret.withUnsafePointer {
            _ = unsafe crypto_shorthash_siphashx24(&mark, $0, UInt64(secret.count), key)
        }
        return mark
    }
}
