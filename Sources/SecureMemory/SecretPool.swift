internal import CSodium
internal import Synchronization

/// Places for small secrets in pieces of memory from `sodium_malloc`.
///
/// A piece of its own for each key and each password would cost eleven system calls, most of what a
/// read of an item costs, and three of the kernel's mappings, of which a process has 65,530
/// (vm.max_map_count): 20,000 passwords at once would be more than it can have. Between the places
/// stand no guard pages. There is no lock that a child of fork(2) could inherit.
///
/// The first pool is enough for what a program does with single items. Where all its places are taken,
/// one of four times the size follows; pools are never unmapped.
@safe
final class SecretPool: Sendable {
    static let shared = SecretPool(shelfCount: 1)
    static let placeByteCount = 256
    /// The largest pool has 256 MiB.
    private static let largestShelfCount = 1 << 14

    private let shelves: [Shelf]
    /// Where a free place was found last, which is a good guess for the next.
    private let guess = Atomic<Int>(0)
    private let next = AtomicLazyReference<SecretPool>()

    private init(shelfCount: Int) {
        let byteCount = Shelf.byteCount * shelfCount
        guard sodiumIsReady, let memory = unsafe sodium_malloc(byteCount) else {
            shelves = []
            return
        }
        let base = unsafe memory.bindMemory(to: UInt8.self, capacity: byteCount)
        shelves = (0..<shelfCount).map { unsafe Shelf(base: base + $0 * Shelf.byteCount) }
    }

    /// - Returns: Nil when all places are taken, and there is no memory for more.
    func take() -> UnsafeMutablePointer<UInt8>? {
        let first = guess.load(ordering: .relaxed)
        for offset in shelves.indices {
            let index = (first + offset) % shelves.count
            guard let place = unsafe shelves[index].take() else { continue }
            if offset > 0 { guess.store(index, ordering: .relaxed) }
            return unsafe place
        }
        guard !shelves.isEmpty, shelves.count < Self.largestShelfCount else { return nil }
        if let next = next.load() { return unsafe next.take() }
        // Of two threads that come here at once, one makes a pool in vain.
        let made = SecretPool(shelfCount: shelves.count * 4)
        guard !made.shelves.isEmpty else { return nil }
        return unsafe next.storeIfNil(made).take()
    }

    /// Zeroes a place, and lets others have it.
    ///
    /// - Returns: False when the memory is none of the pool's.
    func giveBack(_ memory: UnsafeMutablePointer<UInt8>) -> Bool {
        guard let base = unsafe shelves.first?.base else { return false }
        let offset = unsafe memory - base
        guard offset >= 0, offset < Shelf.byteCount * shelves.count else {
            guard let next = next.load() else { return false }
            return unsafe next.giveBack(memory)
        }
        unsafe shelves[offset / Shelf.byteCount].giveBack(memory)
        return true
    }

    deinit {
        if let first = shelves.first { unsafe sodium_free(first.base) }
    }
}

/// As many places as a word has bits.
@safe
private final class Shelf: Sendable {
    static let placeCount = UInt64.bitWidth
    static let byteCount = SecretPool.placeByteCount * placeCount

    // Written by the owners of the places alone.
    nonisolated(unsafe) let base: UnsafeMutablePointer<UInt8>
    /// One bit for each place.
    private let taken = Atomic<UInt64>(0)

    init(base: UnsafeMutablePointer<UInt8>) { unsafe self.base = base }

    func take() -> UnsafeMutablePointer<UInt8>? {
        var seen = taken.load(ordering: .relaxed)
        while true {
            let place = (~seen).trailingZeroBitCount
            guard place < Self.placeCount else { return nil }
            let (isMine, now) = taken.compareExchange(
                expected: seen, desired: seen | 1 << place, ordering: .acquiring)
            if isMine { return unsafe base + place * SecretPool.placeByteCount }
            seen = now
        }
    }

    func giveBack(_ memory: UnsafeMutablePointer<UInt8>) {
        unsafe sodium_memzero(memory, SecretPool.placeByteCount)
        let place = unsafe (memory - base) / SecretPool.placeByteCount
        taken.bitwiseAnd(~(1 << UInt64(place)), ordering: .releasing)
    }
}
