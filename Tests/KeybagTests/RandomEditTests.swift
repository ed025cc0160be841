import Foundation
import SecureMemory
import TestSupport
import Testing

@testable import Keybag
@testable import Sealing

/// Keybags that somebody has edited and given a right checksum.
@Suite struct RandomEditTests {
    /// The same numbers for the same seed (SplitMix64).
    struct Source: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return word ^ (word >> 31)
        }
    }

    static let environment = ProcessInfo.processInfo.environment
    static let count = environment["VESTRY_EDITS"].flatMap { UInt64($0) } ?? 500
    static let seed =
        environment["VESTRY_SEED"].flatMap { UInt64($0) } ?? UInt64(UInt32.random(in: 0 ... .max))

    /// What is accepted is canonical, and what is not is refused with a reason.
    @Test func acceptsOnlyWhatItWouldWriteItself() throws {
        print("random edits of keybags: VESTRY_SEED=\(Self.seed)")
        let whole = try Sample.valid().serialized()
        for number in 0..<Self.count {
            var source = Source(state: Self.seed &+ number &* 0x2545_F491_4F6C_DD1D)
            let bytes = Self.edited(whole, &source)
            do throws(KeybagError) {
                let keybag = try Keybag(parsing: bytes)
                #expect(keybag.serialized() == bytes, "VESTRY_SEED=\(Self.seed), number \(number)")
            } catch .unsupportedVersion {
                continue
            } catch {
                #expect(error.isDamage, "VESTRY_SEED=\(Self.seed), number \(number): \(error)")
            }
        }
    }

    /// Changes fields, moves parts, and mostly makes size and checksum right again.
    private static func edited(_ whole: [UInt8], _ source: inout Source) -> [UInt8] {
        var bytes = Array(whole.dropLast(32))
        for _ in 0..<Int.random(in: 1...4, using: &source) {
            let start = Int.random(in: bytes.indices, using: &source)
            let end = min(bytes.count, start + Int.random(in: 1...160, using: &source))
            switch Int.random(in: 0..<6, using: &source) {
            case 0, 1: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &source)
            case 2: bytes[start] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &source) ?? 0
            case 3 where bytes.count > 700: bytes.removeSubrange(start..<end)
            case 4: bytes.insert(contentsOf: bytes[start..<end], at: start)
            default: for index in start..<end { bytes[index] = 0 }
            }
        }
        if Int.random(in: 0..<8, using: &source) > 0, bytes.count > 16 {
            let size = UInt32(bytes.count + 32)
            for index in 0..<4 {
                bytes[12 + index] = UInt8(truncatingIfNeeded: size >> (8 * index))
            }
        }
        return bytes + checksum(of: bytes.span)
    }
}
