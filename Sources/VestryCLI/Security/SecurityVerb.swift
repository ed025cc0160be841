internal import Vestry

/// A verb of macOS's `security` that works here too.
struct SecurityVerb: Sendable {
    enum Action: Sendable {
        case find
        case add
        case delete
    }

    let action: Action
    let itemClass: ItemClass

    static let all: [SecurityVerb] = [ItemClass.genericPassword, .internetPassword].flatMap {
        [
            SecurityVerb(action: .find, itemClass: $0), SecurityVerb(action: .add, itemClass: $0),
            SecurityVerb(action: .delete, itemClass: $0),
        ]
    }

    var name: String { "\(action)-\(itemClass.word)" }

    init(action: Action, itemClass: ItemClass) {
        self.action = action
        self.itemClass = itemClass
    }

    init?(named name: String) {
        guard let match = Self.all.first(where: { $0.name == name }) else { return nil }
        self = match
    }

    /// An option that stands for an attribute.
    struct Attribute: Sendable {
        let letter: Character
        let attribute: ItemAttribute
        let form: Form
        let explanation: String

        enum Form: Sendable {
            case text
            case bytes
            case code
            case codeText
            case port
        }
    }

    var attributes: [Attribute] {
        Self.common + (itemClass == .genericPassword ? Self.ofGeneric : Self.ofInternet)
    }

    private static let common: [Attribute] = [
        Attribute(letter: "a", attribute: .account, form: .text, explanation: "account"),
        Attribute(letter: "c", attribute: .creator, form: .code, explanation: "creator"),
        Attribute(letter: "C", attribute: .type, form: .code, explanation: "type"),
        Attribute(letter: "D", attribute: .kindDescription, form: .text, explanation: "kind"),
        Attribute(letter: "j", attribute: .comment, form: .text, explanation: "comment"),
        Attribute(letter: "l", attribute: .label, form: .text, explanation: "label"),
    ]
    private static let ofGeneric: [Attribute] = [
        Attribute(letter: "G", attribute: .generic, form: .bytes, explanation: "generic attribute"),
        Attribute(letter: "s", attribute: .service, form: .text, explanation: "service"),
    ]
    private static let ofInternet: [Attribute] = [
        Attribute(
            letter: "d", attribute: .securityDomain, form: .text, explanation: "security domain"),
        Attribute(letter: "p", attribute: .path, form: .text, explanation: "path"),
        Attribute(letter: "P", attribute: .port, form: .port, explanation: "port number"),
        Attribute(
            letter: "r", attribute: .networkProtocol, form: .codeText,
            explanation: "protocol, such as htps"),
        Attribute(letter: "s", attribute: .server, form: .text, explanation: "server"),
        Attribute(
            letter: "t", attribute: .authenticationType, form: .codeText,
            explanation: "authentication type, such as form"),
    ]

    /// The letters of options without a value.
    var flags: Set<Character> {
        switch action {
        case .find: ["g", "h", "w"]
        case .add: ["A", "h", "U"]
        // Taken by the original and without effect there too.
        case .delete: ["g", "h"]
        }
    }

    /// The letters of options with a value that is no attribute.
    var otherValues: Set<Character> { action == .add ? ["w", "X", "T"] : [] }

    /// What an item cannot be added without.
    var required: [Character] { action == .add ? ["a", "s"] : [] }

    var usage: String {
        var lines = attributes.map { (option: "-\($0.letter) VALUE", explanation: $0.explanation) }
        switch action {
        case .find:
            lines.append(("-g", "print the password on standard error too"))
            lines.append(("-w", "print the password alone, on standard output"))
        case .add:
            lines.append(("-w PASSWORD", "the password; last and without a value, it is asked for"))
            lines.append(("-X HEX", "the password in hexadecimal"))
            lines.append(("-U", "update the item where there is one"))
            lines.append(("-A, -T PROGRAM", "taken, and without effect here"))
        case .delete:
            break
        }
        let operands = action == .add ? "[KEYCHAIN]" : "[KEYCHAIN...]"
        return "usage: vestry security \(name) [OPTION...] \(operands)\n\n"
            + AttributeOption.usage(lines: lines) + "\n"
            + (action == .add ? "\n\(SecurityCommand.argumentWarning)\n" : "")
    }
}
