internal import Vestry

/// An option that stands for one attribute of an item.
struct AttributeOption: Sendable {
    let name: String
    let attribute: ItemAttribute
    let form: AttributeForm
    let explanation: String
    /// The class of an item that is given no other one.
    let impliedClass: ItemClass?

    init(
        _ name: String, _ attribute: ItemAttribute, _ form: AttributeForm, _ explanation: String,
        of impliedClass: ItemClass? = nil
    ) {
        self.name = name
        self.attribute = attribute
        self.form = form
        self.explanation = explanation
        self.impliedClass = impliedClass
    }

    /// What names an item, or is written down with it.
    static let all: [AttributeOption] = passwords + internetPasswords + others

    private static let passwords: [AttributeOption] = [
        .init("--service", .service, .text, "instead of the argument SERVICE"),
        .init("--account", .account, .text, "instead of the argument ACCOUNT"),
        .init("--label", .label, .text, "a name for people"),
        .init("--comment", .comment, .text, "anything else to say about a password"),
        .init("--description", .kindDescription, .text, "what kind of password it is"),
        .init("--type", .type, .code, "a password's type: four characters or a number"),
        .init("--creator", .creator, .code, "which program made it, likewise"),
        .init("--invisible", .isInvisible, .yesNo, "whether a program shows the password"),
        .init("--negative", .isNegative, .yesNo, "whether people should always be asked for it"),
        .init("--generic", .generic, .bytes, "a program's own bytes, of a generic password"),
        .init("--generic-hex", .generic, .hexadecimal, "the same in hexadecimal"),
        .init("--accessible", .accessible, .accessibility, "when the item can be read"),
    ]

    private static let internetPasswords: [AttributeOption] = [
        .init("--server", .server, .text, "a host name", of: .internetPassword),
        .init(
            "--protocol", .networkProtocol, .textWord(AttributeForm.protocols),
            "such as https, imap, ssh, or a code of four characters", of: .internetPassword),
        .init(
            "--authentication-type", .authenticationType,
            .textWord(AttributeForm.authenticationTypes),
            "such as http-basic, http-digest, html-form", of: .internetPassword),
        .init("--port", .port, .number(atMost: 65_535), "0 is any", of: .internetPassword),
        .init("--path", .path, .text, "on the server", of: .internetPassword),
        .init(
            "--security-domain", .securityDomain, .text, "such as a realm", of: .internetPassword),
    ]

    private static let others: [AttributeOption] = [
        .init(
            "--serial-number", .serialNumber, .hexadecimal, "a certificate's", of: .certificate),
        .init(
            "--public-key-hash", .publicKeyHash, .hexadecimal, "SHA-1 of a certificate's key",
            of: .certificate),
        .init(
            "--key-class", .keyClass, .numberWord(AttributeForm.keyClasses), "which kind of key",
            of: .key),
        .init(
            "--key-type", .type, .numberWord(AttributeForm.keyTypes), "a key's algorithm",
            of: .key),
        .init(
            "--key-size", .keySizeInBits, .number(atMost: 1_000_000), "a key's size in bits",
            of: .key),
        .init(
            "--application-tag", .applicationTag, .bytes, "a program's own name of a key", of: .key),
        .init(
            "--application-label", .applicationLabel, .hexadecimal,
            "SHA-1 of the key, unless a program says otherwise", of: .key),
    ]

    /// What a certificate or a key says itself, and nobody gives it.
    private static let read: Set<String> = [
        "--serial-number", "--public-key-hash", "--key-class", "--key-type", "--key-size",
    ]

    /// The options that say what an item is to have.
    static var giving: [AttributeOption] {
        all.filter { !read.contains($0.name) } + [
            .init("--expires", .expirationDate, .time, "when the item ends: never, a time, or +30d")
        ]
    }

    /// The options for `--help`, one a line.
    static func usage(_ options: [AttributeOption]) -> String {
        usage(lines: options.map { ("\($0.name) \($0.form.placeholder)", $0.explanation) })
    }

    static func usage(lines: [(option: String, explanation: String)]) -> String {
        let width = 30
        return lines.map { option, explanation in
            let indented = "  " + option
            let padding = max(width - indented.count, 2)
            return indented + String(repeating: " ", count: padding) + explanation
        }.joined(separator: "\n")
    }
}

extension ItemClass {
    /// The word that stands for it in arguments and in output.
    var word: String {
        switch self {
        case .genericPassword: "generic-password"
        case .internetPassword: "internet-password"
        case .certificate: "certificate"
        case .key: "key"
        case .identity: "identity"
        }
    }

    /// The classes that items are stored in.
    static let stored: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]

    /// The word for all of them.
    static let anyWord = "any"

    init?(word: String) {
        guard let match = Self.stored.first(where: { $0.word == word }) else { return nil }
        self = match
    }
}
