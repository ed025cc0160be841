internal import ItemStore
internal import KeyClasses
internal import Sealing
internal import SecureMemory

/// Sealing and opening of rows: where key, row and cipher meet.
extension ItemRow {
    /// Seals an item's metadata and secret under one class key.
    ///
    /// - Parameters:
    ///   - metadata: The attributes.
    ///   - secret: At most ``Keychain/maximumSecretByteCount`` bytes.
    ///   - key: The key of the accessibility class.
    ///   - primaryTag: Of the metadata's key.
    ///   - reference: 16 bytes, the same for as long as the item lives.
    ///   - version: Never used before with this reference.
    ///   - storeID: Of the store that the row goes to.
    /// - Returns: The row, with its value.
    static func sealing(
        _ metadata: ItemMetadata, _ secret: borrowing SecretBytes, key: borrowing ClassKey,
        primaryTag: [UInt8], reference: [UInt8], version: Int64, in storeID: StoreID
    ) -> ItemRow {
        let context = BoxContext(
            storeID: storeID, reference: reference,
            itemClass: ItemClass.genericPassword.number, accessibility: key.keyClass.rawValue,
            accessControl: 0, epoch: key.epoch, version: version)
        return ItemRow(
            reference: reference, itemClass: context.itemClass,
            accessibility: context.accessibility, accessControl: context.accessControl,
            epoch: context.epoch, version: version, primaryTag: primaryTag,
            metadata: SealingKey(key.metadataKey()).seal(
                metadata.encoded(), context: context.bytes(of: .metadata)),
            value: SealingKey(key.valueKey()).seal(secret, context: context.bytes(of: .value)))
    }

    /// The row's accessibility.
    ///
    /// - Throws: `VestryError` for a class or an access control that this release does not have.
    func knownAccessibility() throws(VestryError) -> Accessibility {
        guard accessControl == 0, let known = Accessibility(storedAs: accessibility) else {
            throw VestryError(.newerFormat, detail: "an item has an unknown accessibility")
        }
        return known
    }

    func openMetadata(
        with key: borrowing ClassKey, in storeID: StoreID
    ) throws(VestryError) -> ItemMetadata {
        try checkEpoch(of: key)
        let context = BoxContext(self, in: storeID).bytes(of: .metadata)
        let plaintext = try mappingErrors { () throws(SealingError) in
            try SealingKey(key.metadataKey()).open(metadata.span, context: context)
        }
        return try mappingErrors { () throws(MetadataError) in
            try plaintext.withBytes { (bytes) throws(MetadataError) in
                try ItemMetadata(parsing: bytes)
            }
        }
    }

    func openValue(
        with key: borrowing ClassKey, in storeID: StoreID
    ) throws(VestryError) -> SecretBytes {
        try checkEpoch(of: key)
        guard let value else { throw VestryError(.itemDamaged, detail: "its value was not read") }
        let context = BoxContext(self, in: storeID).bytes(of: .value)
        return try mappingErrors { () throws(SealingError) in
            try SealingKey(key.valueKey()).open(value.span, context: context)
        }
    }

    private func checkEpoch(of key: borrowing ClassKey) throws(VestryError) {
        guard epoch == key.epoch else {
            throw VestryError(.itemDamaged, detail: "it is sealed under another epoch's key")
        }
    }
}

extension Item {
    init(_ metadata: ItemMetadata, _ accessibility: Accessibility) {
        self.init(
            key: metadata.key, label: metadata.label, accessibility: accessibility,
            creationDate: metadata.creationDate, modificationDate: metadata.modificationDate)
    }
}
