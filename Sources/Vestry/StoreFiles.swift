internal import ItemStore
internal import KernelKeyring
internal import Keybag
internal import KeyClasses
internal import LinuxSystem
internal import Sealing
internal import Synchronization

/// What a store is read through, for one operation at a time: opened for it, or kept open for many.
final class StoreFiles {
    let directory: StoreDirectory
    private(set) var keybag: Keybag
    let items: ItemFile
    /// Knows where the class keys are, and none of them.
    private let keys: ClassKeyReader
    /// Of those that the keybag has accepted.
    private var accepted: [(keyClass: KeyClass, epoch: UInt32, mark: [UInt8])] = []
    /// Nil where nothing is recognized, because it is used once.
    private let recognizer: Recognizer?

    /// Nil for a keybag that is not read from a file.
    private var keybagFile: FileIdentity?
    private let generation = ForkGeneration.current

    init(
        directory: consuming StoreDirectory, keybag: Keybag, keybagFile: FileIdentity?,
        isKeptOpen: Bool
    ) {
        self.directory = directory
        self.keybag = keybag
        self.keybagFile = keybagFile
        items = ItemFile(isKeptOpen: isKeptOpen)
        keys = ClassKeyReader(KernelKeyring(store: keybag.storeID))
        recognizer = isKeptOpen ? Recognizer() : nil
    }

    func beginOperation() { keys.beginOperation() }

    /// The key of a class, as it is in the kernel now, whoever put it there.
    ///
    /// - Returns: Nil when it is not there.
    /// - Throws: `KeyringError` when the kernel keyring cannot be used.
    func key(_ keyClass: KeyClass) throws(KeyringError) -> ClassKey? {
        try keys.classKey(keyClass)
    }

    /// Reads the keybag again, in the middle of an operation.
    ///
    /// - Returns: Whether it is another one by now.
    func renewKeybag() -> Bool {
        guard let read = try? Keybag.readIdentified(in: directory),
            read.keybag.storeID == keybag.storeID, read.keybag != keybag
        else { return false }
        (keybag, keybagFile) = (read.keybag, read.file)
        accepted = []
        return true
    }

    /// Whether a key is the keybag's own, which its check value has to say only once.
    func accepts(_ key: borrowing ClassKey) -> Bool {
        guard let recognizer else { return keybag.accepts(key) }
        let mark = recognizer.mark(of: key.seed)
        for known in accepted
        where known.keyClass == key.keyClass && known.epoch == key.epoch && known.mark == mark {
            return true
        }
        guard keybag.accepts(key) else { return false }
        accepted.append((key.keyClass, key.epoch, mark))
        return true
    }

    /// Whether another opening would find the same directory and the same keybag.
    ///
    /// Two system calls, the second by way of the descriptor: the keybag is not to be found there when
    /// its number is another file's by now.
    var areCurrent: Bool {
        guard generation == .current, directory.isInPlace else { return false }
        guard let keybagFile else { return directory.isOpen }
        return Keybag.isUnchanged(keybagFile, in: directory)
    }

    /// Whether the descriptors are this process's and still stand for these files, as far as that of
    /// the directory tells.
    var areOwn: Bool { generation == .current && directory.isOpen }
}

/// The files of a store that stay open between the operations of a keychain and its copies.
///
/// One operation at a time borrows them. Another one that runs meanwhile, on another thread, opens its
/// own.
final class KeptFiles: Sendable {
    /// No lock, which the child of a fork(2) would find taken for ever: it opens its own then.
    private let isLent = Atomic(false)
    /// For whoever has set `isLent`.
    private nonisolated(unsafe) var files: StoreFiles?

    deinit { unsafe Self.drop(files) }

    /// Lends the files, opened anew where others have taken their place.
    ///
    /// - Parameter open: Opens them.
    /// - Returns: Nil when they are lent to somebody else.
    /// - Throws: What `open` throws.
    func lend(
        _ open: () throws(VestryError) -> StoreFiles
    ) throws(VestryError) -> (files: StoreFiles, loan: FileLoan)? {
        guard isLent.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged
        else { return nil }
        let loan = FileLoan(of: self)
        if let files = unsafe files, files.areCurrent { return (files, loan) }
        unsafe Self.drop(files)
        unsafe files = nil
        let opened = try open()
        unsafe files = opened
        return (opened, loan)
    }

    fileprivate func giveBack() { isLent.store(false, ordering: .releasing) }

    /// Closes files, unless that could close or unlock what is not theirs: then their memory and their
    /// descriptors are lost.
    private static func drop(_ files: StoreFiles?) {
        guard let files, !files.areOwn else { return }
        _ = unsafe Unmanaged.passRetained(files)
    }
}

/// The time for which files are lent: until the last reference goes.
final class FileLoan {
    private let owner: KeptFiles

    fileprivate init(of owner: KeptFiles) { self.owner = owner }

    deinit { owner.giveBack() }
}
