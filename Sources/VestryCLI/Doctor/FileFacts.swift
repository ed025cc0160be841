internal import Glibc

/// What lstat(2) tells about a path: never what stands in it.
struct FileFacts: Equatable {
    let type: mode_t
    let owner: uid_t
    let group: gid_t
    /// The low 12 bits.
    let mode: mode_t
    let byteCount: Int
    /// Seconds since 1970.
    let modified: Int64

    enum Failure: Error, Equatable {
        case absent
        /// A folder on the way does not let this user in.
        case hidden
        case system(errno: CInt)
    }

    /// Looks without following a link at the end.
    init(_ path: String) throws(Failure) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw .absent
            case EACCES: throw .hidden
            default: throw .system(errno: errno)
            }
        }
        type = status.st_mode & S_IFMT
        mode = status.st_mode & 0o7777
        owner = status.st_uid
        group = status.st_gid
        byteCount = Int(status.st_size)
        modified = Int64(status.st_mtim.tv_sec)
    }

    /// Whether there is something, as far as this user sees.
    static func exists(_ path: String) -> Bool {
        (try? FileFacts(path)) != nil
    }

    /// Whether systemd runs this machine, as sd_booted(3) finds out.
    static var hasSystemd: Bool { exists("/run/systemd/system") }

    var isFolder: Bool { type == S_IFDIR }
    var isRegularFile: Bool { type == S_IFREG }
    var isLink: Bool { type == S_IFLNK }
    /// What is wrong with a program or module that root runs; nil where it is a file that nobody
    /// but root can change.
    func faultOfProgram(_ path: String) -> String? {
        if isRegularFile && owner == 0 && mode & 0o022 == 0 { return nil }
        return "\(path) is not root's alone (owner \(owner), mode \(modeText))"
    }

    var modeText: String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(1, 4 - digits.count)) + digits
    }
}
