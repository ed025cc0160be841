internal import Vestry

/// What was found about one item, or about a file.
struct ItemFinding {
    let kind: String
    let detail: String
    let record: ItemRecord?
    let reference: [UInt8]?
    let oldSecretNumber: Int?
    let snapshot: String?

    init(_ finding: CheckReport.Finding) {
        kind = finding.kind.rawValue
        detail = finding.detail
        record = finding.record
        reference = finding.reference
        oldSecretNumber = finding.oldSecretNumber
        snapshot = finding.snapshot
    }

    init(_ step: RepairReport.Step) {
        kind = step.kind.rawValue
        detail = step.detail
        record = step.record
        reference = step.reference
        oldSecretNumber = step.oldSecretNumber
        snapshot = nil
    }

    var text: String {
        var about = ""
        if let record {
            let name = ItemLine.text(record).split(separator: "\t").joined(separator: " ")
            about = "\(record.itemClass.word) \(name): "
        } else if let reference {
            about = "reference \(Hexadecimal.text(reference)): "
        }
        if let oldSecretNumber { about += "old secret \(oldSecretNumber): " }
        let place = snapshot.map { "snapshot \($0): " } ?? ""
        return "\(kind): \(place)\(about)\(detail.escapedForTerminal)\n"
    }

    var json: JSON {
        .object([
            .init("kind", .string(kind)),
            .init("message", .string(detail)),
            .init("reference", reference.map { .string(Hexadecimal.text($0)) } ?? .null),
            .init("oldSecret", oldSecretNumber.map { .number(Int64($0)) } ?? .null),
            .init("snapshot", snapshot.map { .string($0) } ?? .null),
            .init("item", record.map { ItemDescription($0).json } ?? .null),
        ])
    }
}
