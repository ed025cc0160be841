import CSQLite
import Glibc
import ItemStore
import KernelKeyring
import KeyClasses
import Keybag
import LinuxSystem
import SecureMemory
import TestSupport
import Testing

@testable import Vestry

/// A keybag and its keys; deriving a key takes long enough to do it once for all tests.
struct SharedKeybag: Sendable {
    static let shared = try? SharedKeybag()

    let keybag: Keybag
    private let seeds: [KeyClass: Seed]

    /// Test keys need no guarded memory.
    struct Seed: Sendable { let bytes: [UInt8] }

    init() throws {
        let created = try Keybag.create(
            password: SecretBytes("correct horse"), deviceKey: SecretBytes.random(count: 32))
        var seeds: [KeyClass: Seed] = [:]
        for index in 0..<created.keys.count {
            guard let key = created.keys.key(at: index) else { continue }
            seeds[key.keyClass] = Seed(bytes: key.seed.exposed)
        }
        self.keybag = created.keybag
        self.seeds = seeds
    }

    func key(_ keyClass: KeyClass) -> ClassKey? {
        guard let seed = seeds[keyClass] else { return nil }
        return ClassKey(keyClass, epoch: 1, seed: SecretBytes(copying: seed.bytes.span))
    }
}

func text(_ secret: borrowing SecretBytes) -> String {
    String(decoding: secret.exposed, as: UTF8.self)
}

/// A keychain of its own in a temporary home, with this process's real kernel keyring.
final class TestKeychain {
    struct Unavailable: Error {}

    /// Whether this process has a session keyring of its own, which makes it count as a session.
    static let isPossible: Bool = {
        guard let turn = try? KernelKeyringTurn() else { return false }
        defer { withExtendedLifetime(turn) {} }
        let keyring = KernelKeyring(store: StoreID.random())
        guard case .linked = try? keyring.linkPresence() else { return false }
        return true
    }()
    static let requirement: Comment = "needs its own session keyring: keyctl session - swift test"

    let home: TemporaryHome
    let keychain: Keychain
    let keyring: KernelKeyring
    private let turn: KernelKeyringTurn

    init() throws {
        guard let keybag = SharedKeybag.shared?.keybag else { throw Unavailable() }
        turn = try KernelKeyringTurn()
        home = try TemporaryHome()
        keychain = Keychain(account: home.account)
        keyring = KernelKeyring(store: keybag.storeID)
        let directory = try home.storeDirectory()
        try keybag.write(in: directory)
        try unlock()
    }

    deinit { try? KernelKeyring.lockAll() }

    /// Puts the keys of these classes into the kernel.
    func unlock(_ classes: [KeyClass] = KeyClass.allCases) throws {
        _ = try keyring.linkPresence()
        for keyClass in classes {
            guard let key = SharedKeybag.shared?.key(keyClass) else { throw Unavailable() }
            try keyring.put(key)
        }
    }

    /// Runs SQL on the file, as whoever holds the file can.
    func tamper(_ sql: String) throws {
        var database: OpaquePointer?
        defer { unsafe sqlite3_close(database) }
        let path = home.storePath + "/items.sqlite"
        try #require(unsafe sqlite3_open(path, &database) == SQLITE_OK)
        try #require(unsafe sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
    }

    /// The file's rows as they are.
    func rows() throws -> [ItemRow] {
        let directory = try home.storeDirectory()
        let items = try ItemStore.openForReading(
            in: directory, storeID: keyring.store.bytes)
        guard let items else { return [] }
        let reader = try items.reader(of: .metadata)
        return try items.numbers(ItemSearch()).map { try reader.row($0) }
    }
}

/// The code that `body` throws, or nil.
func code(_ body: () throws(VestryError) -> Void) -> VestryError.Code? {
    do throws(VestryError) {
        try body()
        return nil
    } catch {
        return error.code
    }
}
