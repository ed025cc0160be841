public import KeyClasses
internal import Sealing

/// One store's wrapped class keys, as they stand in the file `keybag`.
///
/// Format version 1. Numbers are little-endian; entries stand in strictly ascending order; a file
/// has exactly the bytes described, so that equal contents have equal bytes.
///
///     offset  size  field
///     0       8     magic, "VESTRYKB"
///     8       2     version, 1
///     10      2     reserved, zero
///     12      4     size of the whole file, 128 to 65,536
///     16      16    store id, random
///     32      1     number of class entries, 8 to 32
///     33      1     number of protectors, 1 to 16
///     34      1     number of bridges, 0 to 24
///     35      5     reserved, zero
///     40            class entries, 56 bytes each, ascending by class, then epoch
///                   protectors, 52 bytes each, followed by their extension and their wraps
///                   bridges, 84 bytes each, ascending by class, then epoch
///     size-32 32    BLAKE2b-256 of everything before
///
/// Class entry:
///
///     0       1     class (`KeyClass`)
///     1       3     reserved, zero
///     4       4     epoch, from 1
///     8       32    X25519 public key, for depositing items while the class is locked
///     40      16    check value: keyed BLAKE2b-128 under the class key
///
/// Protector:
///
///     0       16    id, random
///     16      1     kind (`Protector.Kind`), from 1; at most one login and one previous password
///     17      1     number of wraps, from 1
///     18      2     size of the extension, at most 2,048
///     20      4     Argon2id passes, 3 to 16
///     24      4     Argon2id memory in KiB, 65,536 to 1,048,576
///     28      16    Argon2id salt
///     44      8     when it was made, in seconds since 1970; 0 for unknown
///     52            extension (`ProtectorExtension`)
///                   wraps, ascending by class, then epoch, each for one of the class entries
///
/// The 24 bytes from 20 of a kind that this release does not know are kept as they are.
///
/// Wrap:
///
///     0       1     class
///     1       1     form: 0 wrapped, 1 sealed, 2 sealed on the device (ThisDeviceOnly classes)
///     2       2     reserved, zero
///     4       4     epoch
///     8       72    wrapped: XChaCha20-Poly1305 box of the class key: nonce 24, ciphertext 32, tag 16
///     8       168   sealed: the class key sealed to the public key (`Deposit`), 152; voucher, 16
///     8       208   sealed on the device: XChaCha20-Poly1305 box of the same, under a key of the
///                   device key
///
/// Bridge, which leads from a newer key of a class to an older one:
///
///     0       1     class
///     1       3     reserved, zero
///     4       4     epoch of the older key
///     8       4     epoch of the newer key
///     12      72    XChaCha20-Poly1305 box of the older key under the newer one's keybag key
///
/// The checksum tells "damaged" from "wrong password"; it keeps nobody out. What keeps changes out
/// are the boxes: their context holds the store id, the protector id, the class and the epoch.
public struct Keybag: Equatable, Sendable {
    static let magic = Array("VESTRYKB".utf8)
    static let version: UInt16 = 1
    static let headerByteCount = 40
    static let checksumByteCount = 32
    public static let maximumByteCount = 65_536

    static let passes = PasswordDerivation.acceptedPasses
    static let memoryKiB = PasswordDerivation.acceptedMemoryKiB
    static let classEntryCount = KeyClass.allCases.count...32
    public static let protectorCount = 1...16
    static let bridgeCount = 0...24

    struct ClassEntry: Equatable, Sendable {
        static let byteCount = 56

        let keyClass: KeyClass
        let epoch: UInt32
        let depositPublicKey: [UInt8]
        let checkValue: [UInt8]

        var name: ClassKeyName { ClassKeyName(keyClass: keyClass, epoch: epoch) }
    }

    /// An older class key under a newer one: whoever has the newer key reads what the older one sealed.
    struct Bridge: Equatable, Sendable {
        static let byteCount = 12 + boxByteCount
        static let boxByteCount = SealingKey.overhead + ClassKey.byteCount

        let keyClass: KeyClass
        let older: UInt32
        let newer: UInt32
        let box: [UInt8]

        var name: ClassKeyName { ClassKeyName(keyClass: keyClass, epoch: older) }
    }

    public let storeID: StoreID
    var classEntries: [ClassEntry]
    public internal(set) var protectors: [Protector]
    var bridges: [Bridge] = []

    /// The current epoch of a class.
    public func epoch(of keyClass: KeyClass) -> UInt32? {
        classEntries.last { $0.keyClass == keyClass }?.epoch
    }

    /// Whether the keybag has the key of one epoch of a class, current or not.
    public func hasKey(_ keyClass: KeyClass, epoch: UInt32) -> Bool {
        classEntries.contains { $0.keyClass == keyClass && $0.epoch == epoch }
    }

    /// The public key of a class in its current epoch, 32 bytes: seals what only a read with the
    /// class key opens.
    public func depositKey(of keyClass: KeyClass) -> (publicKey: [UInt8], epoch: UInt32)? {
        classEntries.last { $0.keyClass == keyClass }.map { ($0.depositPublicKey, $0.epoch) }
    }

    /// Returns whether a key from the kernel is this store's own: any program of the user can put
    /// keys there.
    public func accepts(_ key: borrowing ClassKey) -> Bool {
        // Locals, because a closure cannot capture a borrowed key.
        let (keyClass, epoch) = (key.keyClass, key.epoch)
        let entry = classEntries.first { $0.keyClass == keyClass && $0.epoch == epoch }
        return entry.map { $0.checkValue == key.checkValue(in: storeID) } ?? false
    }
}
