internal import ItemStore
internal import Keybag
internal import LinuxSystem
internal import Sealing
internal import SecureMemory

/// What a backup or an export has become.
public struct BackupReport: Equatable, Sendable {
    /// How many items it has.
    public let itemCount: Int
    /// How many it does not have.
    public let left: LeftItems
}

extension Keychain {
    /// Writes all items of every class and access group into one file that a secret seals.
    ///
    /// Items of this device alone stay behind, and so do those with an application password, whose
    /// seal has a key that stays in the store; both are counted. The file appears as a whole or not at
    /// all, with mode 0600.
    ///
    /// Items that ask for the user are asked for once, by ``presenceHandler``.
    ///
    /// - Parameters:
    ///   - path: Where the file is to be.
    ///   - secret: What seals it.
    ///   - isReplacing: Whether it may take the place of another file.
    ///   - isOnlyReadable: Whether items that cannot be read now are left out and counted, instead
    ///     of being an error.
    /// - Returns: What the backup has, and has not.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/locked`` when items cannot be read;
    ///   ``VestryError/Code/itemDamaged`` when one does not open; ``VestryError/Code/fileExists``;
    ///   ``VestryError/Code/parameter`` for an empty passphrase; the code of a system call; and the
    ///   codes of ``secret(for:prompt:)`` for the keychain.
    /// - Complexity: One derivation by Argon2id; no more than one secret is in memory at a time.
    public func backup(
        toFile path: String, secret: borrowing BackupSecret, isReplacing: Bool = false,
        isOnlyReadable: Bool = false
    ) throws(VestryError) -> BackupReport {
        guard isReplacing || !PendingFile.isTaken(path: path) else {
            throw VestryError(.fileExists)
        }
        let kind = secret.kind
        let derivation = PasswordDerivation.recommended()
        // Before the transaction, which keeps writers waiting.
        let key = BackupKey(try secret.key(by: derivation))
        return try asking(.allow, "all items that ask for it") { (presence) throws(VestryError) in
            let store = try openStore()
            let tags = try store.tags()
            let start = BackupStart(date: wholeSeconds(currentTime()), storeID: store.storeID)
            let items = try store.itemsForReading()
            guard let items else {
                return try Self.write(path, kind, derivation, key, start, isReplacing) {
                    _ throws(VestryError) in (0, LeftItems())
                }
            }
            let transaction = ItemTransaction(store, tags, items)
            var movable = try MovableItems(
                in: transaction, isOnlyReadable: isOnlyReadable, presence)
            return try Self.write(path, kind, derivation, key, start, isReplacing) {
                (writer) throws(VestryError) in
                let count = try movable.forEach(
                    in: transaction, isOnlyReadable: isOnlyReadable, presence
                ) { (row, protection, metadata, secret) throws(VestryError) in
                    try writer.append(BackupItem.encoded(row, protection, metadata, secret))
                }
                return (count, movable.left)
            }
        }
    }

    /// Writes the file around what `body` appends.
    private static func write(
        _ path: String, _ kind: BackupSecret.Kind, _ derivation: PasswordDerivation,
        _ key: borrowing BackupKey, _ start: BackupStart, _ isReplacing: Bool,
        _ body: (BackupWriter) throws(VestryError) -> (Int, LeftItems)
    ) throws(VestryError) -> BackupReport {
        let file: PendingFile
        do throws(SystemCallError) {
            file = try PendingFile(path: path)
        } catch {
            throw .ofBackupFile(error)
        }
        let writer = try BackupWriter(file, kind, derivation, key, start)
        let (count, left) = try body(writer)
        try writer.finish(BackupEnd(itemCount: count, left: left))
        let isPlaced: Bool
        do throws(SystemCallError) {
            isPlaced = try file.place(isReplacing: isReplacing)
        } catch {
            throw .ofBackupFile(error)
        }
        guard isPlaced else { throw VestryError(.fileExists) }
        return BackupReport(itemCount: count, left: left)
    }
}
