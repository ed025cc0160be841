internal import LinuxSystem
internal import SecureMemory
internal import Synchronization
internal import Vestry

/// Asks a person for the password that an item takes at each read: the login password, or the
/// one of the program that has made the item.
///
/// Nothing is opened or started before there is a question.
final class PresencePrompt: Sendable {
    /// Why there was no answer, in the command's words.
    private let failure = Mutex<Failure?>(nil)
    private let asking: Asking

    init(_ asking: Asking) { self.asking = asking }

    /// The handler for a keychain that leaves out what cannot be read; nil where nobody is there to
    /// ask, so that such items are locked.
    var handlerWhereSomebodyIs: PresenceHandler? {
        if asking == .terminal, Terminal() == nil { return nil }
        return handler
    }

    /// The handler for a keychain.
    var handler: PresenceHandler {
        { question throws(VestryError) in
            do throws(Failure) {
                return try self.asking.ask(
                    Self.text(of: question),
                    withoutTerminal: Failure(
                        .locked,
                        "the item asks for the \(question.kind.password) at each read, and there "
                            + "is no terminal to ask on",
                        hint: "run the command on a terminal"))
            } catch {
                self.failure.withLock { $0 = error }
                throw VestryError(error.status == .locked ? .locked : .cancelled)
            }
        }
    }

    /// What the person is asked for.
    static func text(of question: PresenceQuestion) -> String {
        let password = question.kind.password
        return password.prefix(1).uppercased() + password.dropFirst()
            + " to read \(question.text.escapedForTerminal)"
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

extension PresenceQuestion.Kind {
    fileprivate var password: String {
        switch self {
        case .loginPassword: "login password"
        case .applicationPassword: "application password"
        }
    }
}
