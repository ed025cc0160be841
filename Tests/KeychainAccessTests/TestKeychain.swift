import Foundation
import KernelKeyring
import KeyClasses
import Keybag
import LinuxSystem
import SecureMemory
import Synchronization
import TestSupport
import Testing

@testable import KeychainAccess
@testable import Vestry

/// A keybag and its keys; deriving a key takes long enough to do it once for all tests.
private struct SharedKeybag: Sendable {
    static let shared = try? SharedKeybag()

    let keybag: Keybag
    let seeds: [KeyClass: [UInt8]]

    init() throws {
        let created = try Keybag.create(
            password: SecretBytes("correct horse"), deviceKey: SecretBytes.random(count: 32))
        var seeds: [KeyClass: [UInt8]] = [:]
        for index in 0..<created.keys.count {
            guard let key = created.keys.key(at: index) else { continue }
            seeds[key.keyClass] = key.seed.exposed
        }
        self.keybag = created.keybag
        self.seeds = seeds
    }
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
    let store: Vestry.Keychain
    private let keyring: KernelKeyring
    private let turn: KernelKeyringTurn

    init() throws {
        guard let shared = SharedKeybag.shared else { throw Unavailable() }
        turn = try KernelKeyringTurn()
        home = try TemporaryHome()
        store = Vestry.Keychain(account: home.account)
        keyring = KernelKeyring(store: shared.keybag.storeID)
        try shared.keybag.write(in: try home.storeDirectory())
        try unlock()
    }

    deinit { try? KernelKeyring.lockAll() }

    func unlock() throws {
        _ = try keyring.linkPresence()
        for (keyClass, seed) in SharedKeybag.shared?.seeds ?? [:] {
            guard
                let key = ClassKey(keyClass, epoch: 1, seed: SecretBytes(copying: seed.span))
            else { throw Unavailable() }
            try keyring.put(key)
        }
    }

    /// Makes every keychain of `body` this one.
    func use<Result>(_ body: () throws -> Result) rethrows -> Result {
        try KeychainAccess.Keychain.$testKeychain.withValue(store) { try body() }
    }

    /// Runs asynchronous code, and blocks until it is done.
    ///
    /// It runs on a thread of its own: those of Swift's concurrency may all be waiting for their
    /// turn with the keyring, which this test has. So `body` must start no unstructured task, which
    /// would run on those.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) throws -> Result {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome<Result>()
        let store = store
        Task(executorPreference: QueueExecutor.shared) {
            await KeychainAccess.Keychain.$testKeychain.withValue(store) {
                do {
                    outcome.set(.success(try await body()))
                } catch {
                    outcome.set(.failure(error))
                }
            }
            done.signal()
        }
        done.wait()
        return try outcome.get()
    }
}

private final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    func set(_ value: Result<Value, any Error>) { result.withLock { $0 = value } }

    func get() throws -> Value {
        guard let result = result.withLock({ $0 }) else { throw TestKeychain.Unavailable() }
        return try result.get()
    }
}

private final class QueueExecutor: TaskExecutor {
    static let shared = QueueExecutor()

    private let queue = DispatchQueue(label: "tests", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The status that `body` throws, or nil.
func status(_ body: () throws -> Void) -> Status? {
    do {
        try body()
        return nil
    } catch {
        return error as? Status ?? .unexpectedError
    }
}
