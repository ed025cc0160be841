internal import ItemStore
internal import Keybag
public import SecureMemory

// Generic passwords by service and account: the items of the first access group that are not
// synchronizable.
extension Keychain {
    /// Returns the secret stored under `key`.
    ///
    /// The secret is decrypted for this call and kept nowhere else in the process. It is zeroed
    /// when the returned value goes out of scope.
    ///
    /// - Parameters:
    ///   - key: The exact service and account.
    ///   - prompt: Why the user is asked, where the item asks for the user (``presenceHandler``).
    /// - Returns: 0 to ``maximumSecretByteCount`` bytes, as stored; often but not always UTF-8.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/itemNotFound`` when nothing has
    ///   this key, ``VestryError/Code/locked`` when the class key of the item, or of the index, is
    ///   not in the kernel or the item asks for the user, or takes an application
    ///   password, and nobody can be asked,
    ///   ``VestryError/Code/wrongPassword`` and ``VestryError/Code/cancelled`` when the user was asked,
    ///   ``VestryError/Code/itemDamaged`` when the item does not open,
    ///   ``VestryError/Code/noSuchKeychain`` before the first login with a password, and
    ///   ``VestryError/Code/damaged``, ``VestryError/Code/denied`` or
    ///   ``VestryError/Code/notAvailable`` for the keychain as a whole.
    /// - Complexity: One indexed read and two decryptions. No password is hashed here; login has
    ///   paid for that.
    public func secret(
        for key: ItemKey, prompt: String? = nil
    ) throws(VestryError) -> SecretBytes {
        let name = try SimpleName(key, in: self)
        return try asking(.allow, prompt) { (presence) throws(VestryError) in
            let transaction = try readTransaction()
            guard let row = try transaction.row(name, boxes: .metadataAndValue) else {
                throw VestryError(.itemNotFound)
            }
            let (protection, metadata) = try transaction.open(row)
            return try transaction.openSecret(
                of: row, protection, metadata, presence: presence)
        }
    }

    /// Returns the attributes of the item with `key`; its secret is not read.
    ///
    /// - Parameter key: The exact service and account.
    /// - Returns: The attributes.
    /// - Throws: ``VestryError``, with the codes of ``secret(for:prompt:)``.
    public func item(for key: ItemKey) throws(VestryError) -> Item {
        let name = try SimpleName(key, in: self)
        let transaction = try readTransaction()
        guard let row = try transaction.row(name, boxes: .metadata) else {
            throw VestryError(.itemNotFound)
        }
        let (protection, metadata) = try transaction.open(row)
        return Item(metadata, protection.accessibility)
    }

    /// Returns the attributes of all items, or of all items of one service.
    ///
    /// - Parameter service: The exact service; nil for all.
    /// - Returns: The readable items, ascending by service, then account, each by its UTF-8 bytes;
    ///   and how many items of locked classes there are besides.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/locked`` when the index class key
    ///   is not in the kernel, so that nothing can be said about any item;
    ///   ``VestryError/Code/noSuchKeychain``, ``VestryError/Code/damaged``,
    ///   ``VestryError/Code/denied`` or ``VestryError/Code/notAvailable`` as ``secret(for:prompt:)``.
    public func items(service: String? = nil) throws(VestryError) -> ItemListing {
        var query = ItemQuery(.genericPassword)
        query.accessGroups = [try firstAccessGroup()]
        query.limit = .all
        query.isOnlyReadable = true
        if let service { query.attributes[.service] = .string(service) }
        let matches: ItemMatches
        do throws(VestryError) {
            matches = try find(query)
        } catch .itemNotFound {
            return ItemListing(items: [], lockedCount: 0, damagedCount: 0)
        }
        return ItemListing(
            items: matches.records.map { Item($0) }.sorted { $0.key < $1.key },
            lockedCount: matches.lockedCount, damagedCount: matches.damagedCount)
    }

    /// Begins to read one item.
    private func readTransaction() throws(VestryError) -> ItemTransaction {
        let store = try openStore()
        let tags = try store.tags()
        guard let items = try store.itemsForReading(isForOneRow: true) else {
            throw VestryError(.itemNotFound)
        }
        return ItemTransaction(store, tags, items)
    }
}
