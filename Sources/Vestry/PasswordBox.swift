internal import ItemStore
internal import Keybag
internal import KeyClasses
internal import Sealing
internal import SecureMemory

/// A secret that an application password seals: the plaintext of the item's value box.
///
///     offset  size  field
///     0       1     version, 1
///     1       4     epoch of the class key that goes into the key, little-endian
///     5       4     Argon2id passes, 3 to 16, little-endian
///     9       4     Argon2id memory in KiB, 65,536 to 1,048,576, little-endian
///     13      16    Argon2id salt
///     29            box (`SealingKey.seal`)
///
/// The box's key is BLAKE2b of the password's Argon2id, keyed with the value key of the item's
/// accessibility. The value key seals boxes besides, by XChaCha20-Poly1305; the two functions have
/// nothing in common by which a result of one would say something about the other.
///
/// The context is "VSTRYPWD", store id, reference, item class, accessibility class and the 29 bytes
/// above. Version and access control of the row are left to the value box, so that this box can stay
/// when they change: whoever has the class key can put back an earlier one of the same item.
struct PasswordBox {
    static let version: UInt8 = 1
    static let headerByteCount = 29

    let epoch: UInt32
    let derivation: PasswordDerivation
    private let box: [UInt8]

    /// Reads what a value box held.
    ///
    /// - Parameter bytes: All of it.
    /// - Throws: `VestryError` with the code `itemDamaged` or `newerFormat`.
    init(parsing bytes: borrowing SecretBytes) throws(VestryError) {
        let parts = try bytes.withBytes { (bytes) throws(VestryError) in
            guard let first = bytes.isEmpty ? nil : bytes[0] else { throw Self.malformed }
            guard first == Self.version else {
                throw VestryError(
                    .newerFormat, detail: "an application password seals with version \(first)")
            }
            guard bytes.count >= Self.headerByteCount + SealingKey.overhead else {
                throw Self.malformed
            }
            func number(_ offset: Int) -> UInt32 {
                (0..<4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[offset + $1]) }
            }
            return (
                epoch: number(1), passes: number(5), memoryKiB: number(9),
                salt: (13..<Self.headerByteCount).map { bytes[$0] },
                box: (Self.headerByteCount..<bytes.count).map { bytes[$0] }
            )
        }
        guard PasswordDerivation.acceptedPasses.contains(parts.passes),
            PasswordDerivation.acceptedMemoryKiB.contains(parts.memoryKiB)
        else { throw Self.malformed }
        epoch = parts.epoch
        derivation = PasswordDerivation(
            passes: parts.passes, memoryKiB: parts.memoryKiB, salt: parts.salt)
        box = parts.box
    }

    /// Seals a secret for a row, whose accessibility is set.
    ///
    /// - Returns: What the value box is to hold.
    static func seal(
        _ secret: borrowing SecretBytes, with password: PasswordKey, _ key: OperationKey,
        in row: ItemRow, of storeID: StoreID
    ) -> SecretBytes {
        let header = header(password.derivation, epoch: key.epoch)
        let box = key.valueKey.combined(with: password.key).seal(
            secret, context: context(of: row, in: storeID, header))
        return SecretBytes(copying: (header + box).span)
    }

    /// Opens the secret of a row.
    ///
    /// - Throws: `VestryError` with the code `wrongPassword`: the value box has vouched for the bytes.
    func open(
        with password: PasswordKey, _ key: OperationKey, in row: ItemRow, of storeID: StoreID
    ) throws(VestryError) -> SecretBytes {
        guard epoch == key.epoch else {
            throw VestryError(.itemDamaged, detail: "it is sealed under another epoch's key")
        }
        let header = Self.header(derivation, epoch: epoch)
        do {
            return try key.valueKey.combined(with: password.key).open(
                box.span, context: Self.context(of: row, in: storeID, header))
        } catch {
            throw VestryError(
                .wrongPassword, detail: "the application password does not open the item")
        }
    }

    private static var malformed: VestryError {
        VestryError(.itemDamaged, detail: "its application password's box is malformed")
    }

    private static func header(_ derivation: PasswordDerivation, epoch: UInt32) -> [UInt8] {
        [version] + littleEndian(epoch) + littleEndian(derivation.passes)
            + littleEndian(derivation.memoryKiB) + derivation.salt
    }

    private static func context(
        of row: ItemRow, in storeID: StoreID, _ header: [UInt8]
    ) -> [UInt8] {
        Array("VSTRYPWD".utf8) + storeID.bytes + row.reference
            + [row.itemClass, row.accessibility] + header
    }
}
