import SecureMemory
import TestSupport
import Testing
import Vestry

@testable import Transfer

/// An item as a test compares it.
struct Imported: Equatable, CustomTestStringConvertible {
    let itemClass: ItemClass
    let attributes: [ItemAttribute: AttributeValue]
    let secret: String

    var testDescription: String { "\(itemClass) \(attributes) \(secret)" }

    init(
        _ itemClass: ItemClass, _ attributes: [ItemAttribute: AttributeValue], _ secret: String
    ) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.secret = secret
    }

    init(_ item: ImportedItem) {
        let bytes = item.withSecret { $0.exposed }
        self.init(item.itemClass, item.attributes, String(decoding: bytes, as: UTF8.self))
    }
}

extension ImportBatch {
    var imported: [Imported] { items.map { Imported($0) } }
}

/// Calls a reader with changed and random bytes: it may refuse them, and does not trap.
func survivesChanges(
    of text: String, _ read: (borrowing SecretBytes) throws(ImportProblem) -> ImportBatch
) {
    let bytes = Array(text.utf8)
    for count in 0...bytes.count { _ = try? read(SecretBytes(Array(bytes.prefix(count)))) }
    for _ in 0..<100 {
        var changed = bytes
        for _ in 0...Int.random(in: 0...4) {
            changed[Int.random(in: changed.indices)] = .random(in: .min ... .max)
        }
        _ = try? read(SecretBytes(changed))
        let random = (0..<Int.random(in: 0...60)).map { _ in UInt8.random(in: .min ... .max) }
        _ = try? read(SecretBytes(random))
    }
}
