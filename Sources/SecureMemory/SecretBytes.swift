internal import CSodium

// libsodium aborts the process when memory is asked for before sodium_init().
let sodiumIsReady = sodium_init() != -1

/// A fixed-size buffer of secret bytes with exactly one owner.
///
/// The storage comes from `sodium_malloc`: left out of core dumps, locked against swapping as far as
/// `RLIMIT_MEMLOCK` allows, and fenced by guard pages, which small secrets share. It is zeroed when
/// the value goes out of scope, also when an error is thrown.
///
/// `SecretBytes` has no `description`, `==`, `Codable` or `Sequence` conformance, because each of
/// those makes a copy that nobody zeroes.
@safe
public struct SecretBytes: ~Copyable {
    /// The size in bytes; an empty secret is a secret.
    public let count: Int

    private let base: UnsafeMutablePointer<UInt8>

    /// Allocates a buffer and lets `fill` write the secret directly into it.
    ///
    /// - Parameters:
    ///   - capacity: The size of the buffer in bytes, not negative. Callers bound it: it may come
    ///     from a file or a person only after a check.
    ///   - fill: Writes into the zeroed buffer and returns how many bytes the secret has, 0 to
    ///     `capacity`; anything else is cut to that range. When it throws, the buffer is zeroed and
    ///     freed before the error leaves the initializer.
    /// - Throws: Only what `fill` throws. Being out of memory traps.
    public init<Failure: Error>(
        capacity: Int, filledBy fill: (inout MutableSpan<UInt8>) throws(Failure) -> Int
    ) throws(Failure) {
        precondition(capacity >= 0 && sodiumIsReady, "libsodium failed to initialize")
        let base = unsafe Self.allocate(capacity)
        unsafe sodium_memzero(base, capacity)
        do {
            let buffer = unsafe UnsafeMutableBufferPointer(start: base, count: capacity)
            var span = unsafe buffer.mutableSpan
            count = min(max(0, try fill(&span)), capacity)
        } catch {
            unsafe Self.free(base)
            throw error
        }
        unsafe self.base = base
    }

    /// Allocates `count` bytes and lets `fill` write all of them.
    public init<Failure: Error>(
        count: Int, filledBy fill: (inout MutableSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        try self.init(capacity: count) { (bytes) throws(Failure) in
            try fill(&bytes)
            return count
        }
    }

    /// Allocates `count` bytes and lends them to a C function that writes all of them.
    ///
    /// - Parameters:
    ///   - count: The size in bytes, not negative.
    ///   - fill: Gets `count` zeroed bytes; the pointer is good for the call only.
    /// - Throws: Only what `fill` throws.
    public init<Failure: Error>(
        count: Int, unsafelyFilledBy fill: (UnsafeMutablePointer<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(count >= 0 && sodiumIsReady, "libsodium failed to initialize")
        let base = unsafe Self.allocate(count)
        unsafe sodium_memzero(base, count)
        do {
            try unsafe fill(base)
        } catch {
            unsafe Self.free(base)
            throw error
        }
        self.count = count
        unsafe self.base = base
    }

    /// Copies bytes that somebody else owns and wipes.
    public init(copying bytes: Span<UInt8>) {
        self.init(
            count: bytes.count,
            filledBy: { copy in
                for index in bytes.indices { copy[index] = bytes[index] }
            })
    }

    /// Draws `count` bytes from the system's random number generator.
    public static func random(count: Int) -> SecretBytes {
        unsafe SecretBytes(count: count, unsafelyFilledBy: { unsafe randombytes_buf($0, count) })
    }

    /// Draws `count` bytes of an alphabet, each of them as likely as any other.
    ///
    /// - Parameters:
    ///   - count: The size in bytes, not negative.
    ///   - alphabet: At least one byte, and less than 2^32.
    /// - Returns: The bytes; without an alphabet none.
    public static func random(count: Int, from alphabet: [UInt8]) -> SecretBytes {
        guard let size = UInt32(exactly: alphabet.count), size > 0 else {
            return SecretBytes(count: 0, filledBy: { _ in })
        }
        precondition(sodiumIsReady, "libsodium failed to initialize")
        return SecretBytes(
            count: count,
            filledBy: { bytes in
                for index in bytes.indices {
                    // No remainder of a division, which would favour the first bytes.
                    bytes[index] = alphabet[Int(randombytes_uniform(size))]
                }
            })
    }

    deinit { unsafe Self.free(base) }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
        if capacity <= SecretPool.placeByteCount, let place = unsafe SecretPool.shared.take() {
            return unsafe place
        }
        guard let memory = unsafe sodium_malloc(capacity) else { fatalError("out of memory") }
        return unsafe memory.bindMemory(to: UInt8.self, capacity: capacity)
    }

    private static func free(_ base: UnsafeMutablePointer<UInt8>) {
        if unsafe SecretPool.shared.giveBack(base) { return }
        // Zeroes the buffer, and aborts if its canary was overwritten.
        unsafe sodium_free(base)
    }

    /// Lends the secret to `body` for the length of the call.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let buffer = unsafe UnsafeBufferPointer(start: base, count: count)
        return try body(unsafe buffer.span)
    }

    /// Lends the secret to a C function that wants a pointer.
    public func withUnsafePointer<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafePointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(base)
    }

    /// Returns a copy of `count` bytes from `offset`, or nil where the secret does not reach.
    public func slice(from offset: Int, count: Int) -> SecretBytes? {
        guard offset >= 0, count >= 0, count <= self.count, offset <= self.count - count else {
            return nil
        }
        return withBytes { SecretBytes(copying: $0.extracting(offset..<offset + count)) }
    }

    /// Returns whether both buffers hold the same bytes, in time that depends only on their sizes.
    public func constantTimeEquals(_ other: borrowing SecretBytes) -> Bool {
        guard count == other.count else { return false }
        return unsafe sodium_memcmp(base, other.base, count) == 0
    }
}

// The storage has one owner, and nothing writes to it after initialization.
extension SecretBytes: @unchecked Sendable {}
