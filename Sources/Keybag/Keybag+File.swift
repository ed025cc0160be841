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
        try read(fileName, in: directory)
    }

    /// Reads the keybag before the last change.
    ///
    /// - Returns: The keybag, or nil when the folder has none.
    /// - Throws: `KeybagError`.
    public static func readPrevious(
        in directory: borrowing StoreDirectory
    ) throws(KeybagError) -> Keybag? {
        try read(previousFileName, in: directory)
    }

    private static func read(
        _ fileName: String, in directory: borrowing StoreDirectory
    ) throws(KeybagError) -> Keybag? {
        let bytes: [UInt8]?
        do throws(PrivateFileError) {
            bytes = try directory.descriptor.readPrivate(
                fileName, ownedBy: directory.owner, limit: maximumByteCount)
        } catch {
            throw .file(error)
        }
        guard let bytes else { return nil }
        return try Keybag(parsing: bytes)
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
