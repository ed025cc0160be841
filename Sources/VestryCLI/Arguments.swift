/// A mistake in the arguments.
struct UsageError: Error, Equatable {
    let message: String
    let hint: String

    init(_ message: String, verb: String? = nil) {
        self.message = verb.map { "\($0): \(message)" } ?? message
        hint = "'vestry \(verb.map { $0 + " " } ?? "")--help' shows the arguments"
    }
}

/// The arguments of one verb, split into options and operands.
///
/// Options may stand anywhere before `--`, each at most once unless it is a list's, with values as
/// `--name value` or `--name=value`. What begins with a dash and is no known option is refused, so that a mistyped
/// option is never taken for a name.
struct Arguments: Equatable {
    enum Option: Equatable {
        case flag(String)
        case value(String)
        /// May be given several times.
        case list(String)

        var name: String {
            switch self {
            case .flag(let name), .value(let name), .list(let name): name
            }
        }
    }

    let operands: [String]
    private let values: [String: [String]]

    init(
        parsing arguments: [String], options: [Option], verb: String
    ) throws(UsageError) {
        var operands: [String] = []
        var values: [String: [String]] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            }
            guard argument.utf8.first == UInt8(ascii: "-"), argument.utf8.count > 1 else {
                operands.append(argument)
                continue
            }
            // Only the part before "=" is ever shown: the rest may be what should not be there.
            // Cut between scalars: as Characters, "=" and an accent after it are one.
            let parts = argument.unicodeScalars.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = options.first(where: { $0.name == name }) else {
                throw UsageError("unknown option '\(name.escapedForTerminal)'", verb: verb)
            }
            if values[name] != nil, option != .list(name) {
                throw UsageError("option '\(name)' is given twice", verb: verb)
            }
            switch option {
            case .flag:
                guard parts.count == 1 else {
                    throw UsageError("option '\(name)' takes no value", verb: verb)
                }
                values[name] = [""]
            case .value, .list:
                if parts.count == 2 {
                    values[name, default: []].append(String(parts[1]))
                } else if let value = rest.popFirst() {
                    values[name, default: []].append(value)
                } else {
                    throw UsageError("option '\(name)' needs a value", verb: verb)
                }
            }
        }
        self.operands = operands
        self.values = values
    }

    func has(_ flag: String) -> Bool { values[flag] != nil }

    func value(of option: String) -> String? { values[option]?.first }

    /// What a list was given, in that order.
    func values(of option: String) -> [String] { values[option] ?? [] }

    /// A number of digits, nothing else.
    static func number(_ text: String, atMost limit: Int) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...57).contains($0) }),
            let number = Int(text), number <= limit
        else { return nil }
        return number
    }
}
