internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// `vestry generate`: makes a password, to print or to store it.
struct GenerateCommand: Command, Equatable {
    static let name = "generate"
    static let usage = """
        usage: vestry generate [OPTION...] [SERVICE ACCOUNT]
               vestry generate --server HOST [OPTION...] [ACCOUNT]

        Makes a password of random characters and prints it, or stores it where an item is named, in
        place of the secret that the item has now. What is stored is not printed. Every password of
        the length that has a character of each of the sets is as likely as any other.

          --length NUMBER             how many characters, 24 unless given, at most 4096
          --characters SETS           the sets, with commas between them: lower, upper, digits,
                                      symbols; the first three unless given
          --without-lookalikes        leave out 0 O o 1 l I |
          --show                      print also what is stored
          --json                      print {"password":TEXT or null,"result":"added" or "updated"
                                      or null,"reference":HEX or null}
        \(ItemStorage.usage)
        """
    static let options: [Arguments.Option] =
        ItemStorage.options + [
            .value("--length"), .value("--characters"), .flag("--without-lookalikes"),
            .flag("--show"), .flag("--json"),
        ]

    let recipe: PasswordRecipe
    /// Nil where the password is only printed.
    let storage: ItemStorage?
    let isShown: Bool
    let isJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        recipe = try PasswordRecipe(arguments, of: Self.self)
        isJSON = arguments.has("--json")
        let storage = try ItemStorage(arguments, of: Self.self)
        if storage.item.values.isEmpty && storage.item.itemClass == .genericPassword {
            self.storage = nil
            isShown = true
            guard storage.mode == .addOrUpdate else {
                throw Self.usageError("expected SERVICE and ACCOUNT")
            }
        } else {
            try storage.checkNamesPassword(of: Self.self)
            self.storage = storage
            isShown = arguments.has("--show")
        }
    }

    func run() throws(Failure) -> ExitStatus {
        let password = recipe.password()
        var members: [JSON.Member] = [.init("result", .null), .init("reference", .null)]
        if let storage {
            let keychain = try storage.item.keychain()
            let outcome = try storage.store(password, in: keychain)
            if isJSON, case .object(let result) = storage.json(outcome, in: keychain) {
                members = result
            }
        }
        if isJSON {
            writeJSON(password, members)
        } else if isShown {
            password.withBytes { StandardStream.output.write($0) }
            if StandardStream.output.isTerminal { StandardStream.output.write("\n") }
        }
        return .done
    }

    /// Writes the password by itself, so that no `String` ever has it.
    private func writeJSON(_ password: borrowing SecretBytes, _ members: [JSON.Member]) {
        let rest = JSON.object(members).text.dropFirst()
        guard isShown else {
            StandardStream.output.write("{\"password\":null,\(rest)\n")
            return
        }
        StandardStream.output.write("{\"password\":\"")
        // Of a recipe's characters, these two alone mean something in JSON.
        let escaped = SecretBytes(
            capacity: password.count * 2,
            filledBy: { (bytes) in
                password.withBytes { plain in
                    var count = 0
                    for index in plain.indices {
                        if plain[index] == UInt8(ascii: "\"") || plain[index] == UInt8(ascii: "\\")
                        {
                            bytes[count] = UInt8(ascii: "\\")
                            count += 1
                        }
                        bytes[count] = plain[index]
                        count += 1
                    }
                    return count
                }
            })
        escaped.withBytes { StandardStream.output.write($0) }
        StandardStream.output.write("\",\(rest)\n")
    }
}

/// What a generated password is made of.
struct PasswordRecipe: Equatable {
    static let maximumLength = 4096

    private static let all: [(word: String, characters: String)] = [
        ("lower", "abcdefghijklmnopqrstuvwxyz"), ("upper", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        ("digits", "0123456789"), ("symbols", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
    ]
    private static let lookalikes = Array("0Oo1lI|".utf8)

    let length: Int
    /// At least one, none of them empty.
    let sets: [[UInt8]]

    init(_ arguments: Arguments, of command: (some Command).Type) throws(UsageError) {
        let words = (arguments.value(of: "--characters") ?? "lower,upper,digits")
            .split(separator: ",", omittingEmptySubsequences: false)
        var sets: [[UInt8]] = []
        for word in Set(words) {
            guard let match = Self.all.first(where: { $0.word == word }) else {
                throw command.usageError(
                    "option '--characters' needs some of lower, upper, digits, symbols")
            }
            let leavesOut = arguments.has("--without-lookalikes") ? Self.lookalikes : []
            sets.append(match.characters.utf8.filter { !leavesOut.contains($0) })
        }
        let text = arguments.value(of: "--length") ?? "24"
        guard let length = Arguments.number(text, atMost: Self.maximumLength), length > 0,
            length >= sets.count
        else {
            throw command.usageError(
                "option '--length' needs a number from \(max(sets.count, 1)) to "
                    + "\(Self.maximumLength)")
        }
        self.length = length
        self.sets = sets
    }

    /// Draws passwords until one has a character of each set, which keeps all of those equally
    /// likely; to put one of each in by force would not.
    func password() -> SecretBytes {
        let alphabet = sets.flatMap { $0 }
        while true {
            let password = SecretBytes.random(count: length, from: alphabet)
            let isComplete = password.withBytes { bytes in
                sets.allSatisfy { set in bytes.indices.contains { set.contains(bytes[$0]) } }
            }
            if isComplete { return password }
        }
    }
}
