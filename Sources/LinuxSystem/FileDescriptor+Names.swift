internal import Glibc

extension FileDescriptor {
    /// The names in this directory, in no order, without `.` and `..`.
    ///
    /// A name that is not UTF-8 comes with replacement characters: it is not what it is called.
    ///
    /// - Returns: All names at about one moment; they can change at any time.
    /// - Throws: `SystemCallError` when the directory cannot be read.
    public func names() throws(SystemCallError) -> [String] {
        // A descriptor of its own, which reads from the start.
        let copy = try FileDescriptor(
            opening: ".", in: rawValue, flags: O_RDONLY | O_DIRECTORY)
        guard let stream = unsafe fdopendir(copy.rawValue) else {
            throw SystemCallError(last: "fdopendir")
        }
        _ = copy.release()
        defer { _ = unsafe closedir(stream) }
        var names: [String] = []
        while true {
            // NULL is the end or a failure (readdir(3)).
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
