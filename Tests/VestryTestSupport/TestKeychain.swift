package import Keybag
package import KernelKeyring
package import KeyClasses
internal import LinuxSystem
internal import SecureMemory
package import TestSupport
package import Testing
package import Vestry

/// A keybag and its keys; deriving a key takes long enough to do it once for all tests.
package struct SharedKeybag: Sendable {
    package static let shared = try? SharedKeybag()

    package let keybag: Keybag
    private let seeds: [KeyClass: Seed]

    /// Test keys need no guarded memory.
    private struct Seed: Sendable { let bytes: [UInt8] }

    init() throws {
        let created = try Keybag.create(
            password: SecretBytes("correct horse"), deviceKey: SecretBytes.random(count: 32), at: 0)
        var seeds: [KeyClass: Seed] = [:]
        for index in 0..<created.keys.count {
            guard let key = created.keys.key(at: index) else { continue }
            seeds[key.keyClass] = Seed(bytes: key.seed.exposed)
        }
        self.keybag = created.keybag
        self.seeds = seeds
    }

    package func key(_ keyClass: KeyClass) -> ClassKey? {
        guard let seed = seeds[keyClass] else { return nil }
        return ClassKey(keyClass, epoch: 1, seed: SecretBytes(copying: seed.bytes.span))
    }
}

/// A keychain of its own in a temporary home, with this process's real kernel keyring.
package final class TestKeychain {
    package struct Unavailable: Error {
        package init() {}
    }

    /// Whether this process has a session keyring of its own, which makes it count as a session.
    package static let isPossible: Bool = {
        guard let turn = try? KernelKeyringTurn() else { return false }
        defer { withExtendedLifetime(turn) {} }
        let keyring = KernelKeyring(store: StoreID.random())
        guard case .linked = try? keyring.linkPresence() else { return false }
        return true
    }()
    package static let requirement: Comment =
        "needs its own session keyring: keyctl session - swift test"

    package let home: TemporaryHome
    package let keychain: Keychain
    package let keyring: KernelKeyring
    private let turn: KernelKeyringTurn

    package init(accessGroups: [String] = [Keychain.defaultAccessGroup]) throws {
        guard let keybag = SharedKeybag.shared?.keybag else { throw Unavailable() }
        turn = try KernelKeyringTurn()
        home = try TemporaryHome()
        var keychain = Keychain(account: home.account)
        keychain.accessGroups = accessGroups
        self.keychain = keychain
        keyring = KernelKeyring(store: keybag.storeID)
        let directory = try home.storeDirectory()
        try keybag.write(in: directory)
        try unlock()
    }

    deinit { try? KernelKeyring.lockAll() }

    /// Puts the keys of these classes into the kernel.
    package func unlock(_ classes: [KeyClass] = KeyClass.allCases) throws {
        _ = try keyring.linkPresence()
        for keyClass in classes {
            guard let key = SharedKeybag.shared?.key(keyClass) else { throw Unavailable() }
            try keyring.put(key)
        }
    }
}
