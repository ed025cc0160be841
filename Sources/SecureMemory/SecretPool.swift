internal import CSodium
internal import Synchronization

/// Places for small secrets in one piece of memory from `sodium_malloc`.
///
/// A piece of its own for each key and each password would cost eleven system calls, most of what a
/// read of an item costs. Between the places stand no guard pages. There is no lock that a child of
/// fork(2) could inherit.
@safe
final class SecretPool: Sendable {
    static let shared = SecretPool()
    static let placeByteCount = 256
    static let placeCount = UInt64.bitWidth

    // Written by the owners of the places alone.
    private nonisolated(unsafe) let base: UnsafeMutablePointer<UInt8>?
    /// One bit for each place.
    private let taken = Atomic<UInt64>(0)

    private init() {
        let byteCount = Self.placeByteCount * Self.placeCount
        guard sodiumIsReady, let memory = unsafe sodium_malloc(byteCount) else {
            unsafe base = nil
            return
        }
        unsafe base = memory.bindMemory(to: UInt8.self, capacity: byteCount)
    }

    /// - Returns: Nil when all places are taken.
    func take() -> UnsafeMutablePointer<UInt8>? {
        guard let base = unsafe base else { return nil }
        var seen = taken.load(ordering: .relaxed)
        while true {
            let place = (~seen).trailingZeroBitCount
            guard place < Self.placeCount else { return nil }
            let (isMine, now) = taken.compareExchange(
                expected: seen, desired: seen | 1 << place, ordering: .acquiring)
            if isMine { return unsafe base + place * Self.placeByteCount }
            seen = now
        }
    }

    /// Zeroes a place, and lets others have it.
    ///
    /// - Returns: False when the memory is none of the pool's.
    func giveBack(_ memory: UnsafeMutablePointer<UInt8>) -> Bool {
        guard let base = unsafe base else { return false }
        let offset = unsafe memory - base
        guard offset >= 0, offset < Self.placeByteCount * Self.placeCount else { return false }
        unsafe sodium_memzero(memory, Self.placeByteCount)
        taken.bitwiseAnd(~(1 << UInt64(offset / Self.placeByteCount)), ordering: .releasing)
        return true
    }
}
