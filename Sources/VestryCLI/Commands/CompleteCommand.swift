internal import LinuxSystem

/// `vestry complete`: says what a word of a command line can become.
struct CompleteCommand: Command, Equatable {
    static let name = "complete"
    static let usage = """
        usage: vestry complete -- WORD...

        For the completion of shells: WORD... is a command line behind 'vestry' up to the word that is
        completed, which may be empty. Prints what that word can become, a line each: verbs, options,
        values of options, and the services, accounts, servers and labels of items that can be read
        at this moment. The line '/' alone stands for the name of a file.

        It unlocks nothing, asks for nothing and waits for nothing. Where the keychain is locked it
        prints no name of an item, without a message, and the exit status is 0.

        """
    static let options: [Arguments.Option] = []

    let words: [String]

    init(_ arguments: Arguments) throws(UsageError) {
        words = arguments.operands
    }

    func run() throws(Failure) -> ExitStatus {
        let lines = Completion(words).possibilities { $0.find() }
        StandardStream.output.write(lines.map { $0 + "\n" }.joined())
        return .done
    }
}
