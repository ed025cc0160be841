import Foundation
import Synchronization
import Testing
import Vestry
import VestryTestSupport

@testable import KeychainAccess

extension TestKeychain {
    /// The keychain below KeychainAccess.
    var store: Vestry.Keychain { keychain }

    /// Makes every keychain of `body` this one.
    func use<Result>(
        groups: [String] = [Vestry.Keychain.defaultAccessGroup], _ body: () throws -> Result
    ) rethrows -> Result {
        var store = store
        store.accessGroups = groups
        return try KeychainAccess.Keychain.$testKeychain.withValue(store) { try body() }
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
