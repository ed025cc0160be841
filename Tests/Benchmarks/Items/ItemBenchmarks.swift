import Foundation
import Vestry

/// What the operations on items cost, as ratios to their floors in the same run: `ItemBenchmarks
/// [ROUNDS [SIZE...]]`, by a logged-in user whose keychain has no items yet.
///
/// In each round every operation and its floor run once, in turn; the figures are medians.
@main
struct ItemBenchmarks {
    static func main() throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let sizes = numbers.count > 1 ? Array(numbers.dropFirst()) : [10, 1000, 10_000, 100_000]
        let benchmarks = try ItemBenchmarks(rounds: numbers.first ?? 200)
        print("items     operation                        ms   floor ms  x floor")
        for size in sizes { try benchmarks.measure(size) }
    }

    let keychain: Keychain
    let kept: Keychain
    let rounds: Int
    let floor: Floor

    init(rounds: Int) throws {
        self.rounds = rounds
        keychain = try Keychain()
        kept = keychain.keptOpen()
        floor = Floor(folder: (keychain.path as NSString).deletingLastPathComponent)
    }

    func measure(_ size: Int) throws {
        for number in floor.count..<max(size, floor.count) {
            try kept.set(secret(), for: key(number))
        }
        floor.fill(to: size)
        try kept.set(secret(), for: unlockedKey, accessibility: .whenUnlocked)
        let one = ItemQuery(.genericPassword, [.service: "service", .account: "account 7"])
        var listed = ItemQuery(.genericPassword)
        listed.limit = .all
        try row(size, "get", { _ = try $0.secret(for: key(7)) }, { _ in floor.get(7) })
        try row(
            size, "get, unlocked", { _ = try $0.secret(for: unlockedKey) }, { _ in floor.get(7) })
        var turn = 0
        try row(
            size, "get, in turn",
            {
                _ = try $0.secret(for: key(turn % size))
                turn += 7
            }, { floor.get($0 * 7 % size) })
        try row(
            size, "search", { _ = try $0.find(one, wantingSecrets: true) }, { _ in floor.get(7) })
        try row(size, "update", { try $0.set(secret(), for: key(7)) }, { _ in floor.update(7) })
        // Added ones are taken away again, so that the size stays what the row says.
        var count = 0
        try row(
            size, "add",
            {
                try $0.add(secret(), for: added(count))
                count += 1
            }, { _ in floor.add() })
        for number in 0..<count { try kept.delete(added(number)) }
        floor.trim(to: size)
        try row(
            size, "list", { _ = try $0.find(listed) }, { _ in floor.list() },
            rounds: max(3, min(rounds, 20_000 / size)))
    }

    /// One operation on the keychain, on the one that is kept open, and its floor, in turn.
    ///
    /// Of each the second of two is timed: it finds the processor's memory as the same operation has
    /// left it, and the files as nobody else has changed them.
    func row(
        _ size: Int, _ name: String, _ operation: (Keychain) throws -> Void,
        _ least: (Int) -> Void, rounds: Int? = nil
    ) throws {
        var (times, keptTimes, floors): ([Double], [Double], [Double]) = ([], [], [])
        for round in 0..<(rounds ?? self.rounds) {
            try operation(keychain)
            times.append(try seconds { try operation(keychain) })
            least(round)
            floors.append(seconds { least(round) })
            try operation(kept)
            keptTimes.append(try seconds { try operation(kept) })
        }
        let floor = median(floors)
        for (title, time) in [(name, median(times)), (name + ", kept open", median(keptTimes))] {
            print(
                String(
                    format: "%-9d %-26@ %9.4f %10.4f %8.2f", size, title as NSString, time * 1000,
                    floor * 1000, time / floor))
        }
    }

    func seconds(_ body: () throws -> Void) rethrows -> Double {
        let duration = try ContinuousClock().measure(body)
        return Double(duration.components.seconds)
            + Double(duration.components.attoseconds) / 1e18
    }

    func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    func key(_ number: Int) -> ItemKey { ItemKey(service: "service", account: "account \(number)") }

    let unlockedKey = ItemKey(service: "unlocked", account: "")

    func added(_ number: Int) -> ItemKey { ItemKey(service: "added", account: "\(number)") }

    func secret() -> SecretBytes { SecretBytes.random(count: 32) }
}
