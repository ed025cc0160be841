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

    /// What a process must be able to do: read what was there, and store what others then read.
    func use(_ name: String, by keychain: Keychain? = nil) -> CInt {
        let keychain = keychain ?? self.keychain
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

    @Test func aKeychainThatIsKeptOpenGoesOnInParentAndChild() throws {
        let kept = keychain.keptOpen()
        try kept.set("before", for: key)
        let folder = test.home.path
        for round in 0..<2 {
            let outcome = try inChild {
                let inherited = OpenDescriptors(below: folder).numbers
                var own: Keychain? = kept
                guard inherited.count == 2, let used = own, use("child \(round)", by: used) == 0
                else { return 3 }
                // The parent's are neither used nor closed.
                let opened = OpenDescriptors(below: folder).numbers.count
                own = nil
                return opened == 4 ? 0 : 4
            }
            #expect(outcome == 0)
            #expect(use("parent \(round)", by: kept) == 0)
        }
        #expect(OpenDescriptors(below: folder).numbers.count == 2)
        #expect(try kept.items().items.count == 5)
    }

    @Test func aChildFromTheMiddleOfAnOperationThatKeepsFilesOpenIsRefused() throws {
        let kept = keychain.keptOpen()
        try kept.set("before", for: key)
        let items = try kept.openStore().itemsForReading()
        let outcome = try inChild {
            do throws(VestryError) {
                _ = try kept.secret(for: key)
                return 1
            } catch {
                return error.code == .notAvailable ? 0 : 2
            }
        }
        #expect(outcome == 0)
        _ = consume items
        #expect(use("parent", by: kept) == 0)
    }

    /// In a child, where no other test gets the numbers that are closed.
    @Test(arguments: [false, true], [false, true])
    func aClosedDescriptorIsNotUsed(_ areOthersOpened: Bool, _ areItemFiles: Bool) throws {
        try keychain.set("before", for: key)
        // An older state of the items, which would pass for theirs.
        let decoy = test.home.path + "/decoy"
        let bytes = try test.home.read("items.sqlite")
        try test.home.write(bytes, to: "../../../decoy")
        try keychain.set("stale", for: ItemKey(service: "later", account: ""))
        let folder = test.home.path
        let storePath = test.home.storePath
        let storeParent = (test.home.storePath as NSString).deletingLastPathComponent
        let outcome = try inChild {
            var kept: Keychain? = keychain.keptOpen()
            var idle: Keychain? = keychain.keptOpen()
            guard kept.map({ use("first", by: $0) }) == 0,
                idle.map({ use("first", by: $0) }) == 0
            else { return 3 }
            let numbers = OpenDescriptors(below: areItemFiles ? storePath : folder).numbers
            guard numbers.count == (areItemFiles ? 2 : 4) else { return 4 }
            for number in numbers { close(number) }
            if areOthersOpened {
                let other = unsafe open(decoy, O_RDWR)
                for number in numbers where number != other { dup2(other, number) }
            }
            // Nothing of others is closed.
            idle = nil
            guard kept.map({ use("second", by: $0) }) == 0 else { return 5 }
            guard kept.map({ use("third", by: $0) }) == 0 else { return 6 }
            kept = nil
            let rest = OpenDescriptors(below: folder).numbers
            guard OpenDescriptors(below: storeParent).numbers.isEmpty else { return 7 }
            return !areOthersOpened || numbers.allSatisfy(rest.contains) ? 0 : 8
        }
        #expect(outcome == 0)
        #expect(try test.home.read("../../../decoy") == bytes)
        #expect(
            try keychain.items().items.map(\.key.service)
                == ["first", "later", "s", "second", "third"])
    }
}
