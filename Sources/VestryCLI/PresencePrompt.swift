internal import SecureMemory
internal import Synchronization
internal import Vestry

/// Asks on the terminal for the password that an item takes at each read: the login password, or the
/// one of the program that has made the item.
///
/// The terminal is opened when there is a question, and not before.
final class PresencePrompt: Sendable {
    /// Why there was no answer, in the command's words.
    private let failure = Mutex<Failure?>(nil)

    /// The handler for a keychain.
    var handler: PresenceHandler {
        { question throws(VestryError) in
            do throws(Failure) {
                let password =
                    switch question.kind {
                    case .loginPassword: "Login password"
                    case .applicationPassword: "Application password"
                    }
                guard let terminal = Terminal() else {
                    throw Failure(
                        .locked,
                        "the item asks for the \(password.lowercased()) at each read, and there is no "
                            + "terminal to ask on",
                        hint: "run the command on a terminal")
                }
                return try terminal.ask(
                    "\(password) to read \(question.text.escapedForTerminal): ")
            } catch {
                self.failure.withLock { $0 = error }
                throw VestryError(.cancelled)
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
