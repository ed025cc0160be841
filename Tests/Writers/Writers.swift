import Foundation
import Synchronization
import Vestry

/// One of several processes that use one keychain from many threads: `Writers PROCESS THREADS
/// SECONDS`, PROCESS counting from 0.
///
/// Prints a line `error ...` for each thing that must not happen; then `own`, `added` and `deleted` with
/// how often it did each, and `secret` and `comment` with the round of the last value that it stored
/// where it alone writes.
@main
struct Writers {
    static func main() throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard numbers.count == 3 else { exit(2) }
        let writers = try Writers(process: numbers[0], threads: numbers[1])
        writers.run(for: .seconds(numbers[2]))
    }

    let process: Int
    /// Of each thread: every second keeps its files open.
    let keychains: [Keychain]
    let findings = Findings()

    init(process: Int, threads: Int) throws {
        self.process = process
        let keychain = try Keychain()
        keychains = (0..<threads).map { ($0 + process) % 2 == 0 ? keychain : keychain.keptOpen() }
    }

    final class Findings: Sendable {
        let lines = Mutex<[String]>([])
        let counts = Mutex<[String: Int]>([:])

        func count(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
        func report(_ line: String) { lines.withLock { $0.append(line) } }
    }

    func run(for duration: Duration) {
        let end = ContinuousClock.now + duration
        let done = DispatchGroup()
        for thread in keychains.indices {
            done.enter()
            Thread.detachNewThread {
                var round = 0
                while ContinuousClock.now < end {
                    round += 1
                    turn(thread, round)
                }
                done.leave()
            }
        }
        done.wait()
        for line in findings.lines.withLock({ $0 }) { print("error", line) }
        for (name, count) in findings.counts.withLock({ $0 }) { print(name, count) }
    }

    /// One thing of each kind, and what must be true after it.
    func turn(_ thread: Int, _ round: Int) {
        attempt("own", thread, round) { try ownItem(thread, round) }
        attempt("contested", thread, round) { try contestedItem(thread) }
        attempt("shared", thread, round) { try sharedItem(thread, round) }
    }

    func attempt(_ name: String, _ thread: Int, _ round: Int, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            findings.report("\(name) \(process)/\(thread)/\(round): \(error)")
        }
    }

    /// Nobody else touches it: added, read, updated, read, and every third time deleted.
    func ownItem(_ thread: Int, _ round: Int) throws {
        let keychain = keychains[thread]
        let attributes: [ItemAttribute: AttributeValue] = [
            .service: "own", .account: .string("\(process)/\(thread)"),
        ]
        let query = ItemQuery(.genericPassword, attributes)
        if round % 3 == 1 {
            try keychain.add(.genericPassword, attributes: attributes, secret: secret("\(round)"))
        } else {
            guard try keychain.update(query, secret: secret("\(round)")) == 1 else {
                throw VestryError(.duplicateItem)
            }
        }
        let read = try keychain.find(query, wantingSecrets: true).records.map(\.string)
        guard read == ["\(round)"] else {
            return findings.report("own \(process)/\(thread)/\(round): \(read)")
        }
        if round % 3 == 0 { try keychain.delete(query) }
        findings.count("own")
    }

    /// All add and delete it: how many did is the number of items in the end, 0 or 1.
    func contestedItem(_ thread: Int) throws {
        let keychain = keychains[thread]
        do {
            if thread % 2 == 0 {
                try keychain.add(.internetPassword, attributes: [.server: "contested"])
                findings.count("added")
            } else {
                try keychain.delete(ItemQuery(.internetPassword, [.server: "contested"]))
                findings.count("deleted")
            }
        } catch VestryError.Code.duplicateItem {
        } catch VestryError.Code.itemNotFound {
        }
    }

    /// All update it, each thread an attribute or the secret, and it is never absent.
    func sharedItem(_ thread: Int, _ round: Int) throws {
        let keychain = keychains[thread]
        let query = ItemQuery(.genericPassword, [.service: "shared"])
        let text = "\(process)/\(thread)/\(round)"
        switch (process, thread) {
        case (0, 0):
            try keychain.update(query, secret: secret(text))
            findings.counts.withLock { $0["secret"] = round }
        case (1, 0):
            try keychain.update(query, set: [.comment: .string(text)])
            findings.counts.withLock { $0["comment"] = round }
        case (_, 1): try keychain.update(query, set: [.label: .string(text)])
        default:
            guard try keychain.find(query, wantingSecrets: true).records.count == 1 else {
                throw VestryError(.itemNotFound)
            }
        }
    }

    func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }
}
