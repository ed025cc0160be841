internal import CUnlockProtocol
internal import Glibc
internal import LinuxSystem

/// The file that says which session a login has opened, for `vestry status`.
///
/// Made as root, and written to when it is known that the session counts. No login fails or waits
/// because of it.
struct SessionRecordFile: ~Copyable {
    /// How many of one user are kept; sessions beyond are not shown.
    static let countLimit = 256

    private let file: FileDescriptor

    /// Makes an empty file for the session that this process's parent opens, and removes those of the
    /// user's sessions whose host has ended.
    ///
    /// Of other processes, only the start is read, which the kernel writes.
    ///
    /// - Parameter user: Whose session.
    /// - Returns: The file, or nil where there can be none.
    static func make(for user: uid_t) -> SessionRecordFile? {
        _ = unsafe mkdir(VESTRY_SESSIONS_DIRECTORY, 0o755)
        guard let directory = openDirectory(), let record = record(of: user),
            let names = try? directory.entryNames()
        else { return nil }
        var count = 0
        for name in names {
            guard let other = SessionRecord(name: name), other.user == user, other != record
            else { continue }
            if other.host.isRunning {
                count += 1
            } else {
                _ = unsafe unlinkat(directory.rawValue, name, 0)
            }
        }
        guard count < countLimit else { return nil }
        let file = try? FileDescriptor(
            opening: record.name, in: directory.rawValue, flags: O_WRONLY | O_CREAT | O_NOFOLLOW,
            mode: 0o644)
        guard let file else { return nil }
        return SessionRecordFile(file: file)
    }

    /// Removes the file of the session that this process's parent has opened.
    static func remove(for user: uid_t) {
        guard let directory = openDirectory(), let record = record(of: user) else { return }
        _ = unsafe unlinkat(directory.rawValue, record.name, 0)
    }

    /// Makes the file a record.
    func write(hasPassword: Bool) {
        // A host may open a session more than once: the last one counts.
        guard ftruncate(file.rawValue, 0) == 0 else { return }
        try? file.write(SessionRecord.contents(hasPassword: hasPassword))
    }

    private static func openDirectory() -> FileDescriptor? {
        try? FileDescriptor(
            opening: VESTRY_SESSIONS_DIRECTORY, in: AT_FDCWD,
            flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }

    /// Nil when the host has ended: its children go to process 1, which opens no session.
    private static func record(of user: uid_t) -> SessionRecord? {
        let parent = getppid()
        guard parent > 1, let host = ProcessIdentity(running: parent) else { return nil }
        return SessionRecord(user: user, host: host)
    }
}
