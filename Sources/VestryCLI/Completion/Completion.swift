internal import Vestry

/// What the last word of a command line can become.
struct Completion: Equatable {
    /// What stands in the place of that word.
    enum Meaning: Equatable {
        case words([String])
        /// The name of a file, which the shell completes by itself.
        case file
        /// A name that an item of the keychain has.
        case name(StoredName)
        case unknown
    }

    /// The line that means ``Meaning/file``: no word that could be meant here is a slash alone.
    static let fileMark = "/"

    let meaning: Meaning
    /// The part of the word that is decided: the option of `--option=value`, with its "=".
    let option: String
    /// The rest of the word, as far as it is typed.
    let typed: String

    /// Reads a command line.
    ///
    /// - Parameter words: Those behind the program's name, up to the one that is completed, which may be
    ///   empty.
    init(_ words: [String]) {
        let last = words.last ?? ""
        guard words.count > 1, let verb = words.first else {
            self.init(.words(Self.verbs + ["--help", "--version"]), typed: last)
            return
        }
        guard let command = Invocation.commands.first(where: { $0.name == verb }) else {
            let isSubject = verb == "help" && words.count == 2
            self.init(isSubject ? .words(Self.verbs) : .unknown, typed: last)
            return
        }
        let line = CompletedLine(words.dropFirst().dropLast(), command)
        if let option = line.pendingOption {
            self.init(line.meaning(ofValueOf: option), typed: last)
        } else if !line.isOverWithOptions, last.utf8.first == UInt8(ascii: "-") {
            let (name, value) = CompletedLine.parts(of: last)
            if let value {
                self.init(
                    line.takesValue(name) ? line.meaning(ofValueOf: name) : .unknown,
                    option: name + "=", typed: value)
            } else {
                self.init(.words(line.optionsLeft), typed: last)
            }
        } else {
            self.init(line.meaningOfOperand, typed: last)
        }
    }

    private init(_ meaning: Meaning, option: String = "", typed: String) {
        self.meaning = meaning
        self.option = option
        self.typed = typed
    }

    private static var verbs: [String] {
        Invocation.commands.map { $0.name } + [SecurityCommand.name, "help"]
    }

    /// The words that it can become, in the order of their bytes.
    ///
    /// - Parameter find: Looks up the names that items have.
    /// - Returns: Each once, without those that a terminal would obey; ``fileMark`` alone for a file.
    func possibilities(finding find: (StoredName) -> [String]) -> [String] {
        let all: [String] =
            switch meaning {
            case .words(let words): words
            case .file: [Self.fileMark]
            case .name(let name): find(name)
            case .unknown: []
            }
        if meaning == .file { return all }
        let fitting = Set(all).filter { word in
            !word.isEmpty && word.utf8.starts(with: typed.utf8)
                && !word.unicodeScalars.contains(where: \.isInvisible)
        }
        return fitting.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { option + $0 }
    }
}
