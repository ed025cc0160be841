internal import Glibc

/// A regular file that somebody else may have written, open to be read more than once.
public struct SeekableFile: ~Copyable, Sendable {
    private let descriptor: FileDescriptor
    /// As it was when it was opened, in bytes.
    public let byteCount: Int

    /// Opens a file by its path, following links.
    ///
    /// - Throws: `SystemCallError`; EINVAL for what is no regular file, without waiting for anything.
    public init(path: String) throws(SystemCallError) {
        let descriptor = try FileDescriptor(
            opening: path, in: AT_FDCWD, flags: O_RDONLY | O_NOCTTY | O_NONBLOCK)
        let status = try descriptor.status()
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemCallError("open", errno: EINVAL)
        }
        byteCount = Int(status.st_size)
        self.descriptor = descriptor
    }

    /// Reads from a place in the file.
    ///
    /// - Parameters:
    ///   - offset: The place, not negative.
    ///   - count: How many bytes, not negative.
    /// - Returns: `count` bytes, or fewer at the end of the file.
    /// - Throws: `SystemCallError` of pread(2).
    public func read(at offset: Int, count: Int) throws(SystemCallError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let length = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(
                    descriptor.rawValue, $0.baseAddress.map { unsafe $0 + filled },
                    $0.count - filled, off_t(offset + filled))
            }
            if length == -1 && errno == EINTR { continue }
            guard length >= 0 else { throw SystemCallError(last: "pread") }
            if length == 0 { break }
            filled += length
        }
        return Array(bytes.prefix(filled))
    }
}
