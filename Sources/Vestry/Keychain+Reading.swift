internal import ItemStore
internal import Keybag
internal import KeyClasses
public import SecureMemory

extension Keychain {
    /// Returns the secret stored under `key`.
    ///
    /// The secret is decrypted for this call and kept nowhere else in the process. It is zeroed
    /// when the returned value goes out of scope.
    ///
    /// - Parameter key: The exact service and account.
    /// - Returns: 0 to ``maximumSecretByteCount`` bytes, as stored; often but not always UTF-8.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/itemNotFound`` when nothing has
    ///   this key, ``VestryError/Code/locked`` when the class key of the item, or of the index, is
    ///   not in the kernel, ``VestryError/Code/itemDamaged`` when the item does not open,
    ///   ``VestryError/Code/noSuchKeychain`` before the first login with a password, and
    ///   ``VestryError/Code/damaged``, ``VestryError/Code/denied`` or
    ///   ``VestryError/Code/notAvailable`` for the keychain as a whole.
    /// - Complexity: One indexed read and two decryptions. No password is hashed here; login has
    ///   paid for that.
    public func secret(for key: ItemKey) throws(VestryError) -> SecretBytes {
        let store = try openStore()
        let row = try row(for: key, boxes: .metadataAndValue, in: store)
        let classKey = try store.unlockedKey(row.knownAccessibility().keyClass)
        try check(row, has: key, classKey, in: store)
        return try row.openValue(with: classKey, in: store.keybag.storeID)
    }

    /// Returns the attributes of the item with `key`; its secret is not read.
    ///
    /// - Parameter key: The exact service and account.
    /// - Returns: The attributes.
    /// - Throws: ``VestryError``, with the codes of ``secret(for:)``.
    public func item(for key: ItemKey) throws(VestryError) -> Item {
        let store = try openStore()
        let row = try row(for: key, boxes: .metadata, in: store)
        let accessibility = try row.knownAccessibility()
        let classKey = try store.unlockedKey(accessibility.keyClass)
        return Item(try check(row, has: key, classKey, in: store), accessibility)
    }

    /// Returns the attributes of all items, or of all items of one service.
    ///
    /// - Parameter service: The exact service; nil for all.
    /// - Returns: The readable items, ascending by service, then account, each by its UTF-8 bytes;
    ///   and how many items of locked classes there are besides.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/locked`` when the index class key
    ///   is not in the kernel, so that nothing can be said about any item;
    ///   ``VestryError/Code/noSuchKeychain``, ``VestryError/Code/damaged``,
    ///   ``VestryError/Code/denied`` or ``VestryError/Code/notAvailable`` as ``secret(for:)``.
    public func items(service: String? = nil) throws(VestryError) -> ItemListing {
        let store = try openStore()
        let tags = try store.tags()
        var items: [Item] = []
        var (lockedCount, damagedCount) = (0, 0)
        var serviceTag: [UInt8]?
        if let service { serviceTag = tags.serviceTag(service) }
        for row in try rows(tag: serviceTag, in: store)
        where row.itemClass == ItemClass.genericPassword.number {
            do throws(VestryError) {
                let accessibility = try row.knownAccessibility()
                guard let classKey = try store.key(accessibility.keyClass) else {
                    lockedCount += 1
                    continue
                }
                let metadata = try row.openMetadata(with: classKey, in: store.keybag.storeID)
                guard tags.primaryTag(of: metadata.key) == row.primaryTag else {
                    throw VestryError(.itemDamaged)
                }
                items.append(Item(metadata, accessibility))
            } catch  where [.itemDamaged, .newerFormat].contains(error.code) {
                damagedCount += 1
            }
        }
        items.sort { $0.key < $1.key }
        return ItemListing(items: items, lockedCount: lockedCount, damagedCount: damagedCount)
    }

    private func rows(
        tag: [UInt8]?, in store: borrowing OpenStore
    ) throws(VestryError) -> [ItemRow] {
        guard let items = try store.itemsForReading() else { return [] }
        return try mappingErrors { () throws(ItemStoreError) in try items.rows(tag: tag) }
    }

    private func row(
        for key: ItemKey, boxes: ItemBoxes, in store: borrowing OpenStore
    ) throws(VestryError) -> ItemRow {
        try ItemMetadata.check(key, label: nil)
        let tag = try store.tags().primaryTag(of: key)
        guard let items = try store.itemsForReading() else { throw VestryError(.itemNotFound) }
        let row = try mappingErrors { () throws(ItemStoreError) in
            try items.row(primaryTag: tag, boxes: boxes)
        }
        guard let row else { throw VestryError(.itemNotFound) }
        return row
    }

    /// Opens the metadata and refuses a row whose tag was exchanged with another row's: the tag
    /// stands outside of the boxes.
    @discardableResult
    func check(
        _ row: ItemRow, has key: ItemKey, _ classKey: borrowing ClassKey,
        in store: borrowing OpenStore
    ) throws(VestryError) -> ItemMetadata {
        let metadata = try row.openMetadata(with: classKey, in: store.keybag.storeID)
        guard metadata.key == key else {
            throw VestryError(.itemDamaged, detail: "its tag is another item's")
        }
        return metadata
    }
}
