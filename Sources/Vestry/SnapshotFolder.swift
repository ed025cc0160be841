internal import Glibc
internal import ItemStore
internal import Keybag
internal import LinuxSystem

/// The snapshots of a store: a folder for each in `snapshots`, with copies of the item file and of the
/// keybag.
///
/// A snapshot is made under a name that begins with a dot, and gets its own when its files are on the
/// disk; it loses that before its files go. So one that has its name is whole.
struct SnapshotFolder: ~Copyable {
    static let name = "snapshots"
    /// What a crash has left is removed when it is older than this, in seconds.
    private static let leftoverAge: Int64 = 3600

    private let folder: StoreDirectory

    /// Opens the folder.
    ///
    /// - Parameters:
    ///   - store: The checked store directory.
    ///   - creating: Whether a missing folder is made.
    /// - Returns: Nil when there is none.
    /// - Throws: `VestryError`.
    static func open(
        in store: borrowing StoreDirectory, creating: Bool = false
    ) throws(VestryError) -> SnapshotFolder? {
        do throws(PrivateFileError) {
            if let folder = try store.folder(name) { return SnapshotFolder(folder) }
            guard creating else { return nil }
            do throws(SystemCallError) {
                _ = try store.descriptor.makeDirectory(name)
            } catch {
                throw PrivateFileError.system(error)
            }
            guard let folder = try store.folder(name) else { return nil }
            return SnapshotFolder(folder)
        } catch {
            throw error.publicError(of: name)
        }
    }

    private init(_ folder: consuming StoreDirectory) { self.folder = folder }

    /// The snapshots, the newest first.
    func snapshots() throws(VestryError) -> [Snapshot] {
        let names = try mappingErrors { () throws(SystemCallError) in
            try folder.descriptor.entryNames()
        }
        var snapshots: [Snapshot] = []
        for name in names where Snapshot(name: name) != nil {
            var byteCount: Int64 = 0
            for file in [ItemStore.fileName, Keybag.fileName] {
                byteCount += folder.descriptor.change(of: name + "/" + file)?.byteCount ?? 0
            }
            if let snapshot = Snapshot(name: name, byteCount: byteCount) {
                snapshots.append(snapshot)
            }
        }
        return snapshots.sorted { ($0.date, $0.number, $0.name) > ($1.date, $1.number, $1.name) }
    }

    /// Whether the keychain has had an item file: the folder is made with that, and only a keychain
    /// without items has snapshots without.
    func isOfItems() throws(VestryError) -> Bool {
        let all = try snapshots()
        return all.isEmpty
            || all.contains {
                folder.descriptor.change(of: $0.name + "/" + ItemStore.fileName) != nil
            }
    }

    /// Makes a snapshot.
    ///
    /// - Parameters:
    ///   - store: The checked store directory.
    ///   - reason: Why.
    ///   - now: In seconds since 1970.
    /// - Returns: The snapshot, which is on the disk.
    /// - Throws: `VestryError`; then nothing is left behind.
    func make(
        of store: borrowing StoreDirectory, _ reason: Snapshot.Reason, now: Int64
    ) throws(VestryError) -> Snapshot {
        let temporaryName = ".new-" + String(UInt64.random(in: .min ... .max), radix: 36)
        do throws(VestryError) {
            let isNew = try mappingErrors { () throws(SystemCallError) in
                try folder.descriptor.makeDirectory(temporaryName)
            }
            guard isNew, let copy = try open(temporaryName) else {
                throw VestryError(.inputOutput, detail: "no folder for a snapshot")
            }
            _ = try mappingErrors { () throws(ItemStoreError) in
                try ItemStore.copyFile(from: store, to: copy)
            }
            try Self.copyKeybag(from: store, to: copy)
            try mappingErrors { () throws(SystemCallError) in try copy.descriptor.synchronize() }
            return try place(temporaryName, reason, now)
        } catch {
            try? erase(temporaryName)
            throw error
        }
    }

    private func place(
        _ temporaryName: String, _ reason: Snapshot.Reason, _ now: Int64
    ) throws(VestryError) -> Snapshot {
        let present = try snapshots().filter { $0.date == now }.map(\.number).max() ?? 0
        for number in present + 1...present + 100 {
            let name = Snapshot.name(at: now, reason, number: number)
            let isPlaced = try mappingErrors { () throws(SystemCallError) in
                try folder.descriptor.moveDirectory(temporaryName, to: name)
            }
            guard isPlaced else { continue }
            if let made = try snapshots().first(where: { $0.name == name }) { return made }
        }
        throw VestryError(.inputOutput, detail: "no name for a snapshot")
    }

    /// The keybag as it is, byte for byte, whatever it says; that of a keychain for tests is no file.
    private static func copyKeybag(
        from store: borrowing StoreDirectory, to copy: borrowing StoreDirectory
    ) throws(VestryError) {
        do throws(PrivateFileError) {
            guard
                let keybag = try store.descriptor.readPrivate(
                    Keybag.fileName, ownedBy: store.owner, limit: Keybag.maximumByteCount)
            else { return }
            do throws(SystemCallError) {
                _ = try copy.descriptor.createFile(Keybag.fileName, with: keybag.bytes)
            } catch {
                throw PrivateFileError.system(error)
            }
        } catch {
            throw error.publicError(of: Keybag.fileName)
        }
    }

    /// Opens a snapshot, as a folder that holds a keychain.
    ///
    /// - Parameter name: The snapshot's.
    /// - Returns: Nil when there is none of that name.
    /// - Throws: `VestryError`.
    func open(_ name: String) throws(VestryError) -> StoreDirectory? {
        do throws(PrivateFileError) {
            return try folder.folder(name)
        } catch {
            throw error.publicError(of: "\(Self.name)/\(name)")
        }
    }

    /// Removes a snapshot.
    ///
    /// - Returns: False when there is none of that name.
    /// - Throws: `VestryError`.
    func delete(_ name: String) throws(VestryError) -> Bool {
        guard Snapshot(name: name) != nil else { return false }
        let doomedName = ".old-" + String(UInt64.random(in: .min ... .max), radix: 36)
        do throws(SystemCallError) {
            _ = try folder.descriptor.moveDirectory(name, to: doomedName)
        } catch {
            if error.errno == ENOENT { return false }
            throw error.publicError
        }
        try erase(doomedName)
        return true
    }

    private func erase(_ name: String) throws(VestryError) {
        guard let doomed = try open(name) else { return }
        try mappingErrors { () throws(SystemCallError) in
            for file in try doomed.descriptor.entryNames() { try doomed.descriptor.eraseFile(file) }
            try folder.descriptor.removeDirectory(name)
        }
    }

    /// Removes the oldest beyond the limits, but never the newest; and what a crash has left.
    ///
    /// Those of a time that is still to come, since the clock was wrong then or is now, count as the
    /// oldest: one that was just made stays.
    func prune(to settings: HistorySettings, now: Int64) throws(VestryError) {
        var (count, bytes): (Int, Int64) = (0, 0)
        let all = try snapshots()
        for snapshot in all.filter({ $0.date <= now }) + all.filter({ $0.date > now }) {
            count += 1
            bytes += snapshot.byteCount
            guard count > 1 else { continue }
            if count > settings.snapshotCount || bytes > HistorySettings.snapshotByteLimit {
                _ = try delete(snapshot.name)
            }
        }
        let names = try mappingErrors { () throws(SystemCallError) in
            try folder.descriptor.entryNames()
        }
        for name in names where name.hasPrefix(".new-") || name.hasPrefix(".old-") {
            let change = folder.descriptor.change(of: name)
            // Somebody may be at work in a younger one.
            if let change, change.seconds < now - Self.leftoverAge { try erase(name) }
        }
    }
}
