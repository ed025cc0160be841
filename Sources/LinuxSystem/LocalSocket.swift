internal import Glibc

extension FileDescriptor {
    /// Connects to a local service that keeps packets apart (`SOCK_SEQPACKET`).
    ///
    /// - Parameters:
    ///   - path: The socket's path, at most 107 bytes.
    ///   - timeoutSeconds: The most that connecting, and each send and receive, waits.
    /// - Returns: The connected socket.
    /// - Throws: `SystemCallError`: ENOENT or ECONNREFUSED when nobody listens, EAGAIN when the time
    ///   was over.
    public static func connectToPacketSocket(
        path: String, timeoutSeconds: Int
    ) throws(SystemCallError) -> FileDescriptor {
        let type = CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        let opened = socket(AF_UNIX, type, 0)
        guard opened != -1 else { throw SystemCallError(last: "socket") }
        let descriptor = FileDescriptor(adopting: opened)

        var limit = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            guard
                unsafe setsockopt(
                    opened, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size)) == 0
            else { throw SystemCallError(last: "setsockopt") }
        }

        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let isTooLong = unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            guard bytes.count < $0.count else { return true }
            unsafe $0.copyBytes(from: bytes)
            return false
        }
        guard !isTooLong else { throw SystemCallError("connect", errno: ENAMETOOLONG) }
        let status = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(opened, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw SystemCallError(last: "connect") }
        return descriptor
    }

    /// Sends one packet whole.
    ///
    /// - Throws: `SystemCallError` of send(2), EPIPE included: no signal is raised.
    public func sendPacket(
        _ bytes: UnsafePointer<UInt8>, count: Int
    ) throws(SystemCallError) {
        while true {
            let sent = unsafe send(rawValue, bytes, count, CInt(MSG_NOSIGNAL))
            if sent == -1 && Glibc.errno == EINTR { continue }
            guard sent == count else { throw SystemCallError(last: "send") }
            return
        }
    }

    /// Receives one packet into memory of the caller's, which may be such as is wiped.
    ///
    /// - Parameter packet: As large as the packet may be; a longer one is cut.
    /// - Returns: The size of the packet, 0 when the other end has closed.
    /// - Throws: `SystemCallError` of recv(2).
    public func receivePacket(
        into packet: inout MutableSpan<UInt8>
    ) throws(SystemCallError) -> Int {
        while true {
            let count = unsafe packet.withUnsafeMutableBytes {
                unsafe recv(rawValue, $0.baseAddress, $0.count, 0)
            }
            if count == -1 && Glibc.errno == EINTR { continue }
            guard count >= 0 else { throw SystemCallError(last: "recv") }
            return count
        }
    }
}
