internal import CLinux
public import Glibc

/// An open file description that closes itself.
public struct FileDescriptor: ~Copyable, Sendable {
    public let rawValue: CInt

    /// Takes ownership of a descriptor that nobody else closes.
    public init(adopting rawValue: CInt) {
        self.rawValue = rawValue
    }

    deinit { close(rawValue) }

    /// Gives up ownership: somebody else closes the descriptor.
    public consuming func release() -> CInt {
        let rawValue = rawValue
        discard self
        return rawValue
    }

    /// Opens a directory by its path, following symbolic links.
    ///
    /// - Throws: `SystemCallError` of openat(2); ENOTDIR when it is something else.
    public static func openDirectory(path: String) throws(SystemCallError) -> FileDescriptor {
        try FileDescriptor(opening: path, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }

    /// openat(2), with the descriptor closed at exec in any case.
    ///
    /// - Parameters:
    ///   - name: A path, relative to `directory`.
    ///   - directory: A descriptor, or `AT_FDCWD`.
    ///   - flags: As for openat(2); `O_CLOEXEC` is added.
    ///   - mode: The permission bits of a file that is created.
    /// - Throws: `SystemCallError` of openat(2).
    public init(
        opening name: String, in directory: CInt, flags: CInt, mode: mode_t = 0
    ) throws(SystemCallError) {
        while true {
            let opened = unsafe vestry_openat(directory, name, flags | O_CLOEXEC, mode)
            if opened == -1 && Glibc.errno == EINTR { continue }
            guard opened != -1 else { throw SystemCallError(last: "openat") }
            self.init(adopting: opened)
            return
        }
    }

    /// fstat(2).
    public func status() throws(SystemCallError) -> stat {
        var status = stat()
        guard unsafe fstat(rawValue, &status) == 0 else { throw SystemCallError(last: "fstat") }
        return status
    }

    /// fsync(2): the file's bytes, or a directory's names, are on the disk when this returns.
    public func synchronize() throws(SystemCallError) {
        guard fsync(rawValue) == 0 else { throw SystemCallError(last: "fsync") }
    }

    /// Writes all of `bytes`.
    public func write(_ bytes: [UInt8]) throws(SystemCallError) { try write(bytes.span) }

    /// Writes all of `bytes`.
    public func write(_ bytes: Span<UInt8>) throws(SystemCallError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(
                    rawValue, $0.baseAddress.map { unsafe $0 + written }, $0.count - written)
            }
            if count == -1 && Glibc.errno == EINTR { continue }
            guard count > 0 else { throw SystemCallError(last: "write") }
            written += count
        }
    }

    /// Reads to the end of the file.
    ///
    /// - Parameter limit: The most bytes to take into memory.
    /// - Returns: The bytes, or nil when there are more than `limit`.
    /// - Throws: `SystemCallError` of read(2).
    public func readAll(limit: Int) throws(SystemCallError) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit + 1, 65536))
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes {
                unsafe read(rawValue, $0.baseAddress, $0.count)
            }
            if count == -1 && Glibc.errno == EINTR { continue }
            guard count >= 0 else { throw SystemCallError(last: "read") }
            if count == 0 { return bytes }
            guard bytes.count + count <= limit else { return nil }
            bytes.append(contentsOf: chunk.prefix(count))
        }
    }
}
