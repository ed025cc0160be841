internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// Where a command gets a password from: a person, or a descriptor that the caller names.
struct PasswordSource: Equatable {
    /// Enough for any password that counts, and a line end.
    private static let limit = 4096

    private let option: String
    private let descriptor: Int32?
    private let asking: Asking

    init(
        option: String, in arguments: Arguments, of command: (some Command).Type
    ) throws(UsageError) {
        self.option = option
        asking = Asking(arguments)
        guard let text = arguments.value(of: option) else {
            descriptor = nil
            return
        }
        guard let number = Arguments.number(text, atMost: Int(Int32.max)) else {
            throw command.usageError("option '\(option)' needs a number")
        }
        guard asking == .terminal else {
            throw command.usageError("\(option) and --pinentry exclude each other")
        }
        descriptor = Int32(number)
    }

    /// Refuses one descriptor for two secrets: the first would take all that is there.
    ///
    /// - Throws: `UsageError`, before anything is read.
    func exclude(_ other: PasswordSource, of command: (some Command).Type) throws(UsageError) {
        guard descriptor != nil, descriptor == other.descriptor else { return }
        throw command.usageError(
            "\(option) and \(other.option) need a descriptor each: one is read to its end")
    }

    /// Whether somebody types it.
    var isPerson: Bool { descriptor == nil }

    func read(asking question: String) throws(Failure) -> SecretBytes {
        guard let descriptor else {
            return try asking.ask(
                question,
                withoutTerminal: Failure(
                    .failure, "no terminal to ask for the password on",
                    hint: "give the password with \(option)"))
        }
        do throws(SystemCallError) {
            return SecretInput.droppingLineEnd(
                try SecretInput.read(from: descriptor, limit: Self.limit))
        } catch {
            throw Failure(
                .failure, "descriptor \(descriptor): \(error)",
                hint: "open it in the shell, as in '\(option) \(descriptor) \(descriptor)<FILE'")
        }
    }
}
