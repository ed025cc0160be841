internal import ItemStore
internal import KeyClasses
internal import SecureMemory

/// An item as a backup holds it.
///
/// Numbers are little-endian.
///
///     offset  size  field
///     0       1     1: an item follows
///     1       1     item class: 1 generic password, 2 internet password, 3 certificate, 4 key
///     2       16    reference
///     18      1     accessibility class: 2 afterFirstUnlock, 4 whenUnlocked
///     19      4     access control
///     23      8     when it ends, in seconds since 1970, or 2^63 - 1
///     31      4     size of the attributes, at most 262,144
///     35      4     size of the secret, at most 8,388,608
///     39            attributes (`ItemMetadata`, without a digest of the value), then the secret
struct BackupItem: ~Copyable {
    static let mark: UInt8 = 1
    /// Without the mark.
    static let fixedByteCount = 38

    let reference: [UInt8]
    let protection: Protection
    let expires: Int64
    let metadata: ItemMetadata
    let secret: SecretBytes

    /// The bytes of an item as it is in a store.
    static func encoded(
        _ row: ItemRow, _ protection: Protection, _ metadata: ItemMetadata,
        _ secret: borrowing SecretBytes
    ) -> SecretBytes {
        var metadata = metadata
        metadata.valueDigest = nil
        let attributes = metadata.encoded()
        let fixed =
            [mark, row.itemClass] + row.reference + [protection.metadataClass.rawValue]
            + littleEndian(protection.flags.rawValue) + littleEndian(row.expires)
            + littleEndian(UInt32(clamping: attributes.count))
            + littleEndian(UInt32(clamping: secret.count))
        return SecretBytes(joining: SecretBytes(copying: fixed.span), attributes, secret)
    }

    /// What stands before attributes and secret.
    struct Start {
        let itemClass: ItemClass
        let reference: [UInt8]
        let protection: Protection
        let expires: Int64
        let metadataByteCount: Int
        let secretByteCount: Int

        /// Reads what follows the mark.
        init(parsing bytes: borrowing SecretBytes) throws(VestryError) {
            let bytes = bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } }
            func number(_ offset: Int, _ count: Int) -> UInt64 {
                (0..<count).reversed().reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
            }
            let malformed = BackupHeader.damaged("an item is malformed")
            guard bytes.count == fixedByteCount else { throw malformed }
            reference = Array(bytes[1..<17])
            expires = Int64(bitPattern: number(22, 8))
            metadataByteCount = Int(number(30, 4))
            secretByteCount = Int(number(34, 4))
            guard let itemClass = ItemClass(number: bytes[0]),
                let accessibility = Accessibility(storedAs: bytes[17])
            else {
                throw VestryError(.newerFormat, detail: "an item of the backup is of a new kind")
            }
            self.itemClass = itemClass
            protection = Protection(
                accessibility: accessibility, flags: .init(rawValue: UInt32(number(18, 4))))
            guard protection.isMovable, metadataByteCount <= ItemMetadata.maximumByteCount,
                secretByteCount <= Keychain.maximumSecretByteCount
            else { throw malformed }
        }
    }

    /// Puts an item together from its parts.
    init(
        _ start: Start, metadata: borrowing SecretBytes, secret: consuming SecretBytes
    ) throws(VestryError) {
        let opened: ItemMetadata
        do throws(MetadataError) {
            opened = try metadata.withBytes { (bytes) throws(MetadataError) in
                try ItemMetadata(parsing: bytes, of: start.itemClass)
            }
        } catch .malformed {
            throw BackupHeader.damaged("the attributes of an item are malformed")
        } catch {
            throw error.publicError
        }
        guard opened.valueDigest == nil else {
            throw BackupHeader.damaged("the attributes of an item are malformed")
        }
        do throws(VestryError) {
            try start.protection.check(
                isSynchronizable: opened.values[.synchronizable] == true)
        } catch {
            throw BackupHeader.damaged("the access control of an item is malformed")
        }
        reference = start.reference
        protection = start.protection
        expires = start.expires
        self.metadata = opened
        self.secret = secret
    }

    /// Gives up ownership of the secret.
    consuming func takeSecret() -> SecretBytes { secret }
}

extension Protection {
    /// Whether the item can be carried to another store: it is not of this device alone, and nothing
    /// seals its secret that stays in this store.
    var isMovable: Bool { !accessibility.isThisDeviceOnly && !hasApplicationPassword }
}

extension SecretBytes {
    /// Three secrets, one after the other.
    init(
        joining first: borrowing SecretBytes, _ second: borrowing SecretBytes,
        _ third: borrowing SecretBytes
    ) {
        self.init(
            count: first.count + second.count + third.count,
            filledBy: { bytes in
                first.copy(0..<first.count, into: &bytes, at: 0)
                second.copy(0..<second.count, into: &bytes, at: first.count)
                third.copy(0..<third.count, into: &bytes, at: first.count + second.count)
            })
    }

    /// Copies a part of this secret, which has it, to where there is room for it.
    func copy(_ part: Range<Int>, into bytes: inout MutableSpan<UInt8>, at offset: Int) {
        withBytes { own in
            for index in part { bytes[offset + index - part.lowerBound] = own[index] }
        }
    }
}
