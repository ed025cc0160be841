public import Glibc

/// A user's record in the account database, by whatever NSS source.
public struct Account: Equatable, Sendable {
    /// The name as the record has it, which can differ in case from the name that was typed.
    public let name: String
    public let user: uid_t
    public let group: gid_t
    public let homeDirectory: String

    public init(name: String, user: uid_t, group: gid_t, homeDirectory: String) {
        self.name = name
        self.user = user
        self.group = group
        self.homeDirectory = homeDirectory
    }

    /// Looks an account up by its name; a name of digits is a name.
    ///
    /// - Returns: The account, or nil when there is none.
    /// - Throws: `SystemCallError` when the database could not be asked.
    public static func named(_ name: String) throws(SystemCallError) -> Account? {
        try unsafe lookUp { (record, buffer, count, result) in
            unsafe getpwnam_r(name, record, buffer, count, result)
        }
    }

    /// Looks an account up by its numeric ID.
    ///
    /// - Returns: The account, or nil when there is none.
    /// - Throws: `SystemCallError` when the database could not be asked.
    public static func with(user: uid_t) throws(SystemCallError) -> Account? {
        try unsafe lookUp { (record, buffer, count, result) in
            unsafe getpwuid_r(user, record, buffer, count, result)
        }
    }

    /// The users of the accounts that the database lists: a directory service may list none of its own.
    ///
    /// For programs with one thread.
    ///
    /// - Parameter users: The lowest and the highest ID to list.
    /// - Returns: Their IDs.
    public static func listed(_ users: ClosedRange<uid_t>) -> Set<uid_t> {
        var found: Set<uid_t> = []
        setpwent()
        defer { endpwent() }
        while let record = unsafe getpwent() {
            let user = unsafe record.pointee.pw_uid
            if users.contains(user) { found.insert(user) }
        }
        return found
    }

    /// The groups of this user, the primary one included, as login gives them (getgrouplist(3)).
    public func groups() throws(SystemCallError) -> [gid_t] {
        // The kernel takes at most 65,536 (NGROUPS_MAX).
        var capacity: CInt = 64
        while capacity <= 65_536 {
            var groups = [gid_t](repeating: 0, count: Int(capacity))
            var count = capacity
            if unsafe getgrouplist(name, group, &groups, &count) >= 0 {
                return Array(groups.prefix(Int(count)))
            }
            capacity = max(count, capacity * 2)
        }
        throw SystemCallError("getgrouplist", errno: E2BIG)
    }

    private typealias Lookup = (
        UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
        UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> CInt

    private static func lookUp(_ call: Lookup) throws(SystemCallError) -> Account? {
        var capacity = 1024
        while true {
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
            defer { unsafe buffer.deallocate() }
            var record = unsafe passwd()
            var result: UnsafeMutablePointer<passwd>?
            let status = unsafe call(&record, buffer, capacity, &result)
            if status == ERANGE && capacity < 1 << 20 {
                capacity *= 2
                continue
            }
            if status == EINTR { continue }
            // What getpwnam(3) lists for "no such name", depending on the NSS source.
            let absent = [0, ENOENT, ESRCH, EBADF, EPERM]
            guard unsafe result != nil else {
                if absent.contains(status) { return nil }
                throw SystemCallError("getpwnam_r", errno: status)
            }
            return unsafe Account(
                name: String(cString: record.pw_name), user: record.pw_uid, group: record.pw_gid,
                homeDirectory: String(cString: record.pw_dir))
        }
    }
}
