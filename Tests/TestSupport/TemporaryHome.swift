public import Glibc
public import LinuxSystem

/// A home directory that exists as long as this value, owned by the user who runs the tests.
public final class TemporaryHome: Sendable {
    public struct Failure: Error {
        public init() {}
    }

    public let path: String
    public let account: Account

    public init() throws {
        var template = Array("/tmp/vestry-test.XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw Failure() }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        account = Account(
            name: "tester", user: geteuid(), group: getegid(), homeDirectory: path)
    }

    deinit { Self.remove(path) }

    public var storePath: String { path + "/.local/share/vestry" }

    public func storeDirectory() throws -> StoreDirectory {
        try StoreDirectory.create(for: account)
    }

    /// The names in the store directory, sorted.
    public func storeEntries() -> [String] { Self.entries(of: storePath).sorted() }

    /// Writes a file into the store directory, replacing what was there.
    public func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o600) throws {
        let path = storePath + "/" + name
        unsafe unlink(path)
        let file = try FileDescriptor(
            opening: path, in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
        try file.write(bytes)
    }

    public func read(_ name: String) throws -> [UInt8] {
        let file = try FileDescriptor(
            opening: storePath + "/" + name, in: AT_FDCWD, flags: O_RDONLY)
        return try file.readAll(limit: 1 << 26) ?? []
    }

    private static func entries(of path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    private static func remove(_ path: String) {
        for name in entries(of: path) {
            let child = path + "/" + name
            if unsafe unlink(child) != 0 { remove(child) }
        }
        unsafe rmdir(path)
    }
}
