import TestSupport
import Testing

@testable import ItemStore

@Suite struct ItemSearchTests {
    let home: TemporaryHome

    /// Rows 1 to 9: all have tag 100; even ones 102; multiples of three 103; row 1 alone 101.
    init() throws {
        home = try TemporaryHome()
        try write(in: home) { store in
            for byte in UInt8(1)...9 {
                var tags = [tag(100)]
                if byte % 2 == 0 { tags.append(tag(102)) }
                if byte % 3 == 0 { tags.append(tag(103)) }
                if byte == 1 { tags.append(tag(101)) }
                try store.insert(row(byte), tags: tags)
            }
        }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let search: ItemSearch
        let expected: [Int64]

        init(_ name: String, _ search: ItemSearch, _ expected: [Int64]) {
            testDescription = name
            self.search = search
            self.expected = expected
        }
    }

    static func reference(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 16) }

    static let cases = [
        Case("nothing asked for", ItemSearch(), Array(1...9)),
        Case("one tag", ItemSearch(tags: [tag(102)]), [2, 4, 6, 8]),
        Case("two tags", ItemSearch(tags: [tag(102), tag(103)]), [6]),
        Case("a common and a rare tag", ItemSearch(tags: [tag(100), tag(101)]), [1]),
        Case("a tag that no row has", ItemSearch(tags: [tag(100), tag(99)]), []),
        Case("alternatives", ItemSearch(alternatives: [tag(103), tag(102)]), [2, 3, 4, 6, 8, 9]),
        Case(
            "a tag and alternatives",
            ItemSearch(tags: [tag(100)], alternatives: [tag(101), tag(103)]), [1, 3, 6, 9]),
        Case("a reference", ItemSearch(reference: reference(5)), [5]),
        Case("a reference and its tag", ItemSearch(reference: reference(4), tags: [tag(102)]), [4]),
        Case(
            "a reference and another's tag",
            ItemSearch(reference: reference(5), tags: [tag(102)]), []),
        Case(
            "a reference and alternatives",
            ItemSearch(reference: reference(9), alternatives: [tag(101), tag(103)]), [9]),
        Case("a reference of no row", ItemSearch(reference: reference(77)), []),
    ]

    @Test(arguments: cases)
    func finds(_ search: Case) throws {
        #expect(try read(in: home) { try $0.numbers(search.search) } == search.expected)
    }

    @Test func theOrderOutlivesUpdates() throws {
        try write(in: home) { try $0.update(row(2, version: 2), tags: [tag(102)]) }
        #expect(
            try read(in: home) { try $0.numbers(ItemSearch(tags: [tag(102)])) } == [2, 4, 6, 8])
    }
}
