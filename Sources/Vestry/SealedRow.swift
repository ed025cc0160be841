internal import ItemStore
internal import Keybag
internal import KeyClasses
internal import Sealing
internal import SecureMemory

/// The subkeys of one class key, for the length of one operation.
final class OperationKey {
    let keyClass: KeyClass
    let epoch: UInt32
    let metadataKey: SealingKey
    let valueKey: SealingKey

    init(_ key: borrowing ClassKey) {
        keyClass = key.keyClass
        epoch = key.epoch
        metadataKey = SealingKey(key.metadataKey())
        valueKey = SealingKey(key.valueKey())
    }
}

/// Sealing and opening of rows: where key, row and cipher meet.
extension ItemRow {
    /// A row without boxes.
    init(new reference: [UInt8], _ itemClass: ItemClass, _ protection: Protection, expires: Int64) {
        self.init(
            reference: reference, itemClass: itemClass.number,
            accessibility: protection.metadataClass.rawValue,
            accessControl: protection.flags.rawValue, expires: expires, epoch: 0, version: 1,
            primaryTag: [], metadata: [], value: nil)
    }

    /// Seals a secret as the value of this version of the row; comes before the metadata, which says
    /// to which value it belongs.
    mutating func seal(
        value secret: borrowing SecretBytes, with key: OperationKey, in storeID: StoreID
    ) {
        valueEpoch = key.epoch
        valueVersion = version
        value = key.valueKey.seal(
            secret, context: BoxContext(storeID: storeID, row: self).bytes(of: .value))
    }

    /// Seals a secret as the value, so that only a read with the class key opens it, which need not
    /// be there now.
    ///
    /// - Returns: What the box hashes to, for the metadata: anybody can make such a box.
    mutating func deposit(
        value secret: borrowing SecretBytes, under keyClass: KeyClass, of keybag: Keybag
    ) throws(VestryError) -> [UInt8] {
        let missing = VestryError(.damaged, detail: "keybag has no deposit key")
        guard let (publicKey, epoch) = keybag.depositKey(of: keyClass) else { throw missing }
        valueEpoch = epoch
        valueVersion = version
        let context = BoxContext(storeID: keybag.storeID, row: self).bytes(of: .value)
        guard let box = Deposit.seal(secret, to: publicKey, context: context) else {
            throw missing
        }
        value = box
        return checksum(of: box.span)
    }

    /// Seals encoded metadata, and makes it the row's.
    mutating func seal(
        metadata plaintext: borrowing SecretBytes, with key: OperationKey, primaryTag: [UInt8],
        in storeID: StoreID
    ) {
        epoch = key.epoch
        self.primaryTag = primaryTag
        metadata = key.metadataKey.seal(
            plaintext, context: BoxContext(storeID: storeID, row: self).bytes(of: .metadata))
    }

    /// Opens the metadata, and refuses a row whose tag was exchanged with another row's: the tag
    /// stands outside of the boxes.
    func openMetadata(
        with key: OperationKey, tags: borrowing ItemTags, in storeID: StoreID
    ) throws(VestryError) -> ItemMetadata {
        let opened = try openMetadata(with: key, in: storeID)
        guard tags.primaryTag(of: opened) == primaryTag else {
            throw VestryError(.itemDamaged, detail: "its tag is another item's")
        }
        return opened
    }

    /// Opens the metadata of a row, whatever tag stands in it.
    func openMetadata(
        with key: OperationKey, in storeID: StoreID
    ) throws(VestryError) -> ItemMetadata {
        guard let itemClass = ItemClass(number: itemClass) else {
            throw VestryError(.newerFormat, detail: "an item is of an unknown class")
        }
        try check(epoch, key.epoch)
        let context = BoxContext(storeID: storeID, row: self).bytes(of: .metadata)
        let plaintext = try mappingErrors { () throws(SealingError) in
            try key.metadataKey.open(metadata.span, context: context)
        }
        return try mappingErrors { () throws(MetadataError) in
            try plaintext.withBytes { (bytes) throws(MetadataError) in
                try ItemMetadata(parsing: bytes, of: itemClass)
            }
        }
    }

    /// Opens the note of an old value, which stands in place of the metadata.
    func openNote(
        with key: OperationKey, in storeID: StoreID
    ) throws(VestryError) -> OldValueNote {
        try check(epoch, key.epoch)
        let context = BoxContext(storeID: storeID, row: self).bytes(of: .note)
        let plaintext = try mappingErrors { () throws(SealingError) in
            try key.metadataKey.open(metadata.span, context: context)
        }
        return try mappingErrors { () throws(MetadataError) in
            try plaintext.withBytes { (bytes) throws(MetadataError) in
                try OldValueNote(parsing: bytes)
            }
        }
    }

    func openValue(
        with key: OperationKey, in storeID: StoreID
    ) throws(VestryError) -> SecretBytes {
        try check(valueEpoch, key.epoch)
        let value = try readValue()
        let context = BoxContext(storeID: storeID, row: self).bytes(of: .value)
        return try mappingErrors { () throws(SealingError) in
            try key.valueKey.open(value.span, context: context)
        }
    }

    /// Opens a value that was deposited.
    func openDeposit(
        with key: borrowing ClassKey, digest: [UInt8]?, in storeID: StoreID
    ) throws(VestryError) -> SecretBytes {
        try check(valueEpoch, key.epoch)
        let value = try readValue()
        try checkDeposit(digest: digest)
        let context = BoxContext(storeID: storeID, row: self).bytes(of: .value)
        do {
            return try key.openDeposit(value, context: context)
        } catch {
            throw error.publicError
        }
    }

    /// Compares a deposited value with what the metadata says of it, which needs no key.
    func checkDeposit(digest: [UInt8]?) throws(VestryError) {
        let value = try readValue()
        guard checksum(of: value.span) == digest else {
            throw VestryError(.itemDamaged, detail: "its value is another one's")
        }
    }

    private func readValue() throws(VestryError) -> [UInt8] {
        guard let value else { throw VestryError(.itemDamaged, detail: "its value was not read") }
        return value
    }

    private func check(_ epoch: UInt32, _ keyEpoch: UInt32) throws(VestryError) {
        guard epoch == keyEpoch else {
            throw VestryError(.itemDamaged, detail: "it is sealed under another epoch's key")
        }
    }
}
