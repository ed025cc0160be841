internal import Glibc
internal import LinuxSystem

/// How many keys and bytes the calling user holds in the kernel, and how many it may.
struct KeyQuota: Equatable {
    let keys: Int
    let keyLimit: Int
    let bytes: Int
    let byteLimit: Int

    /// Asks the kernel; nil where it does not say.
    static func current() -> KeyQuota? {
        guard
            let file = try? FileDescriptor(
                opening: "/proc/key-users", in: AT_FDCWD, flags: O_RDONLY),
            let contents = try? file.readAll(limit: 1 << 20)
        else { return nil }
        return KeyQuota(of: geteuid(), in: String(decoding: contents, as: UTF8.self))
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
