internal import Glibc
internal import LinuxSystem
internal import SecureMemory

/// Root's folder with this machine's device keys.
///
///     device.key          the present one, which wraps
///     device.key.old-ID   those before it, which open until nothing needs them
///     users               the notes of who needs which (`DeviceKeyNote`)
///
/// Each change of a key is the rename of one file, so that whoever is killed at any point leaves the
/// file before or the one after.
///
/// The lock of the folder itself is for the commands that change something. A helper shares the lock of
/// the folder of notes from before it reads a key until its end, and what forgets a key takes all of
/// it: nobody can still be wrapping with a key that goes.
struct DeviceKeyFolder: ~Copyable {
    static let path = "/var/lib/vestry"
    static let keyName = "device.key"
    static let keyPath = "\(path)/\(keyName)"

    let descriptor: FileDescriptor

    static func open() throws(DeviceKeyFault) -> DeviceKeyFolder {
        do throws(SystemCallError) {
            return DeviceKeyFolder(descriptor: try FileDescriptor.openDirectory(path: path))
        } catch {
            throw error.errno == ENOENT ? .missing : .unreadable(error)
        }
    }

    static func olderName(_ id: String) -> String { DeviceKeyNote.olderKeyPrefix + id }

    /// Reads a key as it stands in its file.
    ///
    /// - Returns: The file, and when it was changed last, in seconds since 1970.
    /// - Throws: `DeviceKeyFault`.
    func read(_ name: String = keyName) throws(DeviceKeyFault) -> StoredDeviceKey {
        let bytes: SecretBytes
        let status: stat
        do throws(PrivateFileError) {
            let file = try descriptor.openPrivate(name, ownedBy: 0)
            status = try Self.mapping { () throws(SystemCallError) in try file.status() }
            bytes = SecretBytes(
                capacity: DeviceKeyFile.byteLimit + 1,
                filledBy: { bytes in
                    unsafe bytes.withUnsafeMutableBytes {
                        unsafe Glibc.read(file.rawValue, $0.baseAddress, $0.count)
                    }
                })
        } catch {
            throw DeviceKeyFault(error)
        }
        let count = bytes.count
        guard let file = DeviceKeyFile(parsing: bytes) else {
            throw .damaged("it has the length \(count), and is no sealed one")
        }
        return StoredDeviceKey(
            file: file, modified: Int64(status.st_mtim.tv_sec), mode: status.st_mode & 0o7777)
    }

    /// Reads a key and opens it where it is sealed.
    ///
    /// - Returns: The key.
    /// - Throws: `DeviceKeyFault`.
    func load(
        _ name: String = keyName, before deadline: Deadline
    ) throws(DeviceKeyFault) -> DeviceKey {
        let stored = try read(name)
        let modified = stored.modified
        switch consume stored.file {
        case .plain(let key):
            guard let key = DeviceKey(key, madeAt: modified, sealing: nil) else {
                throw .damaged("its size")
            }
            return key
        case .sealed(let sealed):
            let secret = try SystemdCredential.open(sealed.credential, before: deadline)
            guard
                let key = DeviceKey(secret, madeAt: sealed.madeAt, sealing: sealed.sealing),
                key.id == sealed.id
            else { throw .damaged("what was sealed is another key") }
            return key
        }
    }

    /// The ids of the older keys.
    func olderIDs() throws(SystemCallError) -> [String] {
        try DeviceKeyNote.olderKeyIDs(in: descriptor)
    }

    /// The folder of the notes, made where it is missing.
    func notes() throws(SystemCallError) -> FileDescriptor {
        do throws(SystemCallError) {
            return try openNotes()
        } catch {
            guard error.errno == ENOENT else { throw error }
            _ = try descriptor.makeDirectory(DeviceKeyNote.folder)
            return try openNotes()
        }
    }

    private func openNotes() throws(SystemCallError) -> FileDescriptor {
        try FileDescriptor(
            opening: DeviceKeyNote.folder, in: descriptor.rawValue,
            flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }

    /// Forgets the older keys of which `isNeeded` says that nobody needs them.
    ///
    /// - Parameter isNeeded: Gets an id, and what is noted of all users.
    /// - Returns: Whether it could: false while a helper is at work.
    /// - Throws: `SystemCallError`.
    func forgetOlderKeys(
        unless isNeeded: (String, [uid_t: DeviceKeyNote]) -> Bool
    ) throws(SystemCallError) -> Bool {
        let ids = try olderIDs()
        guard !ids.isEmpty else { return true }
        let folder = try self.notes()
        guard folder.tryDirectoryLock() else { return false }
        defer { folder.unlockDirectory() }
        let notes = try DeviceKeyNote.all(in: descriptor)
        for id in ids where !isNeeded(id, notes) {
            try descriptor.eraseFile(Self.olderName(id))
        }
        try descriptor.synchronize()
        return true
    }

    private static func mapping<Value>(
        _ body: () throws(SystemCallError) -> Value
    ) throws(PrivateFileError) -> Value {
        do { return try body() } catch { throw .system(error) }
    }
}

/// A key's file with its time.
struct StoredDeviceKey: ~Copyable {
    let file: DeviceKeyFile
    let modified: Int64
    /// The low 12 bits.
    let mode: mode_t
}
