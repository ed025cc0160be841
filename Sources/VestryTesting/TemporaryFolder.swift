internal import Glibc
internal import Vestry

/// A folder that exists as long as this value, in memory where the system has a place for that.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws(VestryError) {
        let given = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }
        for parent in ["/dev/shm", given ?? "/tmp"] {
            var template = Array("\(parent)/vestry-testing.XXXXXX".utf8CString)
            guard unsafe mkdtemp(&template) != nil else { continue }
            path = String(
                decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return
        }
        throw VestryError(.inputOutput)
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        for name in entries(of: path) {
            let child = path + "/" + name
            // A link is removed and not followed.
            if unsafe unlink(child) != 0 { remove(child) }
        }
        _ = unsafe rmdir(path)
    }

    private static func entries(of path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { _ = unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
