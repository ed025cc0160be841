import Glibc
import SecureMemory
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// The number of items, from `VESTRY_BENCHMARKS`.
private let benchmarkedCount = unsafe getenv("VESTRY_BENCHMARKS").flatMap {
    unsafe Int(String(cString: $0))
}

/// What operations cost among few and among many items, as ratios.
///
/// By hand, never in CI: `VESTRY_BENCHMARKS=100000 swift test --filter ScaleTests`, with the number
/// of items; the times belong to the machine and to the moment.
@Suite(
    .serialized,
    .enabled(
        if: benchmarkedCount != nil && TestKeychain.isPossible, "set VESTRY_BENCHMARKS"))
struct ScaleTests {
    static let count = unsafe getenv("VESTRY_BENCHMARKS").flatMap {
        unsafe Int(String(cString: $0))
    }

    let test: TestKeychain
    var keychain: Keychain { test.keychain }

    init() throws { test = try TestKeychain() }

    /// Adds items in one transaction: every service has a hundred accounts, and every account is in
    /// many services.
    func fill(_ numbers: Range<Int>) throws {
        let store = try keychain.openStore()
        let tags = try store.tags()
        guard let items = try store.itemsForWriting(creating: true) else {
            throw TestKeychain.Unavailable()
        }
        let transaction = ItemTransaction(store, tags, items)
        for number in numbers {
            var changes = ItemChanges()
            changes.values = [
                .service: .string("s\(number / 100)"), .account: .string("a\(number % 100)"),
            ]
            _ = try transaction.insert(
                .genericPassword, changes, group: Keychain.defaultAccessGroup,
                secret: SecretBytes("secret"))
        }
        try transaction.commit()
    }

    /// The least of many: what the operation costs when nobody else is in the way.
    func cost(_ repetitions: Int = 200, _ body: (Int) throws -> Void) rethrows -> Duration {
        var least = Duration.seconds(1000)
        for repetition in 0..<repetitions {
            try least = min(least, ContinuousClock().measure { try body(repetition) })
        }
        return least
    }

    @Test func oneItemCostsTheSameAmongMany() throws {
        let total = benchmarkedCount ?? 10
        var rows: [[Duration]] = []
        for range in [0..<10, 10..<total] {
            try fill(range)
            let key = ItemKey(service: "s0", account: "a7")
            let both: [ItemAttribute: AttributeValue] = [.service: "s0", .account: "a7"]
            rows.append([
                try cost { _ in _ = try keychain.secret(for: key) },
                try cost { _ in
                    _ = try keychain.find(
                        ItemQuery(.genericPassword, both), wantingSecrets: true)
                },
                try cost { number in
                    try keychain.add(
                        .genericPassword,
                        attributes: [
                            .service: .string("new\(range.upperBound)"),
                            .account: .string("\(number)"),
                        ])
                },
                try cost { _ in
                    try keychain.update(ItemQuery(.genericPassword, both), set: [.label: "x"])
                },
            ])
        }
        for (name, costs) in zip(["get", "find", "add", "update"], zip(rows[0], rows[1])) {
            print(
                "\(name): \(costs.0) among 10, \(costs.1) among \(total), ratio",
                costs.1 / costs.0)
        }
        var all = ItemQuery(.genericPassword)
        all.limit = .all
        print("list: \(try cost(1) { _ in _ = try keychain.find(all) })")
    }
}
