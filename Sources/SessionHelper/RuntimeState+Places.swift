internal import CUnlockProtocol
internal import Glibc
internal import LinuxSystem

extension RuntimeState {
    /// How many requests of one user over the socket are served at once.
    ///
    /// The socket takes 64 in all, and systemd tells users apart from release 256 on
    /// (MaxConnectionsPerSource in the unit).
    private static let placeCount = 16

    /// Runs `body` in one of the places that a user has.
    ///
    /// The place is taken before the request is read, since somebody who connects and says nothing has a
    /// process here, too. Those who find no place go at once, and so leave the socket to others. All
    /// users' places are bytes of one file: nobody makes files here by asking under many user IDs.
    ///
    /// - Parameters:
    ///   - user: Who asks; root, who starts its helpers itself, needs no place.
    ///   - body: What to run.
    /// - Returns: What `body` returns.
    /// - Throws: `VESTRY_BUSY` where all places are taken, or what `body` throws.
    static func withPlace<Value: ~Copyable>(
        of user: uid_t, _ body: () throws(Refusal) -> Value
    ) throws(Refusal) -> Value {
        guard user != 0 else { return try body() }
        let places = try refusing { () throws(SystemCallError) in
            try openFile(makeLockDirectory() + "/places")
        }
        let start = Int(user) * placeCount
        let hasPlace = try refusing { () throws(SystemCallError) in
            try places.tryLock(count: 1, anywhereIn: start..<start + placeCount)
        }
        guard hasPlace else { throw Refusal(VESTRY_BUSY) }
        defer { places.unlock(from: start, count: placeCount) }
        return try body()
    }
}
