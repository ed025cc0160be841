public import LinuxSystem

internal import Glibc

/// The item file of one store, open for one transaction.
///
/// A value of this type *is* the transaction: it sees one state of the file from its beginning to
/// its end, and what it has written is undone unless ``commit()`` returns. It knows rows, sealed
/// boxes and tags, and neither keys nor plaintext.
///
/// The file is opened for each operation: that costs 45 microseconds, leaves no descriptor in
/// long-running programs, and lets a restored backup take effect at once.
public struct ItemStore: ~Copyable {
    public static let fileName = "items.sqlite"

    let database: Database

    init(_ database: Database) { self.database = database }

    /// Opens the file to read from it; also where nothing can be written.
    ///
    /// - Parameters:
    ///   - directory: The checked store directory.
    ///   - storeID: 16 bytes, as the keybag has them.
    /// - Returns: Nil when there is no item file: nothing was stored yet.
    /// - Throws: `ItemStoreError`.
    public static func openForReading(
        in directory: borrowing StoreDirectory, storeID: [UInt8]
    ) throws(ItemStoreError) -> ItemStore? {
        guard try isPresent(in: directory) else { return nil }
        return try ItemStore(path: path(in: directory), storeID: storeID, isWriter: false)
    }

    /// Opens the file to change it, as the only writer.
    ///
    /// - Parameters:
    ///   - directory: The checked store directory.
    ///   - storeID: 16 bytes, as the keybag has them.
    ///   - creating: Whether a missing file is made.
    /// - Returns: Nil when there is no item file and none was to be made.
    /// - Throws: `ItemStoreError`; `busy` when another writer did not get ahead for five seconds, or many
    ///   writers left no turn for a minute.
    public static func openForWriting(
        in directory: borrowing StoreDirectory, storeID: [UInt8], creating: Bool
    ) throws(ItemStoreError) -> ItemStore? {
        if try !isPresent(in: directory) {
            guard creating else { return nil }
            let emptyFile = try Schema.emptyFile(storeID: storeID)
            do {
                // False means that another process was first: its file is as good.
                _ = try directory.descriptor.createFile(fileName, with: emptyFile)
            } catch {
                throw ItemStoreError(error)
            }
            guard try isPresent(in: directory) else {
                throw .file(.system(SystemCallError("open", errno: ENOENT)))
            }
        }
        return try ItemStore(path: path(in: directory), storeID: storeID, isWriter: true)
    }

    private init(path: String, storeID: [UInt8], isWriter: Bool) throws(ItemStoreError) {
        let database = try Database(.file(path: path))
        if isWriter { try database.prepareForWriting() }
        try database.execute(isWriter ? "BEGIN IMMEDIATE" : "BEGIN")
        // Inside the transaction, so that what is checked is what is used.
        try Schema.check(database, storeID: storeID)
        self.database = database
    }

    static func path(in directory: borrowing StoreDirectory) -> String {
        directory.path + "/" + fileName
    }

    /// Checks the file, and the journal that SQLite would roll back into it, by name.
    ///
    /// Never by opening them: closing any descriptor of a file drops all POSIX locks that this
    /// process has on it (fcntl(2)), those of another thread's transaction included. The names are
    /// in a directory that only their owner can change.
    static func isPresent(
        in directory: borrowing StoreDirectory
    ) throws(ItemStoreError) -> Bool {
        guard try isPrivate(fileName, in: directory) else { return false }
        _ = try isPrivate(fileName + "-journal", in: directory)
        return true
    }

    private static func isPrivate(
        _ name: String, in directory: borrowing StoreDirectory
    ) throws(ItemStoreError) -> Bool {
        do {
            try directory.descriptor.checkPrivate(name, ownedBy: directory.owner)
            return true
        } catch .system(let error) where error.errno == ENOENT {
            return false
        } catch {
            throw .file(error)
        }
    }

    /// Makes everything written durable, as one step, and ends the transaction.
    public consuming func commit() throws(ItemStoreError) {
        try database.execute("COMMIT")
    }
}

extension ItemStoreError {
    /// What a failure to make the file means.
    init(_ error: SystemCallError) {
        switch error.errno {
        case ENOSPC, EDQUOT: self = .noSpace
        case EROFS: self = .readOnly
        default: self = .file(.system(error))
        }
    }
}
