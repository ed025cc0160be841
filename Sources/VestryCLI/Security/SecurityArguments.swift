internal import LinuxSystem
internal import Vestry

/// The arguments of a `security` verb, by the rules of getopt(3): letters may be joined, a value may
/// follow its letter at once, and the first operand ends the options.
struct SecurityArguments: Equatable {
    private(set) var values: [Character: String] = [:]
    private(set) var flags: Set<Character> = []
    /// Whether `-w` came last, without its value.
    private(set) var asksForPassword = false
    /// The keychains.
    private(set) var operands: [String] = []

    init(parsing arguments: [String], of verb: SecurityVerb) throws(SecurityFailure) {
        var rest = arguments[...]
        if verb.action == .add, rest.last == "-w" {
            asksForPassword = true
            rest.removeLast()
        }
        let valued = verb.otherValues.union(verb.attributes.map(\.letter))
        while let argument = rest.first, argument.utf8.first == UInt8(ascii: "-"),
            argument.utf8.count > 1
        {
            rest.removeFirst()
            if argument == "--" { break }
            var letters = argument.dropFirst()
            while let letter = letters.popFirst() {
                if verb.flags.contains(letter) {
                    flags.insert(letter)
                } else if valued.contains(letter) {
                    guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
                        throw SecurityFailure(
                            usage: verb, "option requires an argument -- \(letter)")
                    }
                    values[letter] = value
                    letters = ""
                } else if letter == "p" {
                    throw SecurityFailure(
                        usage: verb,
                        "-p is not taken for a password; give -w last to be asked for it")
                } else {
                    throw SecurityFailure(
                        usage: verb, "illegal option -- \(String(letter).escapedForTerminal)")
                }
            }
        }
        operands = Array(rest)
        guard !flags.contains("h") else { throw SecurityFailure(usage: verb, nil) }
        for letter in verb.required where values[letter] == nil {
            throw SecurityFailure(usage: verb, "-\(letter) is missing")
        }
    }

    /// The attributes that are given.
    func attributes(
        of verb: SecurityVerb
    ) throws(SecurityFailure) -> [ItemAttribute: AttributeValue] {
        var attributes: [ItemAttribute: AttributeValue] = [:]
        for option in verb.attributes {
            guard let text = values[option.letter] else { continue }
            switch option.form {
            case .text:
                attributes[option.attribute] = .string(text)
            case .bytes:
                attributes[option.attribute] = .data(Array(text.utf8))
            case .code, .codeText:
                guard text.utf8.count == 4 else {
                    throw SecurityFailure(
                        status: 1,
                        "Error: four-character types must be exactly 4 characters long.")
                }
                attributes[option.attribute] =
                    option.form == .code
                    ? .number(text.utf8.reduce(0) { $0 << 8 | Int64($1) }) : .string(text)
            case .port:
                guard let port = Arguments.number(text, atMost: 65_535) else {
                    throw SecurityFailure(usage: verb, "-P needs a number from 0 to 65535")
                }
                // 0 is every port, for the original too.
                attributes[option.attribute] = port == 0 ? nil : .number(Int64(port))
            }
        }
        return attributes
    }
}

/// A failure in the words of `security`, with its exit status.
struct SecurityFailure: Error, Equatable {
    /// The low byte of Apple's number, 2 for wrong usage.
    let status: Int32
    let message: String

    init(status: Int32, _ message: String) {
        self.status = status
        self.message = message
    }

    init(usage verb: SecurityVerb, _ message: String?) {
        self.init(
            status: 2, (message.map { "security: \($0)\n" } ?? "") + verb.usage.droppingLineEnd)
    }

    init(_ operation: String, _ error: VestryError) {
        let status = error.code.rawValue & 0xFF
        self.init(
            status: status == 0 ? 1 : status,
            "security: \(operation): \(Self.texts[error.code] ?? error.description)")
    }

    init(_ failure: Failure) {
        self.init(status: failure.status.rawValue, "security: \(failure.message)")
    }

    /// What Apple's tool says, where scripts look for it.
    private static let texts: [VestryError.Code: String] = [
        .itemNotFound: "The specified item could not be found in the keychain.",
        .duplicateItem: "The specified item already exists in the keychain.",
        .locked: "User interaction is not allowed.",
        .wrongPassword: "The user name or passphrase you entered is not correct.",
        .noSuchKeychain: "The specified keychain could not be found.",
    ]
}

extension String {
    /// Without the line feed at its end.
    fileprivate var droppingLineEnd: String { hasSuffix("\n") ? String(dropLast()) : self }
}
