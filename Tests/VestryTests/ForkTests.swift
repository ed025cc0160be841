import Foundation
import Glibc
import ItemStore
import SecureMemory
import Synchronization
import TestSupport
import VestryTestSupport
import Testing

@testable import Vestry

/// Programs that fork after they have used a keychain, as servers and interpreters do.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct ForkTests {
    let test: TestKeychain
    var keychain: Keychain { test.keychain }
    let key = ItemKey(service: "s", account: "a")

    init() throws { test = try TestKeychain() }

    /// Runs `body` in a child of fork(2), which Swift hides.
    ///
    /// - Returns: What `body` returned, 0 to 125; more where the child did not get that far.
    func inChild(_ body: () -> CInt) throws -> CInt {
        typealias Fork = @convention(c) () -> pid_t
        let symbol = try #require(unsafe dlsym(nil, "fork"))
        let child = unsafe unsafeBitCast(symbol, to: Fork.self)()
        if child == 0 {
            // Whatever hangs is over soon, and nothing of the parent's runs at the end.
            alarm(20)
            _exit(body())
        }
        var status: CInt = 0
        try #require(unsafe waitpid(child, &status, 0) == child)
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 126
    }

    /// What a process must be able to do: read what was there, and store what others then read.
    func use(_ name: String) -> CInt {
        do throws(VestryError) {
            guard try keychain.string(for: key) == "before" else { return 1 }
            try keychain.set(name, for: ItemKey(service: name, account: ""))
            return 0
        } catch {
            return 2
        }
    }

    @Test func parentAndChildBothGoOn() throws {
        try keychain.set("before", for: key)
        #expect(try inChild { use("child") } == 0)
        #expect(use("parent") == 0)
        #expect(try keychain.items().items.map(\.key.service) == ["child", "parent", "s"])
    }

    @Test func aForkWaitsForTheOperationsOfOtherThreads() throws {
        try keychain.set("before", for: key)
        let failures = Mutex(0)
        let isOver = Atomic(false)
        let done = DispatchGroup()
        for _ in 0..<4 {
            done.enter()
            Thread.detachNewThread { [keychain, key] in
                while !isOver.load(ordering: .relaxed) {
                    do {
                        _ = try keychain.string(for: key)
                    } catch {
                        failures.withLock { $0 += 1 }
                    }
                }
                done.leave()
            }
        }
        for round in 0..<20 {
            #expect(try inChild { use("child \(round)") } == 0)
        }
        isOver.store(true, ordering: .relaxed)
        done.wait()
        #expect(failures.withLock { $0 } == 0)
        #expect(try keychain.items().items.count == 21)
    }

    @Test func aChildFromTheMiddleOfAnOperationIsRefused() throws {
        try keychain.set("before", for: key)
        let directory = try test.home.storeDirectory()
        let items = try ItemStore.openForReading(in: directory, storeID: test.keyring.store.bytes)
        let outcome = try inChild {
            do throws(VestryError) {
                _ = try keychain.secret(for: key)
                return 1
            } catch {
                return error.code == .notAvailable ? 0 : 2
            }
        }
        #expect(outcome == 0)
        _ = consume items
        #expect(use("parent") == 0)
    }
}
