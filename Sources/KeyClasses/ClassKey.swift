public import Sealing
public import SecureMemory

/// The random name of one store, 16 bytes.
public struct StoreID: Hashable, Sendable {
    public static let byteCount = 16

    public let bytes: [UInt8]

    /// Takes exactly 16 bytes; nil for another number.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    private init(random: Void) {
        bytes = randomBytes(count: Self.byteCount)
    }

    public static func random() -> StoreID { StoreID(random: ()) }
}

/// The key of one accessibility class in one epoch: a 32-byte seed that everything else comes from.
public struct ClassKey: ~Copyable, Sendable {
    public static let byteCount = 32
    public static let checkValueByteCount = 16

    public let keyClass: KeyClass
    /// Counts rotations, from 1.
    public let epoch: UInt32
    public let seed: SecretBytes

    /// Takes ownership of the seed; nil when it has not exactly 32 bytes.
    public init?(_ keyClass: KeyClass, epoch: UInt32, seed: consuming SecretBytes) {
        guard seed.count == Self.byteCount else { return nil }
        self.keyClass = keyClass
        self.epoch = epoch
        self.seed = seed
    }

    /// The subkey that seals items' values.
    public func valueKey() -> SecretBytes { seed.subkey(1, context: "vestryCK") }

    /// The subkey that seals items' metadata.
    public func metadataKey() -> SecretBytes { seed.subkey(2, context: "vestryCK") }

    /// The subkey that makes tags; only the index class's is used.
    public func tagKey() -> SecretBytes { seed.subkey(5, context: "vestryCK") }

    /// The subkey that seals what a keybag keeps under this class key: an older key of the class, and
    /// under the index key what vouches for new keys.
    public func keybagKey() -> SecretBytes { seed.subkey(6, context: "vestryCK") }

    /// The public key for depositing items while the class is locked, 32 bytes.
    public func depositPublicKey() -> [UInt8] { seed.subkey(3, context: "vestryCK").publicKey() }

    /// Opens what was sealed to ``depositPublicKey()``.
    ///
    /// - Parameters:
    ///   - box: As `Deposit.seal` returned it.
    ///   - context: The associated data.
    /// - Returns: The plaintext.
    /// - Throws: `SealingError`.
    public func openDeposit(
        _ box: [UInt8], context: [UInt8]
    ) throws(SealingError) -> SecretBytes {
        try Deposit.open(box, seed: seed.subkey(3, context: "vestryCK"), context: context)
    }

    /// A public value that only this key in this store has.
    ///
    /// It tells a genuine key in the kernel from one that somebody else put there. 16 bytes of keyed BLAKE2b say nothing useful about a
    /// random 256-bit key.
    public func checkValue(in store: StoreID) -> [UInt8] {
        let key = seed.subkey(4, context: "vestryCK")
        return key.keyedHash(
            of: store.bytes + [keyClass.rawValue] + littleEndian(epoch),
            count: Self.checkValueByteCount)
    }
}

/// The bytes of `value`, lowest first.
@inlinable
public func littleEndian<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}
