internal import ItemStore
internal import KeyClasses
internal import LinuxSystem

// Copies of the whole keychain, in its folder `snapshots`.
extension Keychain {
    /// Returns the snapshots of the keychain.
    ///
    /// No key is needed: a snapshot is sealed as the keychain was.
    ///
    /// - Returns: The newest first.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/noSuchKeychain``,
    ///   ``VestryError/Code/denied`` or ``VestryError/Code/notAvailable``.
    public func snapshots() throws(VestryError) -> [Snapshot] {
        guard let folder = try snapshotFolder(creating: false) else { return [] }
        return try folder.snapshots()
    }

    /// Makes a snapshot; the oldest ones go where that makes too many.
    ///
    /// - Parameter reason: Why it is made.
    /// - Returns: The snapshot, which is on the disk.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/diskFull`` among others; then there is
    ///   no new one.
    @discardableResult
    public func makeSnapshot(
        _ reason: Snapshot.Reason = .manual
    ) throws(VestryError) -> Snapshot {
        let directory = try openDirectory()
        if !Self.exists(ItemStore.fileName, in: directory) {
            // Of a keychain without items too: a folder of snapshots without any would say that they are
            // lost.
            _ = try itemsForWriting(in: openStore(), creating: true) == nil
        }
        return try makeSnapshot(of: directory, reason)
    }

    /// Removes a snapshot, and overwrites its files first.
    ///
    /// - Parameter snapshot: One that ``snapshots()`` has returned.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/itemNotFound`` when it is not there
    ///   any more.
    public func delete(_ snapshot: Snapshot) throws(VestryError) {
        guard let folder = try snapshotFolder(creating: false),
            try folder.delete(snapshot.name)
        else { throw Self.noSuchSnapshot }
    }

    /// Puts the items of a snapshot into the place of the present ones, with what was kept of their past.
    ///
    /// A snapshot of the present state is made first, and nothing changes in between. It is one step for
    /// whoever reads or writes meanwhile. The keybag stays as it is: passwords are those of today.
    ///
    /// - Parameter snapshot: One that ``snapshots()`` has returned.
    /// - Returns: The snapshot of the state before.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/itemNotFound`` when the snapshot is not
    ///   there any more; ``VestryError/Code/notAvailable`` when class keys that it is sealed with were
    ///   dropped by a rotation; ``VestryError/Code/damaged`` when it is damaged or another keychain's;
    ///   and the codes of ``makeSnapshot(_:)``. Nothing is changed then.
    @discardableResult
    public func restore(_ snapshot: Snapshot) throws(VestryError) -> Snapshot {
        let copy = try directory(of: snapshot)
        let store = try openStore()
        guard let items = try itemsForWriting(in: store, creating: true),
            let folder = try SnapshotFolder.open(in: store.directory, creating: true)
        else { throw VestryError(.inputOutput, detail: "no item file") }
        // Nobody else can write meanwhile: this transaction is the writer already.
        let now = wholeSeconds(currentTime())
        let settings = try HistorySettings.read(of: account)
        let before = try folder.make(of: store.directory, .restore, now: now)
        let storeID = store.storeID.bytes
        do throws(ItemStoreError) {
            try items.replaceEverything(fromCopyIn: copy, storeID: storeID)
        } catch {
            throw VestryError(
                error.publicError.code,
                detail: "snapshot \(snapshot.name), \(error.publicError.detail)")
        }
        try Self.checkEpochs(of: items)
        do throws(ItemStoreError) {
            try items.commit()
        } catch {
            throw error.publicError
        }
        // Afterwards: the one that was restored could be among the oldest.
        try? folder.prune(to: settings, now: now)
        return before
    }

    /// Refuses rows that nobody will ever open again.
    private static func checkEpochs(of items: borrowing ItemStore) throws(VestryError) {
        let (sealings, least) = try mappingErrors { () throws(ItemStoreError) in
            (try items.sealings(), try items.leastEpochs())
        }
        for sealing in sealings where try sealing.isOfThePast(least) {
            throw VestryError(
                .notAvailable,
                detail: "the snapshot is sealed with class keys that a rotation has dropped")
        }
    }

    /// The folder of a snapshot, which holds `items.sqlite` and `keybag` as the keychain's own does.
    func directory(of snapshot: Snapshot) throws(VestryError) -> StoreDirectory {
        guard let folder = try snapshotFolder(creating: false),
            let directory = try folder.open(snapshot.name)
        else { throw Self.noSuchSnapshot }
        return directory
    }

    static var noSuchSnapshot: VestryError {
        VestryError(.itemNotFound, detail: "there is no snapshot of that name")
    }

    func makeSnapshot(
        of directory: borrowing StoreDirectory, _ reason: Snapshot.Reason
    ) throws(VestryError) -> Snapshot {
        guard let folder = try SnapshotFolder.open(in: directory, creating: true) else {
            throw VestryError(.inputOutput, detail: "no folder for snapshots")
        }
        let settings = try HistorySettings.read(of: account)
        let now = wholeSeconds(currentTime())
        let snapshot = try folder.make(of: directory, reason, now: now)
        try? folder.prune(to: settings, now: now)
        return snapshot
    }

    /// Makes the day's snapshot where this is the first change of a day.
    ///
    /// It holds the state in which the day before has left the keychain. Nothing that goes wrong with it
    /// keeps a change from being made.
    func makeDailySnapshot(of directory: borrowing StoreDirectory) {
        let day: Int64 = 86_400
        let now = wholeSeconds(currentTime())
        // Of a file that was changed today, this says no already.
        guard let change = directory.descriptor.change(of: ItemStore.fileName),
            change.seconds / day != now / day,
            change.byteCount <= HistorySettings.dailySnapshotByteLimit,
            let settings = try? HistorySettings.read(of: account), settings.snapshotCount > 0
        else { return }
        do throws(VestryError) {
            guard let folder = try SnapshotFolder.open(in: directory, creating: true) else {
                return
            }
            // One that a write made which then failed is as good; one of a time that is still to come
            // says nothing.
            let newest = try folder.snapshots().first { $0.date <= now }
            guard newest.map({ $0.date <= change.seconds }) ?? true else { return }
            _ = try folder.make(of: directory, .daily, now: now)
            try folder.prune(to: settings, now: now)
        } catch {
            // The next first change of a day tries again.
        }
    }

    private func snapshotFolder(creating: Bool) throws(VestryError) -> SnapshotFolder? {
        let directory = try openDirectory()
        return try SnapshotFolder.open(in: directory, creating: creating)
    }
}
