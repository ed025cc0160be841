internal import Glibc
internal import LinuxSystem

/// The item file of one store, for one transaction at a time.
///
/// Kept open, it serves one after the other, and between them it holds no lock; otherwise it is closed
/// with its transaction. A file that is another one by now, or that others have changed, is opened
/// anew: SQLite notices what others write, but not a backup that was copied over the file.
public final class ItemFile {
    let isKeptOpen: Bool

    private var connection: Connection?
    /// Which file it is, and in what state the last look at it or the last writing left it.
    private var identity: FileIdentity?
    /// Whether the name led to the file when its last change was some ticks ago.
    private var isSettled = false

    /// - Parameter isKeptOpen: Whether it stays open after a transaction.
    public init(isKeptOpen: Bool) { self.isKeptOpen = isKeptOpen }

    /// The open connection, where its descriptor says that the file is unchanged and in its place.
    ///
    /// A file that was replaced or removed has no name any more, and one that was moved or got another
    /// name has another time of change: so do all file systems of Linux's own.
    ///
    /// - Parameter owner: Of the folder that the file is in, and which is where it was.
    /// - Returns: Nil where the name has to be looked up.
    func unchangedConnection(ownedBy owner: uid_t) -> Connection? {
        guard isSettled, let connection, let status = connection.look(), status.st_nlink == 1,
            FileIdentity(status) == identity, FileDescriptor.isPrivate(status, ownedBy: owner)
        else { return nil }
        return connection
    }

    /// A connection to the file, which was just looked at by its name.
    func connection(
        in folder: String, _ identity: FileIdentity
    ) throws(ItemStoreError) -> Connection {
        isSettled = identity.isSettled
        if let connection, self.identity == identity, connection.look() != nil { return connection }
        close()
        let opened = try Connection(.file(path: Self.path(in: folder)))
        (connection, self.identity) = (opened, identity)
        return opened
    }

    /// Notes what a transaction has made of the file.
    func noteWritten(in folder: String) {
        var status = stat()
        let isThere = unsafe lstat(Self.path(in: folder), &status) == 0
        let written = FileIdentity(status)
        // Not what has taken its place meanwhile.
        let isSame = isThere && identity.map { written.isSameFile(as: $0) } == true
        identity = isSame ? written : nil
        isSettled = false
    }

    private static func path(in folder: String) -> String { folder + "/" + ItemStore.fileName }

    /// Closes the file; the next transaction opens it again.
    func close() { (connection, identity) = (nil, nil) }
}
