internal import SecureMemory

/// How a person is asked for a password.
enum Asking: Sendable {
    case terminal
    case pinentry

    /// On the terminal, unless the arguments say otherwise.
    init(_ arguments: Arguments) {
        self = arguments.has(Pinentry.option.name) ? .pinentry : .terminal
    }

    /// Asks.
    ///
    /// - Parameters:
    ///   - question: What is asked for; harmless on a terminal.
    ///   - failure: What is wrong where there is no terminal that is to be used.
    /// - Returns: What was typed.
    /// - Throws: `Failure`.
    func ask(
        _ question: String, withoutTerminal failure: @autoclosure () -> Failure
    ) throws(Failure) -> SecretBytes {
        switch self {
        case .pinentry:
            return try Pinentry.ask(question)
        case .terminal:
            guard let terminal = Terminal() else { throw failure() }
            return try terminal.ask("\(question): ")
        }
    }
}
