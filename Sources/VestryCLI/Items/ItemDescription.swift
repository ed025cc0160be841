internal import Vestry

/// An item as output shows it: its attributes under stable names, and never its secret.
struct ItemDescription {
    enum Value: Equatable {
        case none
        case text(String)
        /// Shown in hexadecimal.
        case bytes([UInt8])
        case number(Int64)
        case bool(Bool)
        /// Seconds since 1970.
        case date(Int64)
        case words([String])
    }

    let members: [(name: String, value: Value)]

    init(_ record: ItemRecord) {
        var members: [(name: String, value: Value)] = [
            ("class", .text(record.itemClass.word)),
            ("reference", .bytes(record.persistentReference)),
        ]
        for attribute in Self.naming(record.itemClass) {
            members.append((Self.name(attribute), Self.value(attribute, of: record)))
        }
        members += [
            ("label", Self.value(.label, of: record)),
            ("accessible", .text(record.accessibility.rawValue)),
            ("accessControl", .words(AccessControlWord.words(record.accessControl))),
            ("group", Self.value(.accessGroup, of: record)),
            ("synchronizable", Self.value(.synchronizable, of: record)),
            ("created", Self.value(.creationDate, of: record)),
            ("modified", Self.value(.modificationDate, of: record)),
            ("expires", Self.value(.expirationDate, of: record)),
        ]
        let shown = Set(members.map(\.name))
        for attribute in ItemAttribute.allCases
        where record[attribute] != nil && !shown.contains(Self.name(attribute)) {
            members.append((Self.name(attribute), Self.value(attribute, of: record)))
        }
        self.members = members
    }

    /// What every item of a class has in its description, first of all.
    private static func naming(_ itemClass: ItemClass) -> [ItemAttribute] {
        switch itemClass {
        case .genericPassword: [.service, .account]
        case .internetPassword:
            [
                .server, .account, .networkProtocol, .authenticationType, .port, .path,
                .securityDomain,
            ]
        case .certificate: [.subject, .issuer, .serialNumber]
        case .key: [.keyClass, .type, .keySizeInBits, .applicationLabel, .applicationTag]
        case .identity: []
        }
    }

    /// The name of an attribute in output.
    static func name(_ attribute: ItemAttribute) -> String {
        names[attribute] ?? "\(attribute)"
    }

    /// Where it is another than in the library.
    private static let names: [ItemAttribute: String] = [
        .accessible: "accessible", .accessControl: "accessControl", .accessGroup: "group",
        .creationDate: "created", .modificationDate: "modified", .expirationDate: "expires",
        .persistentReference: "reference", .kindDescription: "description",
        .isInvisible: "invisible", .isNegative: "negative", .hasCustomIcon: "customIcon",
        .networkProtocol: "protocol", .keySizeInBits: "keySize",
        .isPermanent: "permanent", .isPrivate: "private", .isModifiable: "modifiable",
        .isSensitive: "sensitive", .isExtractable: "extractable",
    ]

    private static func value(_ attribute: ItemAttribute, of record: ItemRecord) -> Value {
        guard let value = record[attribute] else { return .none }
        switch attribute {
        case .subject, .issuer:
            return record.nameText(attribute).map { .text($0) } ?? .none
        case .networkProtocol:
            return .text(word(value.string ?? "", AttributeForm.protocols))
        case .authenticationType:
            return .text(word(value.string ?? "", AttributeForm.authenticationTypes))
        case .keyClass:
            let match = AttributeForm.keyClasses.first { $0.value == value.number }
            return match.map { .text($0.word) } ?? .number(value.number ?? 0)
        default:
            break
        }
        switch value {
        case .string(let text): return .text(text)
        case .data(let bytes): return .bytes(bytes)
        case .number(let number): return .number(number)
        case .bool(let bool): return .bool(bool)
        case .date(let seconds):
            return .date(
                Int64(exactly: seconds.rounded(.down)) ?? (seconds < 0 ? .min : .max))
        }
    }

    private static func word(_ value: String, _ words: [(word: String, value: String)]) -> String {
        words.first { $0.value == value }?.word ?? value
    }

    /// One line for each attribute that the item has: its name, a colon, and its value.
    var text: String {
        members.compactMap { name, value in
            Self.text(value).map { "\(name): \($0)\n" }
        }.joined()
    }

    private static func text(_ value: Value) -> String? {
        switch value {
        case .none: nil
        case .text(let text): text.escapedForTerminal
        case .bytes(let bytes): Hexadecimal.text(bytes)
        case .number(let number): String(number)
        case .bool(let bool): bool ? "yes" : "no"
        case .date(let seconds): Moment.text(seconds)
        case .words(let words): words.isEmpty ? nil : words.joined(separator: ", ")
        }
    }

    var json: JSON { .object(members.map { JSON.Member($0.name, Self.json($0.value)) }) }

    private static func json(_ value: Value) -> JSON {
        switch value {
        case .none: .null
        case .text(let text): .string(text)
        case .bytes(let bytes): .string(Hexadecimal.text(bytes))
        case .number(let number), .date(let number): .number(number)
        case .bool(let bool): .bool(bool)
        case .words(let words): .array(words.map(JSON.string))
        }
    }
}

/// The words for what a read asks for besides (`SecAccessControlCreateFlags`).
enum AccessControlWord {
    static let all: [(word: String, flag: AccessControl.Flags)] = [
        ("user-presence", .userPresence), ("device-passcode", .devicePasscode),
        ("biometry-any", .biometryAny), ("biometry-current-set", .biometryCurrentSet),
        ("watch", .watch), ("or", .or), ("and", .and), ("private-key-usage", .privateKeyUsage),
        ("application-password", .applicationPassword),
    ]

    static func words(_ flags: AccessControl.Flags) -> [String] {
        all.filter { flags.contains($0.flag) }.map(\.word)
    }

    /// Reads words with commas between them, or `none`.
    static func flags(_ text: String) -> AccessControl.Flags? {
        if text == "none" { return [] }
        var flags: AccessControl.Flags = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let match = all.first(where: { $0.word == word }) else { return nil }
            flags.insert(match.flag)
        }
        return flags
    }
}
