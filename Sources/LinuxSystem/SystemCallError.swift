internal import Glibc

/// A system call that failed.
public struct SystemCallError: Error, Equatable, Sendable {
    /// The call, as its manual page is named.
    public let name: String
    public let errno: CInt

    public init(_ name: String, errno: CInt) {
        self.name = name
        self.errno = errno
    }

    /// The call of this thread that failed last, by errno.
    init(last name: String) {
        self.init(name, errno: Glibc.errno)
    }
}

extension SystemCallError: CustomStringConvertible {
    public var description: String {
        "\(name): \(unsafe String(cString: strerror(errno)))"
    }
}
