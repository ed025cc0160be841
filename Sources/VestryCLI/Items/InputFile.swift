internal import Glibc
internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// A file with a certificate or a key, named in an argument; `-` is standard input.
struct InputFile: Equatable {
    let path: String

    /// The file's certificate or key.
    func der(of content: Keychain.FileContent) throws(Failure) -> SecretBytes {
        let contents = try read()
        guard contents.count <= Keychain.maximumSecretByteCount else {
            throw Failure(VestryError(.dataTooLarge))
        }
        return try reporting { () throws(VestryError) in
            try Keychain.der(of: content, in: contents)
        }
    }

    private func read() throws(Failure) -> SecretBytes {
        let limit = Keychain.maximumSecretByteCount + 1
        do throws(SystemCallError) {
            if path == "-" { return try SecretInput.read(from: STDIN_FILENO, limit: limit) }
            let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
            guard opened != -1 else { throw SystemCallError("open", errno: errno) }
            let descriptor = FileDescriptor(adopting: opened)
            return try SecretInput.read(from: descriptor.rawValue, limit: limit)
        } catch {
            let name = path == "-" ? "standard input" : path.escapedForTerminal
            throw Failure(
                .failure, "\(name): \(error)",
                hint: "nothing was changed; name a file that you can read")
        }
    }
}
