internal import Glibc
internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// How `security add-generic-password` and its internet twin store a password.
struct SecurityAddition {
    private let command: SecurityCommand

    init(_ command: SecurityCommand) {
        self.command = command
    }

    private var itemClass: ItemClass { command.verb.itemClass }

    /// What was being done, in messages.
    private var operation: String {
        let keychain = command.arguments.operands.first?.escapedForTerminal
        return itemClass == .genericPassword
            ? "SecKeychainItemCreateFromContent (\(keychain ?? "<default>"))"
            : "SecKeychainAddInternetPassword \(keychain ?? "<NULL>")"
    }

    func run(in keychain: Keychain) throws(SecurityFailure) {
        guard command.arguments.hasPassword else {
            return try store(SecretBytes(count: 0, filledBy: { _ in }), in: keychain)
        }
        try store(try password(), in: keychain)
    }

    private func store(
        _ password: borrowing SecretBytes, in keychain: Keychain
    ) throws(SecurityFailure) {
        do throws(VestryError) {
            if command.arguments.flags.contains("U"), try update(password, in: keychain) { return }
            try keychain.add(itemClass, attributes: newAttributes, secret: password)
        } catch {
            throw SecurityFailure(operation, error)
        }
    }

    /// Changes the first item with the names that are given, if there is one.
    private func update(
        _ password: borrowing SecretBytes, in keychain: Keychain
    ) throws(VestryError) -> Bool {
        var names = ItemQuery(itemClass)
        names.attributes = command.attributes.filter { $0.key.isPrimary(in: itemClass) }
        do throws(VestryError) {
            guard let record = try keychain.find(names).records.first else { return false }
            let query = ItemQuery(persistentReference: record.persistentReference)
            let changed = command.attributes.filter { !$0.key.isPrimary(in: itemClass) }
            // Without a password, the item keeps the one that it has.
            if command.arguments.hasPassword {
                try keychain.update(query, set: changed, secret: password)
            } else {
                try keychain.update(query, set: changed)
            }
            return true
        } catch .itemNotFound {
            return false
        }
    }

    private var newAttributes: [ItemAttribute: AttributeValue] {
        var attributes = command.attributes
        attributes[.accessible] = .string(Accessibility.afterFirstUnlock.appleName)
        let place: ItemAttribute = itemClass == .genericPassword ? .service : .server
        if attributes[.label] == nil { attributes[.label] = attributes[place] }
        if itemClass == .internetPassword, attributes[.authenticationType] == nil {
            attributes[.authenticationType] = "dflt"
        }
        return attributes
    }

    private func password() throws(SecurityFailure) -> SecretBytes {
        guard !command.arguments.asksForPassword else { return try askedPassword() }
        StandardStream.error.write("vestry: warning: \(SecurityCommand.argumentWarning)\n")
        if let text = command.arguments.values["X"] {
            guard let bytes = Hexadecimal.bytes(text) else {
                throw SecurityFailure(
                    status: 2,
                    "security: Unable to convert password data (-X must specify valid hex digits)")
            }
            return SecretBytes(copying: bytes.span)
        }
        return SecretBytes(copying: Array((command.arguments.values["w"] ?? "").utf8).span)
    }

    /// Asks twice on the terminal, and without one takes two equal lines from standard input.
    private func askedPassword() throws(SecurityFailure) -> SecretBytes {
        guard let terminal = Terminal() else { return try passwordFromInput() }
        do throws(Failure) {
            let password = try terminal.ask("password data for new item: ")
            let again = try terminal.ask("retype password for new item: ")
            guard password.constantTimeEquals(again) else { throw Self.mismatch }
            return password
        } catch {
            throw SecurityFailure(error)
        }
    }

    private static let mismatch = Failure(
        .failure, "passwords don't match", hint: "nothing was changed; try again")

    private func passwordFromInput() throws(SecurityFailure) -> SecretBytes {
        let input: SecretBytes
        do throws(SystemCallError) {
            input = SecretInput.droppingLineEnd(
                try SecretInput.read(
                    from: STDIN_FILENO, limit: 2 * Keychain.maximumSecretByteCount + 2))
        } catch {
            throw SecurityFailure(status: 1, "security: standard input: \(error)")
        }
        // Twice the same line, and the line feed between them.
        let count = input.count / 2
        let isTwice = input.withBytes { bytes in
            bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") } == [count]
                && !bytes.count.isMultiple(of: 2)
        }
        guard isTwice, let password = input.slice(from: 0, count: count),
            let again = input.slice(from: count + 1, count: count),
            password.constantTimeEquals(again)
        else { throw SecurityFailure(Self.mismatch) }
        return password
    }
}

extension SecurityArguments {
    /// Whether a password is given, or to be asked for.
    var hasPassword: Bool { asksForPassword || values["w"] != nil || values["X"] != nil }
}
