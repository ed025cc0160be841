internal import LinuxSystem
internal import Sealing

/// A backup that its secret has opened.
///
/// The file is read again by each operation, a part at a time, and checked to its end before
/// anything of it is used.
public struct Backup: ~Copyable, Sendable {
    private let file: SeekableFile
    private let header: BackupHeader
    private let key: BackupKey

    /// What opens a backup, without opening it.
    ///
    /// - Parameter path: The file.
    /// - Returns: Whether it is a passphrase or a recovery code.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/backupDamaged`` for what is no backup
    ///   or a damaged one, ``VestryError/Code/newerFormat`` for one of a later release, or the code of
    ///   a system call.
    public static func secretKind(ofFile path: String) throws(VestryError) -> BackupSecret.Kind {
        try header(of: open(path)).kind
    }

    /// Opens a backup.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - secret: What it was sealed with.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/wrongPassword`` for another secret,
    ///   and the codes of ``secretKind(ofFile:)``.
    public init(file path: String, secret: borrowing BackupSecret) throws(VestryError) {
        let file = try Self.open(path)
        let header = try Self.header(of: file)
        let key = try header.key(from: secret)
        self.header = header
        self.key = key
        self.file = file
    }

    /// Opens a backup with a key that was derived before.
    init(file path: String, key: consuming BackupKey) throws(VestryError) {
        let file = try Self.open(path)
        header = try Self.header(of: file)
        self.key = key
        self.file = file
    }

    /// What a backup holds, after all of it was read and checked.
    public struct Contents: Equatable, Sendable {
        /// When it was made, in seconds since 1970.
        public let date: Int64
        public let itemCount: Int
        /// What it was made without.
        public let left: LeftItems
    }

    /// Reads the whole backup, and changes nothing.
    ///
    /// - Returns: What it holds.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/backupDamaged`` among others.
    public func contents() throws(VestryError) -> Contents {
        let reader = try BackupReader(self)
        while try reader.next(of: self) != nil {}
        guard let end = reader.end else { throw BackupHeader.damaged("it is cut off") }
        return Contents(date: reader.start.date, itemCount: end.itemCount, left: end.left)
    }

    var byteCount: Int { file.byteCount - BackupHeader.byteCount }

    func opener() throws(VestryError) -> StreamOpener {
        do throws(SealingError) {
            return try StreamOpener(key: key.streamKey(), header: header.streamHeader)
        } catch {
            throw BackupHeader.damaged("its beginning is malformed")
        }
    }

    /// Reads a part of what stands behind the header.
    func bytes(at offset: Int, count: Int) throws(VestryError) -> [UInt8] {
        try Self.read(file, at: BackupHeader.byteCount + offset, count: count)
    }

    private static func open(_ path: String) throws(VestryError) -> SeekableFile {
        do throws(SystemCallError) {
            return try SeekableFile(path: path)
        } catch {
            throw .ofBackupFile(error)
        }
    }

    private static func header(
        of file: borrowing SeekableFile
    ) throws(VestryError) -> BackupHeader {
        try BackupHeader(parsing: read(file, at: 0, count: BackupHeader.byteCount))
    }

    private static func read(
        _ file: borrowing SeekableFile, at offset: Int, count: Int
    ) throws(VestryError) -> [UInt8] {
        do throws(SystemCallError) {
            return try file.read(at: offset, count: count)
        } catch {
            throw .ofBackupFile(error)
        }
    }
}
