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
        print("items     operation         ms   floor ms  x floor")
        for size in sizes { try benchmarks.measure(size) }
    }

    let keychain: Keychain
    let rounds: Int
    let floor: Floor

    init(rounds: Int) throws {
        self.rounds = rounds
        keychain = try Keychain()
        floor = Floor(folder: (keychain.path as NSString).deletingLastPathComponent)
    }

    func measure(_ size: Int) throws {
        for number in floor.count..<max(size, floor.count) {
            try keychain.set(secret(), for: key(number))
        }
        floor.fill(to: size)
        let one = ItemQuery(.genericPassword, [.service: "service", .account: "account 7"])
        var listed = ItemQuery(.genericPassword)
        listed.limit = .all
        try row(size, "get", { _ in _ = try keychain.secret(for: key(7)) }, { _ in floor.get(7) })
        try row(
            size, "search", { _ in _ = try keychain.find(one, wantingSecrets: true) },
            { _ in floor.get(7) })
        try row(
            size, "update", { _ in try keychain.set(secret(), for: key(7)) },
            { _ in floor.update(7) })
        // Added ones are taken away again, so that the size stays what the row says.
        try row(
            size, "add", { number in try keychain.add(secret(), for: added(number)) },
            { _ in floor.add() })
        for number in 0..<rounds { try keychain.delete(added(number)) }
        try row(
            size, "list", { _ in _ = try keychain.find(listed) }, { _ in floor.list() },
            rounds: max(3, min(rounds, 20_000 / size)))
    }

    func row(
        _ size: Int, _ name: String, _ operation: (Int) throws -> Void,
        _ least: (Int) -> Void, rounds: Int? = nil
    ) throws {
        var (times, floors): ([Double], [Double]) = ([], [])
        for round in 0..<(rounds ?? self.rounds) {
            times.append(try seconds { try operation(round) })
            floors.append(seconds { least(round) })
        }
        let (time, floor) = (median(times), median(floors))
        print(
            String(
                format: "%-9d %-12@ %9.4f %10.4f %8.2f", size, name as NSString, time * 1000,
                floor * 1000, time / floor))
    }

    func seconds(_ body: () throws -> Void) rethrows -> Double {
        let duration = try ContinuousClock().measure(body)
        return Double(duration.components.seconds)
            + Double(duration.components.attoseconds) / 1e18
    }

    func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    func key(_ number: Int) -> ItemKey { ItemKey(service: "service", account: "account \(number)") }

    func added(_ number: Int) -> ItemKey { ItemKey(service: "added", account: "\(number)") }

    func secret() -> SecretBytes { SecretBytes.random(count: 32) }
}
