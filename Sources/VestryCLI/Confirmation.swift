internal import LinuxSystem

/// Asks the person before something that is hard to take back.
enum Confirmation {
    /// - Parameters:
    ///   - question: Ends with what to type.
    ///   - subject: What is asked, for whoever has no terminal.
    ///   - option: What does without.
    /// - Throws: `Failure`, cancelled for every answer but "yes".
    static func ask(_ question: String, about subject: String, option: String) throws(Failure) {
        guard let terminal = Terminal() else {
            throw Failure(
                .failure, "no terminal to ask on whether \(subject)",
                hint: "nothing was changed; \(option) does it without asking")
        }
        try terminal.confirm(question)
    }
}
