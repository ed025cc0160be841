internal import CSodium
public import SecureMemory

// libsodium's crypto_secretstream_xchacha20poly1305: a row of boxes under one key that opens only in
// its order and only to its end. The nonces come from a random start and from every box before, so a
// box that is left out, moved or repeated does not open, and the last one says that it is the last.

/// What a box of a stream is longer than its plaintext: a byte for what it is, and a 16-byte tag.
public let streamBoxOverhead = 17
/// Both of one byte's lower bits, a computed macro in C: crypto_secretstream_xchacha20poly1305_TAG_FINAL.
private let finalTag: UInt8 = 3
/// crypto_secretstream_xchacha20poly1305_HEADERBYTES.
public let streamHeaderByteCount = 24

/// The key and the place in the stream, in memory that is wiped.
@safe
private final class StreamState {
    let pointer: UnsafeMutablePointer<crypto_secretstream_xchacha20poly1305_state>

    init() {
        precondition(sodium_init() != -1, "libsodium failed to initialize")
        let count = MemoryLayout<crypto_secretstream_xchacha20poly1305_state>.size
        guard let memory = unsafe sodium_malloc(count) else { fatalError("out of memory") }
        unsafe sodium_memzero(memory, count)
        unsafe pointer = memory.bindMemory(
            to: crypto_secretstream_xchacha20poly1305_state.self, capacity: 1)
    }

    // Zeroes it.
    deinit { unsafe sodium_free(pointer) }
}

/// Seals a stream, box after box.
public struct StreamSealer: ~Copyable {
    /// 24 bytes, not secret, that the opener must have.
    public let header: [UInt8]
    private let state: StreamState

    /// Begins a stream with a random start.
    ///
    /// - Parameter key: 32 bytes; another size is a mistake in this program.
    public init(key: borrowing SecretBytes) {
        precondition(key.count == 32, "a stream's key has 32 bytes")
        let state = StreamState()
        var header = [UInt8](repeating: 0, count: streamHeaderByteCount)
        unsafe key.withUnsafePointer { key in
            _ = unsafe crypto_secretstream_xchacha20poly1305_init_push(state.pointer, &header, key)
        }
        self.state = state
        self.header = header
    }

    /// Seals the next box.
    ///
    /// - Parameters:
    ///   - plaintext: Any number of bytes.
    ///   - isLast: Whether the stream ends with it.
    /// - Returns: The box, ``streamBoxOverhead`` bytes longer.
    public func seal(_ plaintext: borrowing SecretBytes, isLast: Bool) -> [UInt8] {
        var box = [UInt8](repeating: 0, count: plaintext.count + streamBoxOverhead)
        unsafe plaintext.withUnsafePointer { bytes in
            _ = unsafe crypto_secretstream_xchacha20poly1305_push(
                state.pointer, &box, nil, bytes, UInt64(plaintext.count), nil, 0,
                isLast ? finalTag : 0)
        }
        return box
    }
}

/// Opens a stream, box after box.
public struct StreamOpener: ~Copyable {
    private let state: StreamState

    /// A box that was opened.
    public struct Opened: ~Copyable {
        public let plaintext: SecretBytes
        /// Whether the stream ends here.
        public let isLast: Bool

        /// Gives up ownership of the plaintext.
        public consuming func takePlaintext() -> SecretBytes { plaintext }
    }

    /// Begins at the start of a stream.
    ///
    /// - Parameters:
    ///   - key: 32 bytes; another size is a mistake in this program.
    ///   - header: As the sealer gave it.
    /// - Throws: `SealingError.truncated` for a header of another size.
    public init(key: borrowing SecretBytes, header: [UInt8]) throws(SealingError) {
        precondition(key.count == 32, "a stream's key has 32 bytes")
        guard header.count == streamHeaderByteCount else { throw .truncated }
        let state = StreamState()
        unsafe key.withUnsafePointer { key in
            _ = unsafe crypto_secretstream_xchacha20poly1305_init_pull(state.pointer, header, key)
        }
        self.state = state
    }

    /// Opens the next box.
    ///
    /// - Parameter box: As the sealer returned it.
    /// - Returns: The plaintext, and whether it is the last.
    /// - Throws: `SealingError`: the box is not the next one of this stream, or was changed.
    public func open(_ box: [UInt8]) throws(SealingError) -> Opened {
        guard box.count >= streamBoxOverhead else { throw .truncated }
        var tag: UInt8 = 0
        let plaintext = try unsafe SecretBytes(
            count: box.count - streamBoxOverhead,
            unsafelyFilledBy: { (bytes) throws(SealingError) in
                let status = unsafe crypto_secretstream_xchacha20poly1305_pull(
                    state.pointer, bytes, nil, &tag, box, UInt64(box.count), nil, 0)
                guard status == 0 else { throw .authenticationFailed }
            })
        // No sealer of ours sets one bit alone.
        guard tag == 0 || tag == finalTag else { throw .authenticationFailed }
        return Opened(plaintext: plaintext, isLast: tag == finalTag)
    }
}
