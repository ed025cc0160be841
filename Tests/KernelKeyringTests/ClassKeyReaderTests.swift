import Glibc
import KeyClasses
import SecureMemory
import TestSupport
import Testing

@testable import KernelKeyring

extension KernelKeyringTests {
    /// A reader that has found a key once.
    private func reader(of keyClass: KeyClass = .index) throws -> ClassKeyReader {
        try keyring.put(try Self.key(keyClass))
        let reader = ClassKeyReader(keyring)
        #expect(try read(keyClass, by: reader) == 1)
        #expect(try read(keyClass, by: reader) == 1)
        return reader
    }

    /// The first byte of a class key's seed, as another operation reads it.
    private func read(_ keyClass: KeyClass = .index, by reader: ClassKeyReader) throws -> UInt8? {
        reader.beginOperation()
        return withValue(of: try reader.classKey(keyClass)) { $0.seed.exposed[0] }
    }

    private func found() throws -> (ring: Key, key: Key) {
        let ring = try #require(try Key.user.search(.keyring, "vestry"))
        return (ring, try #require(try ring.search(.user, "vestry:index")))
    }

    @Test func aReaderFindsWhatIsPutInPlaceOfAKey() throws {
        let reader = try reader()
        try keyring.put(try Self.key(.index, byte: 2))
        #expect(try read(by: reader) == 2)
    }

    @Test func aReaderDoesNotReadAKeyThatLivesOnElsewhere() throws {
        let reader = try reader()
        let (ring, key) = try found()
        try key.link(into: .process)
        defer { key.unlink(from: .process) }
        key.unlink(from: ring)
        #expect(try read(by: reader) == nil)
        try key.link(into: ring)
        #expect(try read(by: reader) == 1)
    }

    @Test func aReaderDoesNotReadFromAKeyringThatLivesOnElsewhere() throws {
        let reader = try reader()
        let (ring, _) = try found()
        try ring.link(into: .process)
        defer { ring.unlink(from: .process) }
        ring.unlink(from: .user)
        // It looks for that a few times a second.
        for _ in 0..<200 where try read(by: reader) != nil { usleep(10_000) }
        #expect(try read(by: reader) == nil)
        try keyring.put(try Self.key(.index, byte: 3))
        #expect(try read(by: reader) == 3)
    }

    @Test func aReaderDoesNotReadARevokedKey() throws {
        let reader = try reader()
        try found().key.revoke()
        #expect(try read(by: reader) == nil)
        try KernelKeyring.lockAll()
        #expect(try read(by: reader) == nil)
        try keyring.put(try Self.key(.index, byte: 4))
        #expect(try read(by: reader) == 4)
    }

    @Test func aReaderFindsKeysAmongMoreThanItsList() throws {
        let reader = try reader()
        let (ring, _) = try found()
        for number in 0...Key.linkLimit {
            try Key.makeKey("other \(number)", payload: SecretBytes([1]), in: ring)
        }
        #expect(try read(by: reader) == 1)
    }

    @Test func aReaderFollowsThePresence() throws {
        _ = try keyring.linkPresence()
        let reader = try reader(of: .whenUnlocked)
        try KernelKeyring.lock()
        #expect(try read(.whenUnlocked, by: reader) == nil)
        try keyring.put(try Self.key(.whenUnlocked, byte: 5))
        #expect(try read(.whenUnlocked, by: reader) == 5)
        let presence = try #require(try keyring.presenceKeyring())
        presence.unlink(from: .session)
        // The kernel frees unlinked keyrings in the background.
        for _ in 0..<200 where try keyring.hasPresence() { usleep(10_000) }
        #expect(try read(.whenUnlocked, by: reader) == nil)
    }
}
