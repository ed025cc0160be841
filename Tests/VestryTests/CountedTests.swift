import Testing

@testable import Vestry

@Suite struct CountedTests {
    @Test(arguments: [(0, "0 items"), (1, "1 item"), (2, "2 items"), (11, "11 items")])
    func oneIsNotMany(_ count: Int, _ text: String) {
        #expect(count.counted("item") == text)
    }

    @Test func aVerbGoesAlong() {
        #expect(1.counted("item is", "items are") == "1 item is")
        #expect(0.counted("item is", "items are") == "0 items are")
    }
}
