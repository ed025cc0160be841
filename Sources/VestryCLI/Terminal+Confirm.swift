internal import LinuxSystem
internal import SecureMemory

extension Terminal {
    /// Asks a question that only "yes" affirms.
    ///
    /// - Parameter question: Shown as it is.
    /// - Throws: `Failure`: cancelled, by any other answer too.
    func confirm(_ question: String) throws(Failure) {
        let answer = try ask(question, isShown: true)
        let isYes = answer.withBytes { bytes in
            bytes.indices.map { bytes[$0] } == Array("yes".utf8)
        }
        guard isYes else {
            throw Failure(.cancelled, "cancelled", hint: "nothing was changed")
        }
    }
}
