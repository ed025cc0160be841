public import LinuxSystem

internal import Glibc

/// The items of one store, for one transaction.
///
/// A value of this type *is* the transaction: it sees one state of the file from its beginning to
/// its end, and what it has written is undone unless ``commit()`` returns. It knows rows, sealed
/// boxes and tags, and neither keys nor plaintext.
///
/// The file is opened for each transaction unless it is kept open (``ItemFile``): that leaves no
/// descriptor in long-running programs, and lets a restored backup take effect at once.
public struct ItemStore: ~Copyable {
    public static let fileName = "items.sqlite"
    private static let journalName = fileName + "-journal"

    let database: Database

    private let file: ItemFile
    private let folder: String
    private let owner: uid_t
    private let storeID: [UInt8]
    private let isWriter: Bool

    /// A database that is in a transaction already.
    init(_ database: Database) {
        self.init(
            database, storeID: [], isWriter: true, file: ItemFile(isKeptOpen: false), folder: "",
            owner: geteuid())
    }

    /// Opens the file to read from it; also where nothing can be written.
    ///
    /// - Parameters:
    ///   - directory: The checked store directory.
    ///   - storeID: 16 bytes, as the keybag has them.
    ///   - isForOneRow: Whether to begin with the first read, which a kept file may not need: a row
    ///     that it knows is as new as any transaction's would be. The state of what is read after
    ///     that one can be a later one.
    ///   - file: The item file of this directory, with no other transaction.
    ///   - lender: Who lends the file; the transaction lets it go as its last step.
    /// - Returns: Nil when there is no item file: nothing was stored yet.
    /// - Throws: `ItemStoreError`.
    public static func openForReading(
        in directory: borrowing StoreDirectory, storeID: [UInt8], isForOneRow: Bool = false,
        file: ItemFile = ItemFile(isKeptOpen: false), lentBy lender: (any AnyObject)? = nil
    ) throws(ItemStoreError) -> ItemStore? {
        guard let connection = try connection(to: file, in: directory) else { return nil }
        let database = try Database(connection, of: file, lentBy: lender)
        let store = ItemStore(
            database, storeID: storeID, isWriter: false, file: file, folder: directory.path,
            owner: directory.owner)
        if !isForOneRow { try store.beginReading() }
        return store
    }

    /// Opens the file to change it, as the only writer.
    ///
    /// - Parameters:
    ///   - directory: The checked store directory.
    ///   - storeID: 16 bytes, as the keybag has them.
    ///   - creating: Whether a missing file is made.
    ///   - file: The item file of this directory, with no other transaction.
    ///   - lender: Who lends the file; the transaction lets it go as its last step.
    /// - Returns: Nil when there is no item file and none was to be made.
    /// - Throws: `ItemStoreError`; `busy` when another writer did not get ahead for five seconds, or many
    ///   writers left no turn for a minute.
    public static func openForWriting(
        in directory: borrowing StoreDirectory, storeID: [UInt8], creating: Bool,
        file: ItemFile = ItemFile(isKeptOpen: false), lentBy lender: (any AnyObject)? = nil
    ) throws(ItemStoreError) -> ItemStore? {
        // Each time, somebody has put a new file into place.
        for _ in 0..<Self.replacementLimit {
            switch try write(in: directory, storeID, creating: creating, file, lender) {
            case .replaced: file.close()
            case .missing: return nil
            case .begun(let store): return store
            }
        }
        throw .busy
    }

    /// What came of the beginning of a change.
    private enum Beginning: ~Copyable {
        case missing
        /// By another file, which is at the path now.
        case replaced
        case begun(ItemStore)
    }

    /// So often that no honest program comes near.
    private static let replacementLimit = 100

    private static func write(
        in directory: borrowing StoreDirectory, _ storeID: [UInt8], creating: Bool,
        _ file: ItemFile, _ lender: (any AnyObject)?
    ) throws(ItemStoreError) -> Beginning {
        var connection = try connection(to: file, in: directory)
        if connection == nil {
            guard creating else { return .missing }
            let emptyFile = try Schema.emptyFile(storeID: storeID)
            do {
                // False means that another process was first: its file is as good.
                _ = try directory.descriptor.createFile(fileName, with: emptyFile)
            } catch {
                throw ItemStoreError(error)
            }
            connection = try Self.connection(to: file, in: directory)
        }
        guard let connection else { throw .file(.system(SystemCallError("open", errno: ENOENT))) }
        let database = try Database(connection, of: file, lentBy: lender)
        let store = ItemStore(
            database, storeID: storeID, isWriter: true, file: file, folder: directory.path,
            owner: directory.owner)
        try store.checkJournal()
        try database.prepareForWriting()
        try database.execute("BEGIN IMMEDIATE")
        // A repair that had the lock before may have put another file into place: what is written to the
        // old one would be lost.
        guard try !database.hasMoved() else { return .replaced }
        try Schema.check(database, storeID: storeID)
        return .begun(store)
    }

    private init(
        _ database: Database, storeID: [UInt8], isWriter: Bool, file: ItemFile, folder: String,
        owner: uid_t
    ) {
        self.database = database
        self.storeID = storeID
        self.isWriter = isWriter
        self.file = file
        self.folder = folder
        self.owner = owner
    }

    /// Begins to read, where that was left to the first read; from then on the kept file's rows that were
    /// read before are not used.
    public func beginReading() throws(ItemStoreError) {
        guard !isWriter, !database.isReading else { return }
        try checkJournal()
        try database.beginReading()
        do {
            try Schema.check(database, storeID: storeID)
        } catch {
            // Nothing is read from it, now or later.
            database.endReading()
            throw error
        }
    }

    /// Whether no lock keeps the file as it is: what was read came from the kept file's rows, if anything.
    public var isWithoutLock: Bool { !isWriter && !database.isReading }

    /// Lets the next transaction open the file anew.
    func closeAfterwards() { file.close() }

    /// A row that the kept file knows; nil where SQLite has to look.
    func recentRow(primaryTag: [UInt8], boxes: ItemBoxes) -> ItemRow? {
        guard !isWriter else { return nil }
        guard var row = database.recentRow(primaryTag: primaryTag, storeID) else { return nil }
        if boxes == .metadata { row.value = nil }
        return row
    }

    /// Opens the file unless it is open, and checks it, by its descriptor or by its name, which is in a
    /// directory that only its owner can change.
    ///
    /// - Returns: Nil when there is no file.
    /// - Throws: `ItemStoreError`.
    private static func connection(
        to file: ItemFile, in directory: borrowing StoreDirectory
    ) throws(ItemStoreError) -> Connection? {
        if let connection = file.unchangedConnection(ownedBy: directory.owner) { return connection }
        let identity = try mappingAbsence { () throws(PrivateFileError) in
            try directory.descriptor.checkPrivate(fileName, ownedBy: directory.owner)
        }
        guard let identity else {
            file.close()
            return nil
        }
        return try file.connection(in: directory.path, identity)
    }

    /// Checks the journal that SQLite would roll back into the file, before it looks for one.
    private func checkJournal() throws(ItemStoreError) {
        _ = try Self.mappingAbsence { () throws(PrivateFileError) in
            try FileDescriptor.checkPrivate(path: folder + "/" + Self.journalName, ownedBy: owner)
        }
    }

    static func path(in directory: borrowing StoreDirectory) -> String {
        directory.path + "/" + fileName
    }

    /// Checks the file and the journal by their names.
    ///
    /// - Returns: False when there is no file.
    /// - Throws: `ItemStoreError.file`.
    static func isPresent(in directory: borrowing StoreDirectory) throws(ItemStoreError) -> Bool {
        let owner = directory.owner
        for name in [fileName, journalName] {
            let identity = try mappingAbsence { () throws(PrivateFileError) in
                try directory.descriptor.checkPrivate(name, ownedBy: owner)
            }
            if identity == nil { return name != fileName }
        }
        return true
    }

    private static func mappingAbsence(
        _ body: () throws(PrivateFileError) -> FileIdentity
    ) throws(ItemStoreError) -> FileIdentity? {
        do {
            return try body()
        } catch .system(let error) where error.errno == ENOENT {
            return nil
        } catch {
            throw .file(error)
        }
    }

    /// Makes everything written durable, as one step, and ends the transaction.
    public consuming func commit() throws(ItemStoreError) {
        try database.execute("COMMIT")
        if file.isKeptOpen { file.noteWritten(in: folder) }
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
