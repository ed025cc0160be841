internal import Glibc
internal import LinuxSystem
internal import Vestry

/// The command `vestry`.
///
/// Rules of its interface: standard output carries only what was asked for; messages go to standard
/// error, with the program's name first; each failure names its cause and what to do next; nothing
/// prompts without a terminal, or in a window, and nothing waits, unless asked to.
@main
enum VestryProgram {
    static let version = "0.1.0"

    static func main() {
        StandardStream.fillClosedDescriptors()
        // A secret is in this process's memory for a moment: no core file of it, no ptrace.
        try? ThisProcess.hideMemory()
        if let helper = CredentialHelper(program: CommandLine.arguments.first ?? "") {
            exit(helper.run(arguments()))
        }
        exit(run(arguments: arguments()))
    }

    /// The arguments, or nil for one that is not UTF-8.
    ///
    /// `CommandLine.arguments` would put U+FFFD in place of such bytes, and so make one name of
    /// several.
    private static func arguments() -> [String]? {
        var arguments: [String] = []
        for index in 0..<Int(CommandLine.argc) {
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { break }
            let bytes = unsafe UnsafeBufferPointer(start: argument, count: strlen(argument))
            let text = unsafe String(
                validating: bytes.lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard let text else { return nil }
            arguments.append(text)
            // A password may be among the arguments of this verb alone: ps(1) shows none for longer
            // than it takes to come here.
            if index > 1, arguments[1] == SecurityCommand.name {
                unsafe memset(argument, 0, strlen(argument))
            }
        }
        return Array(arguments.dropFirst())
    }

    /// Without a password, the way to a keychain is another one.
    private static func explain(_ failure: inout Failure) {
        guard failure.code == .noSuchKeychain, let keychain = try? Keychain(),
            keychain.statusOfAccount().state == .noPassword
        else { return }
        failure = .accountWithoutPassword
    }

    private static func run(arguments: [String]?) -> Int32 {
        var failure: Failure
        do {
            guard let arguments else { throw UsageError("an argument is not valid UTF-8") }
            switch try Invocation(parsing: arguments) {
            case .showUsage(let text):
                StandardStream.output.write(text)
                return ExitStatus.done.rawValue
            case .showVersion:
                StandardStream.output.write("vestry \(version)\n")
                return ExitStatus.done.rawValue
            case .run(let command):
                return try command.run().rawValue
            case .runSecurity(let command):
                try command.run()
                return ExitStatus.done.rawValue
            }
        } catch let error as SecurityFailure {
            StandardStream.error.write(error.message + "\n")
            return error.status
        } catch let error as UsageError {
            failure = Failure(.usage, error.message, hint: error.hint)
        } catch let error as Failure {
            failure = error
        } catch {
            // All kinds are above; `do` is not typed because it joins them.
            failure = Failure(.failure, "\(error)", hint: "run 'vestry status'")
        }
        explain(&failure)
        let isJSON = arguments?.prefix { $0 != "--" }.contains("--json") ?? false
        StandardStream.error.write(isJSON ? failure.json.text + "\n" : failure.text)
        return failure.status.rawValue
    }
}
