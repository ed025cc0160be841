import Foundation
import Testing

@testable import ItemStore

struct PatienceTests {
    let start = ContinuousClock.now

    /// Looks every half second from the start on; the second at which the wait is over.
    func end(of patience: Patience, atMost seconds: Int, change: () -> Void = {}) -> Double? {
        patience.begin(at: start)
        for look in 1...2 * seconds {
            change()
            if !patience.isLeft(at: start + .milliseconds(500 * look)) { return Double(look) / 2 }
        }
        return nil
    }

    @Test func itEndsWhenNobodyGetsAhead() {
        #expect(end(of: Patience(path: "/nowhere"), atMost: 20) == 5)
    }

    @Test func itEndsAfterAMinuteInAnyCase() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var age = 0.0
        let end = end(of: Patience(path: file.path), atMost: 100) {
            age += 1
            try? FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: age)], ofItemAtPath: file.path)
        }
        #expect(end == 60)
    }

    @Test func aMachineThatSleptEndsNoWait() {
        let patience = Patience(path: "/nowhere")
        patience.begin(at: start)
        #expect(patience.isLeft(at: start + .seconds(3600)))
        #expect(patience.isLeft(at: start + .seconds(7200)))
    }
}
