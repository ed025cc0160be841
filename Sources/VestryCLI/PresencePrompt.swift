internal import SecureMemory
internal import Synchronization
internal import Vestry

/// Asks for the login password on the terminal, when an item asks for it at each read.
///
/// The terminal is opened when there is a question, and not before.
final class PresencePrompt: Sendable {
    /// Why there was no answer, in the command's words.
    private let failure = Mutex<Failure?>(nil)

    /// The handler for a keychain.
    var handler: PresenceHandler {
        { question throws(VestryError) in
            do throws(Failure) {
                guard let terminal = Terminal() else {
                    throw Failure(
                        .locked,
                        "the item asks for the login password at each read, and there is no "
                            + "terminal to ask on",
                        hint: "run the command on a terminal")
                }
                return try terminal.ask(
                    "Login password to read \(question.text.escapedForTerminal): ")
            } catch {
                self.failure.withLock { $0 = error }
                throw VestryError(error.status == .locked ? .locked : .cancelled)
            }
        }
    }

    /// Runs `body` and throws what its error means for the command.
    func reporting<Value: ~Copyable>(
        _ body: () throws(VestryError) -> Value
    ) throws(Failure) -> Value {
        do {
            return try body()
        } catch {
            throw failure.withLock { $0 } ?? Failure(error)
        }
    }
}
