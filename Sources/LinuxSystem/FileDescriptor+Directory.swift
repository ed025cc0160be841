internal import Glibc

extension FileDescriptor {
    /// The names in this directory, without those of itself and its parent.
    ///
    /// - Returns: The names, in no order; a name that is not UTF-8 comes back as one that is not
    ///   there.
    /// - Throws: `SystemCallError` of openat(2) or readdir(3).
    public func entryNames() throws(SystemCallError) -> [String] {
        let copy = try FileDescriptor(opening: ".", in: rawValue, flags: O_RDONLY | O_DIRECTORY)
        guard let stream = unsafe fdopendir(copy.rawValue) else {
            throw SystemCallError(last: "fdopendir")
        }
        _ = copy.release()
        defer { _ = unsafe closedir(stream) }
        var names: [String] = []
        while true {
            // NULL is the end or a failure (readdir(3)); a folder that cannot be read is not empty.
            Glibc.errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard Glibc.errno == 0 else { throw SystemCallError(last: "readdir") }
                return names
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }
}
