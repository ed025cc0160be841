public import LinuxSystem

extension Keybag {
    public static let fileName = "keybag"
    /// The file before the last change.
    public static let previousFileName = "keybag.previous"

    /// Reads the keybag of a store.
    ///
    /// - Returns: The keybag, or nil when the folder has none.
    /// - Throws: `KeybagError`.
    public static func read(
        in directory: borrowing StoreDirectory
    ) throws(KeybagError) -> Keybag? {
        try readIdentified(in: directory)?.keybag
    }

    /// Reads the keybag of a store, and says which file it is from.
    ///
    /// - Returns: Both, or nil when the folder has no keybag.
    /// - Throws: `KeybagError`.
    public static func readIdentified(
        in directory: borrowing StoreDirectory
    ) throws(KeybagError) -> (keybag: Keybag, file: FileIdentity)? {
        try read(fileName, in: directory)
    }

    /// Reads the keybag before the last change.
    ///
    /// - Returns: The keybag, or nil when the folder has none.
    /// - Throws: `KeybagError`.
    public static func readPrevious(
        in directory: borrowing StoreDirectory
    ) throws(KeybagError) -> Keybag? {
        try read(previousFileName, in: directory)?.keybag
    }

    private static func read(
        _ fileName: String, in directory: borrowing StoreDirectory
    ) throws(KeybagError) -> (keybag: Keybag, file: FileIdentity)? {
        let read: (bytes: [UInt8], identity: FileIdentity)?
        do throws(PrivateFileError) {
            read = try directory.descriptor.readPrivate(
                fileName, ownedBy: directory.owner, limit: maximumByteCount)
        } catch {
            throw .file(error)
        }
        guard let read else { return nil }
        return (try Keybag(parsing: read.bytes), read.identity)
    }

    /// Whether the keybag of a store is a file of which this was read, and unchanged since.
    ///
    /// - Parameters:
    ///   - file: As ``readIdentified(in:)`` returned it.
    ///   - directory: The store's.
    /// - Returns: False too for a keybag that would be refused.
    public static func isUnchanged(
        _ file: FileIdentity, in directory: borrowing StoreDirectory
    ) -> Bool {
        do throws(PrivateFileError) {
            return try directory.descriptor.checkPrivate(fileName, ownedBy: directory.owner) == file
        } catch {
            return false
        }
    }

    /// Writes the keybag of a new store, unless there is one, and a copy of it as
    /// ``previousFileName``: a damaged file can be put back before its first change too.
    ///
    /// - Returns: False when there is a keybag already: a home can be shared with a machine whose
    ///   locks nobody here sees. It is left as it is.
    /// - Throws: `KeybagError.file`.
    public func create(in directory: borrowing StoreDirectory) throws(KeybagError) -> Bool {
        let bytes = try checkedBytes()
        do throws(SystemCallError) {
            guard try directory.descriptor.createFile(Self.fileName, with: bytes) else {
                return false
            }
        } catch {
            throw .file(.system(error))
        }
        // The store is there without it.
        _ = try? directory.descriptor.createFile(Self.previousFileName, with: bytes)
        return true
    }

    /// Writes the keybag in one step and keeps the file before under
    /// ``previousFileName``.
    ///
    /// - Parameters:
    ///   - directory: The checked store directory.
    ///   - previousName: Another name for the file before.
    /// - Throws: `KeybagError.file`; the old file is then still in place.
    public func write(
        in directory: borrowing StoreDirectory,
        keepingPreviousAs previousName: String = previousFileName
    ) throws(KeybagError) {
        let bytes = try checkedBytes()
        do throws(SystemCallError) {
            try directory.descriptor.replaceFile(
                Self.fileName, with: bytes, keepingPreviousAs: previousName)
        } catch {
            throw .file(.system(error))
        }
    }

    private func checkedBytes() throws(KeybagError) -> [UInt8] {
        let bytes = serialized()
        // What the reader would refuse must never replace what it accepts.
        guard try Keybag(parsing: bytes) == self else { throw .malformed("own bytes") }
        return bytes
    }
}
