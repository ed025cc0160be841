internal import CSodium
public import SecureMemory

/// Argon2id (RFC 9106) with its parameters: turns a password into 32 secret bytes, at a price.
public struct PasswordDerivation: Hashable, Sendable {
    public static let saltByteCount = Int(crypto_pwhash_SALTBYTES)
    public static let keyByteCount = 32
    /// What a file may ask for; RFC 9106, section 4, second recommended option, is also the least.
    public static let acceptedPasses: ClosedRange<UInt32> = 3...16
    /// What a file may ask for, up to 1 GiB.
    public static let acceptedMemoryKiB: ClosedRange<UInt32> = 65_536...1_048_576

    public let passes: UInt32
    public let memoryKiB: UInt32
    /// 16 bytes.
    public let salt: [UInt8]

    public init(passes: UInt32, memoryKiB: UInt32, salt: [UInt8]) {
        self.passes = passes
        self.memoryKiB = memoryKiB
        self.salt = salt
    }

    /// RFC 9106, section 4, second recommended option: 3 passes over 64 MiB, with a new salt.
    ///
    /// The RFC also asks for 4 lanes; libsodium has one.
    public static func recommended() -> PasswordDerivation {
        PasswordDerivation(
            passes: 3, memoryKiB: 64 * 1024, salt: randomBytes(count: saltByteCount))
    }

    /// Derives the key, at the price in time and memory that the parameters say.
    ///
    /// - Returns: 32 bytes, or nil when the memory is not to be had.
    public func key(from password: borrowing SecretBytes) -> SecretBytes? {
        guard salt.count == Self.saltByteCount else { return nil }
        struct OutOfMemory: Error {}
        return try? unsafe SecretBytes(
            count: Self.keyByteCount,
            unsafelyFilledBy: { (key) throws(OutOfMemory) in
                let status = unsafe password.withUnsafePointer { bytes in
                    unsafe bytes.withMemoryRebound(to: CChar.self, capacity: password.count) {
                        unsafe crypto_pwhash(
                            key, UInt64(Self.keyByteCount), $0, UInt64(password.count), salt,
                            UInt64(passes), Int(memoryKiB) * 1024, crypto_pwhash_ALG_ARGON2ID13)
                    }
                }
                guard status == 0 else { throw OutOfMemory() }
            })
    }
}
