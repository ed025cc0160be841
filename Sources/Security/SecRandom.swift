internal import SecurityNames

/// A source of random bytes; there is only the system's.
public final class SecRandomRef: Sendable {
    private init() {}
}

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The system's random number generator (Apple: SecRandom), which is nil.
public let kSecRandomDefault: SecRandomRef! = nil

/// Fills memory with random bytes for cryptographic use, from getrandom(2) (Apple: SecRandom).
///
/// - Parameters:
///   - generator: ``kSecRandomDefault`` or nil.
///   - count: How many bytes.
///   - bytes: Where they go; at least `count` bytes.
/// - Returns: `errSecSuccess`, or `errSecParam` for a negative count, after which nothing is
///   written.
@discardableResult
public func SecRandomCopyBytes(
    _ generator: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer
) -> Int32 {
    guard count >= 0 else { return errSecParam }
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count)
    var system = SystemRandomNumberGenerator()
    var word: UInt64 = 0
    for index in buffer.indices {
        if index % 8 == 0 { word = system.next() }
        unsafe buffer[index] = UInt8(truncatingIfNeeded: word)
        word >>= 8
    }
    return errSecSuccess
}
