internal import Vestry

/// The words of one verb that are typed already.
///
/// Anything goes here: whoever types may still put it right, and the verb itself says what is wrong.
struct CompletedLine {
    let command: any Command.Type
    private let options: [Arguments.Option]
    private var operands: [String] = []
    private var values: [String: String] = [:]
    /// The option that the next word is the value of.
    private(set) var pendingOption: String?
    /// Whether "--" was typed.
    private(set) var isOverWithOptions = false

    init(_ words: some Sequence<String>, _ command: any Command.Type) {
        self.command = command
        let json = Arguments.Option.flag("--json")
        options =
            command.options + (command.options.contains(json) ? [] : [json]) + [.flag("--help")]
        for word in words { add(word) }
    }

    private mutating func add(_ word: String) {
        if let option = pendingOption {
            values[option] = word
            pendingOption = nil
        } else if isOverWithOptions || word.utf8.first != UInt8(ascii: "-") || word == "-" {
            operands.append(word)
        } else if word == "--" {
            isOverWithOptions = true
        } else {
            let (name, value) = Self.parts(of: word)
            if value == nil, takesValue(name) {
                pendingOption = name
            } else {
                values[name] = value ?? ""
            }
        }
    }

    /// The name and the value of `--name=value`, cut as ``Arguments`` does.
    static func parts(of word: String) -> (name: String, value: String?) {
        let parts = word.unicodeScalars.split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
    }

    func takesValue(_ name: String) -> Bool {
        options.contains { $0 == .value(name) || $0 == .list(name) }
    }

    /// The names of the options that may still be given.
    var optionsLeft: [String] {
        options.filter { $0 == .list($0.name) || values[$0.name] == nil }.map(\.name)
    }

    // MARK: Meanings

    /// Of which class the item is that the line names.
    private var itemClass: ItemClass {
        values["--class"].flatMap { ItemClass(word: $0) }
            ?? (values["--server"] == nil ? .genericPassword : .internetPassword)
    }

    func meaning(ofValueOf option: String) -> Completion.Meaning {
        switch (option, command.name) {
        case ("--class", RotateCommand.name): return .words(RotationClass.allCases.map(\.rawValue))
        case ("--class", ListCommand.name):
            return .words(ItemClass.stored.map(\.word) + [ItemClass.anyWord])
        case ("--class", _): return .words(ItemClass.stored.map(\.word))
        case ("--accessible", _), ("--for", _):
            return .words(Accessibility.allCases.map(\.rawValue))
        case ("--synchronizable", _): return .words(["yes", "no", "any"])
        case ("--format", ImportCommand.name):
            return .words(ImportCommand.Format.allCases.map(\.rawValue))
        case ("--merge", _):
            return .words(MergeRule.allCases.map(\.rawValue) + [MergeArguments.askWord])
        case ("--access-control", _):
            return .words(AccessControlWord.all.map(\.word) + ["none"])
        case ("--with", _):
            return .words(
                KeychainProtector.Kind.allCases.filter { $0 != .unknown }.map(\.rawValue))
        case ("--output", _), ("--code-output", _), ("--with-file", _), ("--certificate", _),
            ("--key", SetCommand.name):
            return .file
        case ("--service", DoctorCommand.name): return .unknown
        default: break
        }
        guard let attribute = AttributeOption.giving.first(where: { $0.name == option }) else {
            return .unknown
        }
        switch attribute.form {
        case .yesNo: return .words(["yes", "no"])
        case .textWord(let words): return .words(words.map(\.word))
        case .numberWord(let words): return .words(words.map(\.word))
        case .text: return name(attribute.attribute, of: attribute.impliedClass ?? itemClass)
        default: return .unknown
        }
    }

    var meaningOfOperand: Completion.Meaning {
        switch command.name {
        case SetCommand.name, GetCommand.name, ShowCommand.name, RenameCommand.name,
            DeleteCommand.name, HistoryCommand.name, UndoCommand.name, GenerateCommand.name:
            meaning(ofNameAt: operands.count)
        case ListCommand.name:
            operands.isEmpty ? meaning(ofPlaceOf: itemClass) : .unknown
        case BackupCommand.name, RestoreCommand.name, ImportCommand.name:
            operands.isEmpty ? .file : .unknown
        case ProtectorsCommand.name:
            switch operands {
            case []: .words(["list", "add", "remove"])
            case ["add"]: .words(NewSecret.words)
            case ["add", NewSecret.keyFileWord]: .file
            default: .unknown
            }
        case SnapshotsCommand.name:
            operands.isEmpty ? .words(["list", "make", "restore", "delete"]) : .unknown
        default: .unknown
        }
    }

    private func meaning(ofNameAt index: Int) -> Completion.Meaning {
        switch (itemClass, index) {
        case (.genericPassword, 0): meaning(ofPlaceOf: .genericPassword)
        case (.genericPassword, 1), (.internetPassword, 0): name(.account, of: itemClass)
        default: .unknown
        }
    }

    private func meaning(ofPlaceOf itemClass: ItemClass) -> Completion.Meaning {
        switch itemClass {
        case .genericPassword: name(.service, of: itemClass)
        case .internetPassword: name(.server, of: itemClass)
        case .certificate, .key, .identity: .unknown
        }
    }

    /// A name in items that have the place which was typed.
    private func name(_ attribute: ItemAttribute, of itemClass: ItemClass) -> Completion.Meaning {
        var place: [ItemAttribute: AttributeValue] = [:]
        if attribute == .account {
            place[.service] = (values["--service"] ?? operands.first).map { .string($0) }
            if itemClass == .internetPassword {
                place = values["--server"].map { [.server: .string($0)] } ?? [:]
            }
        }
        return .name(
            StoredName(
                attribute: attribute, itemClass: itemClass, place: place, group: values["--group"]))
    }
}
