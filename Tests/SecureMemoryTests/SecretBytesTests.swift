import SecureMemory
import TestSupport
import Testing

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
}
