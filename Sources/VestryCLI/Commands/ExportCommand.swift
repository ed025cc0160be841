internal import Glibc
internal import LinuxSystem
internal import Vestry

/// `vestry export`: prints all items with their secrets, which nothing protects then.
struct ExportCommand: Command, Equatable {
    static let name = "export"
    static let usage = """
        usage: vestry export --json --plain-text [OPTION...]

        Prints all items of every class and access group, with their secrets in plain text: for other
        programs, and not to be kept. 'vestry backup' writes a sealed file. Items of this device alone
        stay behind, and so do those with an application password; how many is said on standard error.
        Where items are locked, nothing is printed: exit status 4.

          --json                      as one JSON text: {"format":"vestry-export","version":1,
                                      "items":[ITEM...]}
          --plain-text                yes, secrets that nothing protects; nothing is exported without
          --output FILE               write into a new file, mode 0600, instead of standard output
          --readable-only             leave out what cannot be read now, and say how much that is
          --pinentry                  ask for the login password of items with --require-password
                                      with the program 'pinentry' instead of on the terminal

        ITEM has the members of 'vestry show', and the secret besides: as text in secret where it is
        UTF-8, and else as Base64 in secretBase64. 'vestry import --format json' reads it.

        """
    static let options: [Arguments.Option] = [
        .flag("--json"), .flag("--plain-text"), .value("--output"), .flag("--readable-only"),
        Pinentry.option,
    ]

    let path: String?
    let isOnlyReadable: Bool
    let asking: Asking

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else { throw Self.usageError("expected no arguments") }
        guard arguments.has("--json") else {
            throw Self.usageError("expected --json, the one form that there is")
        }
        guard arguments.has("--plain-text") else {
            throw Self.usageError(
                "the secrets would be in plain text: --plain-text says that this is meant")
        }
        path = arguments.value(of: "--output")
        isOnlyReadable = arguments.has("--readable-only")
        asking = Asking(arguments)
    }

    func run() throws(Failure) -> ExitStatus {
        ThisProcess.overwriteFreedMemory()
        let prompt = PresencePrompt(asking)
        var keychain = try reporting { () throws(VestryError) in try Keychain() }
        keychain.presenceHandler =
            isOnlyReadable ? prompt.handlerWhereSomebodyIs : prompt.handler
        let sink = try Sink(path: path)
        var isFirst = true
        let begin = "{\"format\":\"vestry-export\",\"version\":1,\"items\":["
        let report = try prompt.reporting { () throws(VestryError) in
            try keychain.export(isOnlyReadable: isOnlyReadable) { (record) throws(VestryError) in
                try sink.write(isFirst ? begin : ",")
                isFirst = false
                try ItemWithSecret.write(record) { (bytes) throws(VestryError) in
                    try sink.write(bytes)
                }
            }
        }
        try reporting { () throws(VestryError) in
            if isFirst { try sink.write(begin) }
            try sink.write("]}\n")
        }
        try sink.finish()
        StandardStream.error.write(report.left.text)
        return .done
    }

    /// Standard output, or a new file.
    private final class Sink {
        private let file: PendingFile?

        init(path: String?) throws(Failure) {
            guard let path else {
                file = nil
                return
            }
            guard !PendingFile.isTaken(path: path) else { throw Failure(VestryError(.fileExists)) }
            do throws(SystemCallError) {
                file = try PendingFile(path: path)
            } catch {
                throw Failure(
                    .failure, "\(path.escapedForTerminal): \(error)",
                    hint: "name a file that can be made there")
            }
        }

        func write(_ text: String) throws(VestryError) { try write(Array(text.utf8).span) }

        func write(_ bytes: Span<UInt8>) throws(VestryError) {
            guard let file else { return StandardStream.output.write(bytes) }
            do throws(SystemCallError) {
                try file.write(bytes)
            } catch {
                throw VestryError(error.errno == ENOSPC ? .diskFull : .inputOutput)
            }
        }

        func finish() throws(Failure) {
            guard let file else { return }
            do throws(SystemCallError) {
                guard try file.place(isReplacing: false) else {
                    throw SystemCallError("rename", errno: EEXIST)
                }
            } catch {
                throw Failure(
                    .failure, "the file was not written: \(error)",
                    hint: "free some space, or name another file")
            }
        }
    }
}
