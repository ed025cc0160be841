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

    /// Writes the keybag in one step and keeps the file before under
    /// ``previousFileName``.
    ///
    /// - Throws: `KeybagError.file`; the old file is then still in place.
    public func write(in directory: borrowing StoreDirectory) throws(KeybagError) {
        let bytes = serialized()
        // What the reader would refuse must never replace what it accepts.
        guard try Keybag(parsing: bytes) == self else { throw .malformed("own bytes") }
        do throws(SystemCallError) {
            try directory.descriptor.replaceFile(
                Self.fileName, with: bytes, keepingPreviousAs: Self.previousFileName)
        } catch {
            throw .file(.system(error))
        }
    }
}
