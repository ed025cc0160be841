import Foundation
import SecureMemory
import Synchronization
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// Threads that add, update, read and delete the same items and different ones.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct ConcurrencyTests {
    static let threadCount = 32
    static let duration = Duration.seconds(3)

    let test: TestKeychain
    var keychain: Keychain { test.keychain }

    init() throws { test = try TestKeychain() }

    /// Errors that no thread may see, and how often each did what it does.
    final class Findings: Sendable {
        let errors = Mutex<[String]>([])
        let counts = Mutex<[Int: Int]>([:])
    }

    /// Runs `body` in every thread, again and again until the time is over.
    func inThreads(_ body: @escaping @Sendable (Int, Int) throws(VestryError) -> Void) -> Findings {
        let findings = Findings()
        let done = DispatchGroup()
        for number in 0..<Self.threadCount {
            done.enter()
            Thread.detachNewThread {
                let end = ContinuousClock.now + Self.duration
                var round = 0
                do throws(VestryError) {
                    while ContinuousClock.now < end {
                        round += 1
                        try body(number, round)
                    }
                } catch {
                    findings.errors.withLock { $0.append("\(number), \(round): \(error)") }
                }
                let rounds = round
                findings.counts.withLock { $0[number] = rounds }
                done.leave()
            }
        }
        done.wait()
        return findings
    }

    @Test(arguments: [false, true])
    func noUpdateIsLostAndNoItemIsAbsentMeanwhile(isKeptOpen: Bool) throws {
        let keychain = isKeptOpen ? keychain.keptOpen() : keychain
        let shared = ItemQuery(.genericPassword, [.service: "shared"])
        try keychain.add(.genericPassword, attributes: [.service: "shared"])
        let findings = inThreads { number, round throws(VestryError) in
            let own = ItemKey(service: "own", account: "\(number)")
            try keychain.set(SecretBytes("\(round)"), for: own)
            switch number % 4 {
            case 0: try keychain.update(shared, secret: SecretBytes("by \(number)"))
            case 1: try keychain.update(shared, set: [.comment: "by \(number)"])
            default:
                let found = try keychain.find(shared, wantingSecrets: true).records
                guard found.count == 1 else { throw VestryError(.itemNotFound) }
            }
            guard text(try keychain.secret(for: own)) == "\(round)" else {
                throw VestryError(.itemDamaged, detail: "an older secret came back")
            }
        }
        #expect(findings.errors.withLock { $0 } == [])
        let rounds = findings.counts.withLock { $0 }
        for number in 0..<Self.threadCount {
            let own = ItemKey(service: "own", account: "\(number)")
            #expect(text(try keychain.secret(for: own)) == rounds[number].map { "\($0)" })
        }
        #expect(try test.rows().count == Self.threadCount + 1)
        #expect(test.home.storeEntries() == ["items.sqlite", "keybag", "snapshots"])
    }

    /// Of all who add the same item, exactly one does; of all who delete it, exactly one does.
    @Test(arguments: [false, true])
    func addingAndDeletingTheSameItemTakeTurns(isKeptOpen: Bool) throws {
        let keychain = isKeptOpen ? keychain.keptOpen() : keychain
        let balance = Mutex(0)
        let query = ItemQuery(.internetPassword, [.server: "contested"])
        let findings = inThreads { number, _ throws(VestryError) in
            do throws(VestryError) {
                if number % 2 == 0 {
                    try keychain.add(.internetPassword, attributes: [.server: "contested"])
                    balance.withLock { $0 += 1 }
                } else {
                    try keychain.delete(query)
                    balance.withLock { $0 -= 1 }
                }
            } catch  where [.duplicateItem, .itemNotFound].contains(error.code) {
                return
            }
        }
        #expect(findings.errors.withLock { $0 } == [])
        #expect(try balance.withLock { $0 } == test.rows().count)
    }
}
