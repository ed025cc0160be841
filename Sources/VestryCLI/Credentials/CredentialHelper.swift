internal import LinuxSystem

/// The programs that this one is under other names: what git and docker run to keep credentials.
enum CredentialHelper: String {
    case git = "git-credential-vestry"
    case docker = "docker-credential-vestry"

    /// Nil for any other name.
    ///
    /// - Parameter program: As it was started, with or without a folder.
    init?(program: String) {
        guard let name = program.split(separator: "/").last else { return nil }
        self.init(rawValue: String(name))
    }

    /// Runs it.
    ///
    /// - Parameter arguments: Nil where one is not UTF-8.
    /// - Returns: The exit status.
    func run(_ arguments: [String]?) -> Int32 {
        switch self {
        case .git: Self.runForGit(arguments)
        case .docker: Self.runForDocker(arguments)
        }
    }

    private static func runForGit(_ arguments: [String]?) -> Int32 {
        switch arguments {
        case ["--help"], ["-h"]:
            StandardStream.output.write(GitCredentialHelper.usage)
        case ["--version"]:
            StandardStream.output.write("\(Self.git.rawValue) \(VestryProgram.version)\n")
        case let arguments? where arguments.count == 1:
            // Operations of a newer git are no failure (gitcredentials(7)).
            guard let operation = GitCredentialHelper.Operation(rawValue: arguments[0]) else {
                break
            }
            do throws(Failure) {
                try GitCredentialHelper().run(operation)
            } catch {
                StandardStream.error.write(error.text(of: Self.git.rawValue))
                return error.status.rawValue
            }
        default:
            StandardStream.error.write(GitCredentialHelper.usage)
            return ExitStatus.usage.rawValue
        }
        return ExitStatus.done.rawValue
    }

    /// Docker reads what went wrong from standard output, and knows one status for it.
    private static func runForDocker(_ arguments: [String]?) -> Int32 {
        guard let arguments, arguments.count == 1, let word = arguments.first else {
            StandardStream.output.write(DockerCredentialHelper.usage + "\n")
            return ExitStatus.failure.rawValue
        }
        if word == "--help" || word == "-h" {
            StandardStream.output.write(DockerCredentialHelper.usage + "\n")
            return ExitStatus.done.rawValue
        }
        let isVersion = word == "--version" || word == "-v"
        guard
            let operation = DockerCredentialHelper.Operation(rawValue: isVersion ? "version" : word)
        else {
            StandardStream.output.write(
                "\(Self.docker.rawValue): unknown action: \(word.escapedForTerminal)\n")
            return ExitStatus.failure.rawValue
        }
        do throws(DockerCredentialHelper.Problem) {
            try DockerCredentialHelper.run(operation)
            return ExitStatus.done.rawValue
        } catch {
            StandardStream.output.write(error.message + "\n")
            return ExitStatus.failure.rawValue
        }
    }
}
