internal import Vestry

/// What was found about one item, or about a file.
struct ItemFinding {
    let kind: String
    let detail: String
    let record: ItemRecord?
    let reference: [UInt8]?

    init(_ kind: String, _ detail: String, _ record: ItemRecord?, _ reference: [UInt8]?) {
        self.kind = kind
        self.detail = detail
        self.record = record
        self.reference = reference
    }

    var text: String {
        var about = ""
        if let record {
            let name = ItemLine.text(record).split(separator: "\t").joined(separator: " ")
            about = "\(record.itemClass.word) \(name): "
        } else if let reference {
            about = "reference \(Hexadecimal.text(reference)): "
        }
        return "\(kind): \(about)\(detail.escapedForTerminal)\n"
    }

    var json: JSON {
        .object([
            .init("kind", .string(kind)),
            .init("message", .string(detail)),
            .init("reference", reference.map { .string(Hexadecimal.text($0)) } ?? .null),
            .init("item", record.map { ItemDescription($0).json } ?? .null),
        ])
    }
}
