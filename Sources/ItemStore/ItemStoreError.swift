public import LinuxSystem

/// A reason why the item file could not be read or written.
public enum ItemStoreError: Error, Equatable, Sendable {
    /// The file, or one beside it, is not a private file of its owner.
    case file(PrivateFileError)
    /// It is not an item file, or not a whole one; `reason` holds nothing of its contents.
    case damaged(reason: String)
    /// A newer program wrote it.
    case newerFormat(version: Int64)
    /// The items of another store: their keys are not in this keybag.
    case foreignStore
    /// Another process kept the file locked for as long as an operation waits.
    case busy
    /// This process is the child of a fork(2) in the middle of another thread's operation.
    case forkedInUse
    /// There is an item with this primary-key tag.
    case duplicate
    case noSpace
    case readOnly
    /// Anything else: SQLite's extended result code and the errno behind it, or 0.
    case inputOutput(code: CInt, errno: CInt)
}
