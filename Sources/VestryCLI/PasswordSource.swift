internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// Where a command gets a password from: the terminal, or a descriptor that the caller names.
struct PasswordSource: Equatable {
    /// Enough for any password that counts, and a line end.
    private static let limit = 4096

    private let option: String
    private let descriptor: Int32?

    init(
        option: String, in arguments: Arguments, of command: (some Command).Type
    ) throws(UsageError) {
        self.option = option
        guard let text = arguments.value(of: option) else {
            descriptor = nil
            return
        }
        guard let number = Arguments.number(text, atMost: Int(Int32.max)) else {
            throw command.usageError("option '\(option)' needs a number")
        }
        descriptor = Int32(number)
    }

    var isTerminal: Bool { descriptor == nil }

    func read(asking prompt: String) throws(Failure) -> SecretBytes {
        guard let descriptor else {
            guard let terminal = Terminal() else {
                throw Failure(
                    .failure, "no terminal to ask for the password on",
                    hint: "give the password with \(option)")
            }
            return try terminal.ask(prompt)
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
