internal import CUnlockProtocol
internal import Glibc
internal import LinuxSystem

/// An open login session of the user that counts: while there is one, the keys of the WhenUnlocked
/// classes have a place.
public struct LoginSession: Equatable, Sendable {
    /// When it was opened, in seconds since 1970.
    public let since: Int64
    /// The program that opened it, such as sshd, login or su, as the kernel names it: at most 15
    /// bytes.
    public let program: String
    /// The name that logind has for it (`loginctl`); nil without logind.
    ///
    /// A session that su opens inside of another one has that one's name, or none where that one is
    /// another user's.
    public let identifier: String?
    /// Whether a password came with it: false for a public key, a fingerprint or an autologin.
    ///
    /// That it opens the keychain is another question; see ``KeychainStatus/mismatchSince``.
    public let gavePassword: Bool

    /// The open sessions of a user, the oldest first.
    ///
    /// - Parameters:
    ///   - user: The numeric user ID.
    ///   - path: The folder with the session helper's records.
    /// - Returns: Those whose record can be read and whose host runs; none where there are no records.
    static func all(of user: uid_t, in path: String = VESTRY_SESSIONS_DIRECTORY) -> [LoginSession] {
        guard let directory = try? FileDescriptor.openDirectory(path: path),
            let names = try? directory.entryNames()
        else { return [] }
        var sessions: [(session: LoginSession, host: ProcessIdentity)] = []
        for name in names {
            guard let record = SessionRecord(name: name), record.user == user,
                let session = LoginSession(record, in: directory)
            else { continue }
            sessions.append((session, record.host))
        }
        // Of those of one second, the host that started first.
        return sessions.sorted {
            ($0.session.since, $0.host.startTicks, $0.host.number)
                < ($1.session.since, $1.host.startTicks, $1.host.number)
        }.map(\.session)
    }

    private init?(_ record: SessionRecord, in directory: borrowing FileDescriptor) {
        do throws(SystemCallError) {
            let file = try FileDescriptor(
                opening: record.name, in: directory.rawValue,
                flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            guard let bytes = try file.readAll(limit: SessionRecord.byteLimit),
                let hasPassword = SessionRecord.hasPassword(in: bytes),
                let program = record.host.programName
            else { return nil }
            since = Int64(try file.status().st_mtim.tv_sec)
            self.program = program
            identifier = record.host.loginSession(of: record.user)
            gavePassword = hasPassword
        } catch {
            return nil
        }
    }
}
