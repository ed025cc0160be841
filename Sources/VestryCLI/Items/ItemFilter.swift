internal import Vestry

/// Which items a command on many is about: conditions on attributes and on parts of texts.
struct ItemFilter: Equatable {
    let selection: ItemSelection
    private let label: Match?
    private let subject: Match?
    private let hostOrSubdomain: String?
    private let isCaseInsensitive: Bool

    /// Where a text must have another one.
    private struct Match: Equatable {
        let kind: Kind
        let text: String

        enum Kind: String, CaseIterable {
            case contains
            case startsWith = "starts-with"
            case endsWith = "ends-with"
            case isWhole = "is"
        }

        var condition: ItemQuery.TextMatch {
            switch kind {
            case .contains: .contains(text)
            case .startsWith: .startsWith(text)
            case .endsWith: .endsWith(text)
            case .isWhole: .whole(text)
            }
        }
    }

    static let options: [Arguments.Option] =
        ItemSelection.options
        + Match.Kind.allCases.filter { $0 != .isWhole }.map { .value("--label-\($0.rawValue)") }
        + Match.Kind.allCases.map { .value("--subject-\($0.rawValue)") }
        + [.value("--domain"), .flag("--ignore-case")]

    /// The options, for `--help`.
    static let usage = """
        \(AttributeOption.usage(lines: [
            ("--label-contains TEXT", "the label has TEXT in it"),
            ("--label-starts-with TEXT", "the label begins with TEXT"),
            ("--label-ends-with TEXT", "the label ends with TEXT"),
            ("--subject-contains TEXT", "a certificate's subject, such as CN=example.org,O=Example,"),
            ("", "has TEXT in it"),
            ("--subject-starts-with TEXT", "likewise"),
            ("--subject-ends-with TEXT", "likewise"),
            ("--subject-is TEXT", "likewise"),
            ("--domain HOST", "an internet password's server is HOST or in that domain"),
            ("--ignore-case", "compare texts without regard to case"),
        ]))

        \(ItemSelection.usage)
        """

    init(
        _ arguments: Arguments, operands: ItemArguments.Operands, allowsEveryClass: Bool = false,
        of command: (some Command).Type
    ) throws(UsageError) {
        hostOrSubdomain = arguments.value(of: "--domain")
        label = try Self.match("label", arguments, of: command)
        subject = try Self.match("subject", arguments, of: command)
        selection = try ItemSelection(
            arguments, operands: operands,
            class: hostOrSubdomain != nil
                ? .internetPassword : subject != nil ? .certificate : nil,
            allowsEveryClass: allowsEveryClass, of: command)
        isCaseInsensitive = arguments.has("--ignore-case")
    }

    private static func match(
        _ name: String, _ arguments: Arguments, of command: (some Command).Type
    ) throws(UsageError) -> Match? {
        var matches: [Match] = []
        for kind in Match.Kind.allCases {
            if let text = arguments.value(of: "--\(name)-\(kind.rawValue)") {
                matches.append(Match(kind: kind, text: text))
            }
        }
        guard matches.count <= 1 else {
            throw command.usageError("only one of the options '--\(name)-...' can be given")
        }
        return matches.first
    }

    /// Whether there is more than the attributes' values.
    var hasTextConditions: Bool {
        label != nil || subject != nil || hostOrSubdomain != nil || isCaseInsensitive
    }

    /// All items that match.
    var query: ItemQuery {
        var query = selection.query
        query.limit = .all
        query.label = label?.condition
        query.subject = subject?.condition
        query.hostOrSubdomain = hostOrSubdomain
        query.isCaseInsensitive = isCaseInsensitive
        return query
    }
}
