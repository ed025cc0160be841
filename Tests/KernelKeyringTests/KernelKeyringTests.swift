import CKeyutils
import Glibc
import KeyClasses
import SecureMemory
import TestSupport
import Testing

@testable import KernelKeyring

/// Whether this process may use keyrings and stands in a session keyring of its own.
private let keyringsAreUsable: Bool = {
    guard let session = try? Key.session.resolved(),
        let userSession = try? Key.userSession.resolved()
    else { return false }
    return session != userSession
}()

/// With the real kernel keyrings of whoever runs this, which the testbed makes throw-away ones.
///
/// `Tests/Helper/run` has what needs several users and processes.
@Suite(.serialized, .enabled(if: keyringsAreUsable, "keyctl is not to be had here"))
final class KernelKeyringTests {
    let keyring: KernelKeyring
    private let turn: KernelKeyringTurn

    init() throws {
        turn = try KernelKeyringTurn()
        keyring = KernelKeyring(store: StoreID.random())
        Self.clear()
    }

    deinit { Self.clear() }

    static func clear() {
        if let ring = try? Key.user.search(.keyring, "vestry") { ring.unlink(from: .user) }
        if let presence = try? Key.session.search(.keyring, "vestry:presence") {
            presence.unlink(from: .session)
        }
    }

    static func key(_ keyClass: KeyClass, epoch: UInt32 = 1, byte: UInt8 = 1) throws -> ClassKey {
        struct NoKey: Error {}
        let seed = SecretBytes([UInt8](repeating: byte, count: 32))
        guard let key = ClassKey(keyClass, epoch: epoch, seed: seed) else { throw NoKey() }
        return key
    }

    func seed(_ keyClass: KeyClass) throws -> [UInt8]? {
        withValue(of: try keyring.classKey(keyClass)) { $0.seed.exposed }
    }

    @Test func thereIsNothingAtFirst() throws {
        for keyClass in KeyClass.allCases { #expect(try seed(keyClass) == nil) }
        #expect(keyring.lockState { _ in true } == .locked)
        #expect(try !keyring.hasPresence())
    }

    @Test func whatIsPutIsRead() throws {
        #expect(try keyring.put(try Self.key(.afterFirstUnlock, epoch: 7, byte: 9)))
        let read = try keyring.classKey(.afterFirstUnlock)
        let epoch = withValue(of: read) { $0.epoch }
        #expect(epoch == 7)
        #expect(try seed(.afterFirstUnlock) == [UInt8](repeating: 9, count: 32))
        #expect(try seed(.index) == nil)
    }

    @Test func aSecondKeyTakesThePlaceOfTheFirst() throws {
        try keyring.put(try Self.key(.index, byte: 1))
        try keyring.put(try Self.key(.index, byte: 2))
        #expect(try seed(.index) == [UInt8](repeating: 2, count: 32))
    }

    @Test func sessionKeysHaveNoPlaceWithoutASession() throws {
        #expect(try !keyring.put(try Self.key(.whenUnlocked)))
        #expect(try seed(.whenUnlocked) == nil)
    }

    @Test func presenceKeysNeverEnterTheKernel() throws {
        _ = try keyring.linkPresence()
        for keyClass in [KeyClass.presence, .presenceThisDeviceOnly] {
            #expect(try !keyring.put(try Self.key(keyClass)))
            #expect(try seed(keyClass) == nil)
        }
    }

    private func putAll() throws {
        _ = try keyring.linkPresence()
        for keyClass in KeyClass.allCases { try keyring.put(try Self.key(keyClass)) }
    }

    @Test func statesFollowTheKeys() throws {
        try putAll()
        #expect(keyring.lockState { _ in true } == .unlocked)
        #expect(keyring.lockState { $0.keyClass != .whenUnlocked } == .afterFirstUnlock)
        // A planted key reads as locked.
        #expect(keyring.lockState { _ in false } == .locked)

        try KernelKeyring.lock()
        #expect(keyring.lockState { _ in true } == .afterFirstUnlock)
        #expect(try keyring.hasPresence())
        try keyring.put(try Self.key(.whenUnlocked))
        #expect(keyring.lockState { _ in true } == .unlocked)

        try KernelKeyring.lockAll()
        #expect(keyring.lockState { _ in true } == .locked)
        for keyClass in KeyClass.allCases { #expect(try seed(keyClass) == nil) }
    }

    @Test func everySessionLinksTheOnePresenceKeyring() throws {
        guard case .linked(let presence, let session) = try keyring.linkPresence() else {
            Issue.record("not linked")
            return
        }
        #expect(try Key.session.resolved() == Key(serial: session))
        #expect(Key(serial: presence).described()?.text == "vestry:presence")
        #expect(try keyring.linkPresence() == .alreadyLinked)
    }

    /// Between a look and a link, the last other session can end.
    @Test func aKeyThatIsGoneIsNotLinked() throws {
        let key = try Key.makeKeyring("vestry test")
        let session = try #require(try Key.session.resolved())
        #expect(try key.linkWhileAlive(into: session))
        key.unlink(from: .session)
        key.unlink(from: .process)
        for _ in 0..<200 where key.described() != nil { usleep(10_000) }
        #expect(try !key.linkWhileAlive(into: session))
    }

    @Test func sessionKeysGoWithTheLastLink() throws {
        try putAll()
        let presence = try #require(try keyring.presenceKeyring())
        presence.unlink(from: .session)
        // The kernel frees unlinked keyrings in the background.
        for _ in 0..<200 where try keyring.hasPresence() { usleep(10_000) }
        #expect(keyring.lockState { _ in true } == .afterFirstUnlock)
        #expect(try seed(.whenUnlocked) == nil)
    }

    @Test func keysOfAnotherStoreAreNeverUsedAndCanBeRevoked() throws {
        try putAll()
        let other = KernelKeyring(store: StoreID.random())
        for keyClass in KeyClass.allCases {
            let isNil = try other.classKey(keyClass) == nil
            #expect(isNil)
        }
        #expect(other.lockState { _ in true } == .locked)
        try other.revokeForeignKeys()
        for keyClass in KeyClass.allCases { #expect(try seed(keyClass) == nil) }
        #expect(try !keyring.hasPresence())
    }

    @Test func ownKeysAreNotRevoked() throws {
        try putAll()
        try keyring.revokeForeignKeys()
        #expect(keyring.lockState { _ in true } == .unlocked)
    }

    @Test(arguments: [1, 15, 51, 53, 64, 200])
    func aPlantedPayloadOfAnotherSizeIsNoKey(byteCount: Int) throws {
        try putAll()
        let ring = try #require(try KernelKeyring.ring())
        let start = keyring.store.bytes + [UInt8](repeating: 0, count: byteCount)
        let planted = SecretBytes(Array(start.prefix(byteCount)))
        try Key.makeKey("vestry:index", payload: planted, in: ring)
        #expect(try seed(.index) == nil)
    }

    @Test func permissionsAreTheOwnersAlone() throws {
        try putAll()
        let ring = try #require(try KernelKeyring.ring())
        let key = try #require(try ring.search(.user, "vestry:index"))
        #expect(try permissions(of: ring) == "003f0000")
        #expect(try permissions(of: key) == "003b0000")
    }

    private func permissions(of key: Key) throws -> String {
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe keyctl_describe(
                key.serial, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
        let text = String(decoding: buffer.prefix(max(0, count - 1)), as: UTF8.self)
        let fields = text.split(separator: ";")
        return try String(#require(fields.count > 3 ? fields[3] : nil))
    }

    @Test(
        arguments: [
            (ENOSYS, .notSupported), (EOPNOTSUPP, .notSupported), (EPERM, .blocked),
            (EACCES, .denied), (EDQUOT, .quota), (ENOMEM, .system(call: "x", errno: ENOMEM)),
        ] as [(CInt, KeyringError)])
    func failuresAreToldApart(errno: CInt, expected: KeyringError) {
        #expect(KeyringError(call: "x", errno: errno) == expected)
    }
}
