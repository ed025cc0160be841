package import Glibc
internal import LinuxSystem

/// How many keys and bytes the calling user holds in the kernel, and how many it may.
package struct KeyQuota: Equatable {
    package let keys: Int
    package let keyLimit: Int
    package let bytes: Int
    package let byteLimit: Int

    /// How much of the scarcer of both is used, in percent.
    package var usedPercent: Int {
        max(keys * 100 / max(1, keyLimit), bytes * 100 / max(1, byteLimit))
    }

    /// Asks the kernel, which tells everybody about everybody in the same user namespace.
    ///
    /// - Parameter user: Whose.
    /// - Returns: Nil where the user has no keys, or the kernel does not say.
    package static func current(of user: uid_t = geteuid()) -> KeyQuota? {
        guard let table else { return nil }
        return KeyQuota(of: user, in: table)
    }

    /// The quotas of all users who have keys.
    package static func all() -> [(user: uid_t, quota: KeyQuota)] {
        guard let table else { return [] }
        return table.split(separator: "\n").compactMap { line in
            let name = line.drop(while: \.isWhitespace).prefix { $0 != ":" }
            guard let user = uid_t(name), let quota = KeyQuota(of: user, in: table) else {
                return nil
            }
            return (user, quota)
        }
    }

    private static var table: String? {
        guard
            let file = try? FileDescriptor(
                opening: "/proc/key-users", in: AT_FDCWD, flags: O_RDONLY),
            let contents = try? file.readAll(limit: 1 << 20)
        else { return nil }
        return String(decoding: contents, as: UTF8.self)
    }

    /// Reads a user's line of `/proc/key-users`, as proc(5) describes it.
    ///
    ///     UID: usage nkeys/nikeys qnkeys/maxkeys qnbytes/maxbytes
    init?(of user: uid_t, in text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard fields.count == 5, fields[0] == "\(user):" else { continue }
            let numbers = fields[3...].flatMap { $0.split(separator: "/") }.compactMap { Int($0) }
            guard numbers.count == 4 else { return nil }
            (keys, keyLimit) = (numbers[0], numbers[1])
            (bytes, byteLimit) = (numbers[2], numbers[3])
            return
        }
        return nil
    }
}

extension VestryError {
    /// The quota error, with what is used and which settings hold the limits.
    static func quotaExceeded() -> VestryError {
        let settings = "kernel.keys.maxkeys and maxbytes are the limits"
        guard let quota = KeyQuota.current() else {
            return VestryError(.quotaExceeded, detail: settings)
        }
        return VestryError(
            .quotaExceeded,
            detail: "\(quota.keys) of \(quota.keyLimit) keys and \(quota.bytes) of "
                + "\(quota.byteLimit) bytes are used; \(settings)")
    }
}
