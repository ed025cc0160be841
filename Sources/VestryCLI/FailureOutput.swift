internal import LinuxSystem
internal import Vestry

extension Failure {
    /// The cause and the next step, for people.
    var text: String { text(of: "vestry") }

    /// The same, of a program with another name.
    func text(of program: String) -> String {
        "\(program): \(message)\n\(program): hint: \(hint)\n"
    }

    /// The same for programs.
    var json: JSON {
        .object([
            .init(
                "error",
                .object([
                    .init("code", code.map { .number(Int64($0.rawValue)) } ?? .null),
                    .init("name", .string(name)),
                    .init("status", .number(Int64(status.rawValue))),
                    .init("message", .string(message)),
                    .init("next", .string(hint)),
                ]))
        ])
    }

    /// A word for the reason: of the library's code, the command's own, or that of the exit status.
    var name: String { reason ?? code.flatMap { Self.names[$0] } ?? "\(status)" }

    private static let names: [VestryError.Code: String] = [
        .itemNotFound: "itemNotFound", .duplicateItem: "duplicateItem", .locked: "locked",
        .wrongPassword: "wrongPassword", .cancelled: "cancelled", .parameter: "parameter",
        .notAvailable: "notAvailable", .serviceNotAvailable: "serviceNotAvailable",
        .noSuchKeychain: "noSuchKeychain", .dataTooLarge: "dataTooLarge", .damaged: "damaged",
        .itemDamaged: "itemDamaged", .newerFormat: "newerFormat", .diskFull: "diskFull",
        .readOnly: "readOnly", .denied: "denied", .busy: "busy",
        .quotaExceeded: "quotaExceeded", .outOfMemory: "outOfMemory", .timedOut: "timedOut",
        .missingEntitlement: "missingEntitlement", .readOnlyAttribute: "readOnlyAttribute",
        .unimplemented: "unimplemented", .conversion: "conversion",
        .inputOutput: "inputOutput", .backupDamaged: "backupDamaged", .fileExists: "fileExists",
    ]
}
