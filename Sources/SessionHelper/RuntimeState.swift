internal import CUnlockProtocol
internal import Glibc
internal import LinuxSystem
internal import Sealing

/// Root's files under `/run/vestry`, opened before privileges are dropped and used after.
///
/// Users cannot take these locks: only root can open the files. But a helper that has become its user
/// can be stopped by that user with its locks held, until its asker or systemd kills it; and a keybag
/// may ask for a long derivation. So one user's helpers never hold every turn.
struct RuntimeState: ~Copyable {
    private let userLock: FileDescriptor
    private let event: FileDescriptor
    private let derivations: FileDescriptor
    /// How the passwords that were typed for a read have fared.
    let attempts: Attempts
    private let derivationRange: Range<Int>

    /// In the user's lock file, the byte of the lock on keys and keybag; the turns follow.
    private static let keysByte = 0

    /// In the user's lock file, a byte for each turn that this user may have at once.
    private var ownRange: Range<Int> {
        let start = Self.keysByte + 1 + derivationRange.lowerBound
        return start..<start + max(1, derivationRange.count / 2)
    }

    /// Opens the state for one user, and makes what is missing.
    ///
    /// - Parameters:
    ///   - user: Whose lock and event file.
    ///   - isLogin: Logins and requests over the socket take their turns apart, so that nobody can
    ///     keep a login waiting by asking the socket.
    /// - Returns: The opened files.
    /// - Throws: `SystemCallError`.
    static func open(for user: uid_t, isLogin: Bool) throws(SystemCallError) -> RuntimeState {
        let lockDirectory = try makeLockDirectory()
        try makeDirectory(VESTRY_UNLOCK_EVENTS_DIRECTORY, mode: 0o755)
        let count = derivationCount
        return RuntimeState(
            userLock: try openFile("\(lockDirectory)/\(user)"),
            event: try openFile("\(VESTRY_UNLOCK_EVENTS_DIRECTORY)/\(user)"),
            derivations: try openFile("\(lockDirectory)/derivations"),
            attempts: Attempts(file: try openFile("\(lockDirectory)/\(user).attempts", O_RDWR)),
            derivationRange: isLogin ? 0..<count : count..<count + max(1, count / 2))
    }

    private init(
        userLock: consuming FileDescriptor, event: consuming FileDescriptor,
        derivations: consuming FileDescriptor, attempts: consuming Attempts,
        derivationRange: Range<Int>
    ) {
        self.userLock = userLock
        self.event = event
        self.derivations = derivations
        self.attempts = attempts
        self.derivationRange = derivationRange
    }

    /// How many derivations of 64 MiB may run at once for logins: an eighth of the memory, and no
    /// more than two for each processor, since more would only make all of them late.
    private static var derivationCount: Int {
        let byMemory = ThisProcess.physicalMemory / 8 / unitByteCount
        return max(1, min(byMemory, ThisProcess.processorCount * 2))
    }

    private static let unitByteCount = 64 << 20

    /// Runs `body` while nobody else changes this user's keys or keybag.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: `VESTRY_BUSY` when the lock is not to be had before the deadline, or what `body`
    ///   throws.
    func withUserLock<Value: ~Copyable>(
        before deadline: Deadline, _ body: () throws(Refusal) -> Value
    ) throws(Refusal) -> Value {
        let lock = try deadline.retry { () throws(Refusal) -> Bool? in
            try refusing { () throws(SystemCallError) in
                try userLock.tryLock(from: Self.keysByte, count: 1)
            } ? true : nil
        }
        guard lock != nil else { throw Refusal(VESTRY_BUSY) }
        defer { userLock.unlock(from: Self.keysByte, count: 1) }
        return try body()
    }

    /// Runs `body`, which derives a key, when it is this process's turn.
    ///
    /// A derivation of more than 64 MiB is the only one of its user's, and leaves the first of all
    /// turns alone where there are several.
    ///
    /// - Parameters:
    ///   - memoryKiB: What the derivation needs: as many turns as it has units of 64 MiB.
    ///   - deadline: Until when to wait.
    ///   - body: What to run.
    /// - Returns: What `body` returns.
    /// - Throws: `VESTRY_BUSY` when no turn comes before the deadline, `VESTRY_NO_MEMORY` when the
    ///   machine is too small for this derivation, or what `body` throws.
    func withDerivationTurn<Value: ~Copyable>(
        memoryKiB: UInt32, before deadline: Deadline, _ body: () throws(Refusal) -> Value
    ) throws(Refusal) -> Value {
        let needed = Int(memoryKiB) * 1024
        guard needed <= ThisProcess.physicalMemory / 2 else { throw Refusal(VESTRY_NO_MEMORY) }
        let units = (needed + Self.unitByteCount - 1) / Self.unitByteCount
        let turn = try deadline.retry { () throws(Refusal) -> Bool? in
            try refusing { () throws(SystemCallError) in try takeTurn(units: units) } ? true : nil
        }
        guard turn != nil else { throw Refusal(VESTRY_BUSY) }
        defer {
            derivations.unlock()
            userLock.unlock(from: ownRange.lowerBound, count: ownRange.count)
        }
        return try body()
    }

    private func takeTurn(units: Int) throws(SystemCallError) -> Bool {
        let isOrdinary = units <= 1
        let own = isOrdinary ? 1 : ownRange.count
        guard try userLock.tryLock(count: own, anywhereIn: ownRange) else { return false }
        let places = isOrdinary ? derivationRange : derivationRange.dropFirst(1)
        let range = places.isEmpty ? derivationRange : places
        let count = min(max(1, units), range.count)
        if try derivations.tryLock(count: count, anywhereIn: range) { return true }
        userLock.unlock(from: ownRange.lowerBound, count: ownRange.count)
        return false
    }

    /// Wakes those who wait for this user's unlock (inotify on the folder).
    func announceUnlock() {
        try? event.write([0x0A])
    }

    static func makeLockDirectory() throws(SystemCallError) -> String {
        let path = VESTRY_RUNTIME_DIRECTORY + "/lock"
        try makeDirectory(VESTRY_RUNTIME_DIRECTORY, mode: 0o755)
        try makeDirectory(path, mode: 0o700)
        return path
    }

    private static func makeDirectory(_ path: String, mode: mode_t) throws(SystemCallError) {
        guard unsafe mkdir(path, mode) == 0 || errno == EEXIST else {
            throw SystemCallError("mkdir", errno: errno)
        }
    }

    static func openFile(
        _ path: String, _ access: CInt = O_WRONLY
    ) throws(SystemCallError) -> FileDescriptor {
        try FileDescriptor(
            opening: path, in: AT_FDCWD, flags: access | O_CREAT | O_NOFOLLOW, mode: 0o600)
    }
}
