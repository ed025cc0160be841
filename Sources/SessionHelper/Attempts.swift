internal import CUnlockProtocol
internal import Glibc
internal import LinuxSystem

/// The passwords that were typed for one read (verb authorize), and how long a wrong one takes.
///
/// A helper runs as its user, who can kill it as soon as its answer is not a quick one. So an attempt
/// counts as wrong from before its derivation until it has proved right, and the next one waits until
/// the time that is written here. Attempts of one user come one after the other. Logins and unlocks
/// never look here.
///
/// The file is root's, below `/run/vestry`, and gone at the next boot:
///
///     offset  size  field, in the machine's byte order
///     0       8     wrong attempts since the last right one
///     8       8     when the next attempt may begin, in milliseconds of CLOCK_BOOTTIME
struct Attempts: ~Copyable {
    /// The wait after the first wrong attempt; it doubles with each further one.
    static let firstWaitMilliseconds: Int64 = 1000
    /// Far below what an asker waits for an answer.
    static let longestWaitMilliseconds: Int64 = 8000
    /// After this long without an attempt, the wrong ones before it are forgotten.
    static let memoryMilliseconds: Int64 = 600_000

    private let file: FileDescriptor

    init(file: consuming FileDescriptor) {
        self.file = file
    }

    /// Runs `body`, which tries a password, when this user's earlier attempts let it begin.
    ///
    /// - Parameters:
    ///   - deadline: Until when to wait for the turn.
    ///   - body: Throws `VESTRY_WRONG_PASSWORD` for a wrong password.
    /// - Returns: What `body` returns, at once.
    /// - Throws: `VESTRY_BUSY` when the turn does not come before the deadline; what `body` throws,
    ///   a wrong password not before its wait is over.
    func pace<Value: ~Copyable>(
        before deadline: Deadline, _ body: () throws(Refusal) -> Value
    ) throws(Refusal) -> Value {
        let turn = try deadline.retry { () throws(Refusal) -> Bool? in
            try refusing { () throws(SystemCallError) in
                try file.tryLock(from: 0, count: 1)
            } ? true : nil
        }
        guard turn != nil else { throw Refusal(VESTRY_BUSY) }
        defer { file.unlock(from: 0, count: 1) }

        var record = read()
        let begin = Self.now()
        guard
            deadline.retry({ () -> Bool? in
                Self.wait(until: record.next, from: begin) ? nil : true
            }) != nil
        else { throw Refusal(VESTRY_BUSY) }
        if Self.now() - record.next > Self.memoryMilliseconds { record.count = 0 }
        let previous = record
        record.count = min(record.count, 62) + 1
        record.next = Self.now() + Self.waitMilliseconds(after: record.count)
        try write(record)
        do throws(Refusal) {
            let value = try body()
            try write(Record())
            return value
        } catch {
            guard error.result == VESTRY_WRONG_PASSWORD else {
                // Nothing was learnt of the password.
                try? write(previous)
                throw error
            }
            let rest = record.next - Self.now()
            if rest > 0 {
                usleep(UInt32(min(rest, Self.longestWaitMilliseconds)) * 1000)
            }
            throw error
        }
    }

    /// How long the attempt with this number, from 1, takes when it is wrong.
    static func waitMilliseconds(after count: Int64) -> Int64 {
        let doublings = min(max(0, count - 1), 16)
        return min(longestWaitMilliseconds, firstWaitMilliseconds << doublings)
    }

    /// Whether there is still to wait; never longer than the longest wait, whatever the file says.
    private static func wait(until next: Int64, from begin: Int64) -> Bool {
        let now = now()
        return now < next && now - begin < longestWaitMilliseconds
    }

    private struct Record {
        var count: Int64 = 0
        var next: Int64 = 0
    }

    private func read() -> Record {
        var record = Record()
        let size = MemoryLayout<Record>.size
        let count = unsafe pread(file.rawValue, &record, size, 0)
        let isSound = count == size && record.count >= 0 && record.next >= 0
        return isSound ? record : Record()
    }

    private func write(_ record: Record) throws(Refusal) {
        var record = record
        let size = MemoryLayout<Record>.size
        guard unsafe pwrite(file.rawValue, &record, size, 0) == size else {
            throw Refusal(VESTRY_WRITE_FAILED)
        }
    }

    /// Counts on while the machine sleeps; nobody can set it.
    private static func now() -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
