internal import Glibc
internal import LinuxSystem
internal import SecureMemory

/// Secrets from a descriptor, byte for byte.
enum SecretInput {
    /// Reads to the end.
    ///
    /// - Parameters:
    ///   - descriptor: An open descriptor, which stays open.
    ///   - limit: The most bytes that are read.
    ///   - isWhole: Whether nothing is missing, so that the end is not waited for.
    /// - Returns: The bytes; `limit` of them when there were as many or more.
    /// - Throws: `SystemCallError` of read(2).
    static func read(
        from descriptor: CInt, limit: Int, until isWhole: (Span<UInt8>) -> Bool = { _ in false }
    ) throws(SystemCallError) -> SecretBytes {
        // Small at first, because locked memory is scarce and most secrets are short.
        var capacity = min(limit, 4096)
        var secret = try append(
            from: descriptor, to: SecretBytes(capacity: 0, filledBy: { _ in 0 }), capacity, isWhole)
        while secret.count == capacity && capacity < limit && !secret.withBytes(isWhole) {
            capacity = min(limit, capacity * 16)
            secret = try append(from: descriptor, to: secret, capacity, isWhole)
        }
        return secret
    }

    private static func append(
        from descriptor: CInt, to secret: borrowing SecretBytes, _ capacity: Int,
        _ isWhole: (Span<UInt8>) -> Bool
    ) throws(SystemCallError) -> SecretBytes {
        try SecretBytes(
            capacity: capacity,
            filledBy: { (bytes) throws(SystemCallError) in
                let start = secret.count
                secret.withBytes { old in for index in old.indices { bytes[index] = old[index] } }
                return try fill(&bytes, from: start, descriptor, isWhole)
            })
    }

    private static func fill(
        _ bytes: inout MutableSpan<UInt8>, from start: Int, _ descriptor: CInt,
        _ isWhole: (Span<UInt8>) -> Bool
    ) throws(SystemCallError) -> Int {
        var filled = start
        while filled < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe Glibc.read(
                    descriptor, $0.baseAddress.map { unsafe $0 + filled }, $0.count - filled)
            }
            if count == -1 && errno == EINTR { continue }
            guard count >= 0 else { throw SystemCallError("read", errno: errno) }
            if count == 0 { break }
            filled += count
            if isWhole(bytes.span.extracting(0..<filled)) { break }
        }
        return filled
    }

    /// A password without the line end that `echo` and editors put after it: exactly one LF or CRLF
    /// at the end is dropped, nothing else.
    static func droppingLineEnd(_ secret: consuming SecretBytes) -> SecretBytes {
        let drop = secret.withBytes { bytes in
            guard bytes.count > 0, bytes[bytes.count - 1] == 0x0A else { return 0 }
            return bytes.count > 1 && bytes[bytes.count - 2] == 0x0D ? 2 : 1
        }
        guard drop > 0, let shorter = secret.slice(from: 0, count: secret.count - drop) else {
            return secret
        }
        return shorter
    }
}
