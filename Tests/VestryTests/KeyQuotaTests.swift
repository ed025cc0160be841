import Testing

@testable import Vestry

@Suite struct KeyQuotaTests {
    /// As proc(5) shows it.
    static let text = """
            0:   112 111/111 106/1000000 1916/25000000
         2001:     6 6/6 190/200 19999/20000
        20010:     1 1/1 1/200 9/20000

        """

    @Test(
        arguments: [
            (0, 106, 1_000_000, 1916, 25_000_000), (2001, 190, 200, 19_999, 20_000),
            (20_010, 1, 200, 9, 20_000),
        ] as [(UInt32, Int, Int, Int, Int)])
    func readsTheUsersLine(user: UInt32, keys: Int, keyLimit: Int, bytes: Int, byteLimit: Int) {
        let quota = KeyQuota(of: user, in: Self.text)
        #expect(quota?.keys == keys && quota?.keyLimit == keyLimit)
        #expect(quota?.bytes == bytes && quota?.byteLimit == byteLimit)
    }

    @Test func theScarcerOfBothCounts() {
        #expect(KeyQuota(of: 2001, in: Self.text)?.usedPercent == 99)
        #expect(KeyQuota(of: 20_010, in: Self.text)?.usedPercent == 0)
        #expect(KeyQuota(of: 1, in: "1: 1 1/1 150/200 1/20000")?.usedPercent == 75)
        #expect(KeyQuota(of: 1, in: "1: 1 1/1 0/0 0/0")?.usedPercent == 0)
    }

    @Test(arguments: ["", "2001:", "2001: 1 1/1 1 1", "2001: 1 1/1 x/y 1/2", "200: 1 1/1 1/2 1/2"])
    func saysNothingOfWhatItDoesNotUnderstand(_ text: String) {
        #expect(KeyQuota(of: 2001, in: text) == nil)
    }

    @Test func theMessageHasTheFigures() {
        let error = VestryError.quotaExceeded()
        #expect(error.code == .quotaExceeded)
        #expect(error.description.contains("kernel.keys.maxkeys"))
    }
}
