import TestSupport
import Testing

@testable import SecureMemory

@Suite struct SecretBytesTests {
    @Test func startsZeroed() {
        let secret = SecretBytes(count: 64, filledBy: { _ in })
        #expect(secret.exposed.allSatisfy { $0 == 0 })
    }

    @Test func anEmptySecretIsASecret() {
        let secret = SecretBytes("")
        #expect(secret.count == 0)
        #expect(secret.exposed.isEmpty)
    }

    @Test(arguments: [(-1, 0), (0, 0), (3, 3), (8, 8), (9, 8), (Int.max, 8), (Int.min, 0)])
    func cutsACountThatTheFillerGotWrong(returned: Int, expected: Int) {
        let secret = SecretBytes(capacity: 8, filledBy: { _ in returned })
        #expect(secret.count == expected)
    }

    struct Refused: Error {}

    @Test func theFillersErrorComesThrough() {
        #expect(throws: Refused.self) {
            _ = try SecretBytes(count: 8, filledBy: { (_) throws(Refused) in throw Refused() })
                .count
        }
    }

    @Test(
        arguments: [
            (0, 4, [1, 2, 3, 4]), (1, 2, [2, 3]), (4, 0, []), (0, 5, nil), (5, 0, nil),
            (-1, 2, nil),
            (2, -1, nil), (1, Int.max, nil),
        ] as [(Int, Int, [UInt8]?)])
    func slicesOnlyWhatIsThere(offset: Int, count: Int, expected: [UInt8]?) {
        let slice = SecretBytes([1, 2, 3, 4]).slice(from: offset, count: count)
        let exposed = withValue(of: slice) { $0.exposed }
        #expect(exposed == expected)
    }

    @Test(arguments: [
        ("abc", "abc", true), ("abc", "abd", false), ("abc", "ab", false), ("", "", true),
    ])
    func comparesContents(first: String, second: String, areEqual: Bool) {
        let result = SecretBytes(first).constantTimeEquals(SecretBytes(second))
        #expect(result == areEqual)
    }

    @Test func randomBytesAreOfTheirAlphabet() {
        let three = SecretBytes.random(count: 1000, from: [1, 2, 3])
        #expect(three.withBytes { bytes in Set(bytes.indices.map { bytes[$0] }) } == [1, 2, 3])
        let one = SecretBytes.random(count: 3, from: [7])
        #expect(one.withBytes { bytes in bytes.indices.map { bytes[$0] } } == [7, 7, 7])
        #expect(SecretBytes.random(count: 3, from: []).count == 0)
    }

    @Test func randomSecretsDiffer() {
        #expect(SecretBytes.random(count: 32).exposed != SecretBytes.random(count: 32).exposed)
    }

    /// More than there are shared places, of sizes around the largest of these.
    @Test func manySecretsAreApart() {
        final class Holder {
            let secret: SecretBytes
            init(_ byte: UInt8, _ count: Int) {
                secret = SecretBytes(copying: [UInt8](repeating: byte, count: count).span)
            }
        }
        for _ in 0..<3 {
            let holders = (0..<200).map { Holder(UInt8($0), [1, 255, 256, 257][$0 % 4]) }
            for (number, holder) in holders.enumerated() {
                let expected = [UInt8](
                    repeating: UInt8(number), count: [1, 255, 256, 257][number % 4])
                #expect(holder.secret.exposed == expected)
            }
        }
        #expect(SecretBytes(count: 256, filledBy: { _ in }).exposed.allSatisfy { $0 == 0 })
    }

    /// As many as a large file of another program has.
    ///
    /// With mappings for each, the kernel would refuse after some 16,000 (vm.max_map_count is 65,530).
    @Test func thousandsOfSecretsAreHeldAtOnce() {
        final class Holder {
            let secret: SecretBytes
            init(_ number: Int) { secret = SecretBytes("secret \(number)") }
        }
        let holders = (0..<30_000).map(Holder.init)
        #expect(
            stride(from: 0, to: holders.count, by: 50).allSatisfy { number in
                holders[number].secret.constantTimeEquals(SecretBytes("secret \(number)"))
            })
    }

    @Test func threadsNeverShareASecret() async {
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    (0..<2000).allSatisfy { round in
                        let bytes = [UInt8](repeating: UInt8(number), count: 1 + round % 64)
                        let first = SecretBytes(copying: bytes.span)
                        let second = SecretBytes(copying: bytes.span)
                        return first.exposed == bytes && second.constantTimeEquals(first)
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    /// What was a secret is not found where it was; the places themselves are never unmapped.
    @Test func aPlaceIsZeroedWhenItIsGivenBack() {
        let marker = [UInt8](repeating: 0xA5, count: SecretPool.placeByteCount)
        var place: UnsafeMutablePointer<UInt8>?
        // Another test may hold all of them for a moment.
        repeat { unsafe place = SecretPool.shared.take() } while unsafe place == nil
        guard let place = unsafe place else { return }
        unsafe place.update(from: marker, count: marker.count)
        #expect(unsafe SecretPool.shared.giveBack(place))
        let left = unsafe Array(UnsafeBufferPointer(start: place, count: marker.count))
        #expect(left != marker)
        var elsewhere: UInt8 = 1
        #expect(unsafe !SecretPool.shared.giveBack(&elsewhere))
        #expect(elsewhere == 1)
    }
}
