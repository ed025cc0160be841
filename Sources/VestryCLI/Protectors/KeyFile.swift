internal import Glibc
internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// A file whose contents open the keychain.
struct KeyFile: Equatable {
    /// More than anybody carries as a key.
    private static let limit = 16 << 20

    let path: String

    func secret() throws(Failure) -> ProtectorSecret {
        let contents: SecretBytes
        do throws(SystemCallError) {
            let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
            guard opened != -1 else { throw SystemCallError("open", errno: errno) }
            let descriptor = FileDescriptor(adopting: opened)
            contents = try SecretInput.read(from: descriptor.rawValue, limit: Self.limit + 1)
        } catch {
            throw Failure(
                .failure, "\(path.escapedForTerminal): \(error)",
                hint: "nothing was changed; name a file that you can read")
        }
        guard contents.count <= Self.limit,
            let secret = ProtectorSecret(keyFile: contents)
        else {
            throw Failure(
                .failure,
                "\(path.escapedForTerminal): a key file has \(ProtectorSecret.smallestKeyFileByteCount) "
                    + "bytes to 16 MiB",
                hint: "nothing was changed; --make makes a new one")
        }
        return secret
    }

    /// Makes the file with random bytes, and its secret.
    func make() throws(Failure) -> ProtectorSecret {
        let contents = SecretBytes.random(count: ProtectorSecret.smallestKeyFileByteCount)
        try SecretFile(path: path).write(contents)
        guard let secret = ProtectorSecret(keyFile: contents) else {
            throw Failure(VestryError(.parameter))
        }
        return secret
    }
}

/// A new file, for its owner alone, that gets a secret.
struct SecretFile: Equatable {
    let path: String

    /// Makes the file, never in place of another one.
    func write(_ secret: borrowing SecretBytes) throws(Failure) {
        do throws(SystemCallError) {
            let file = try FileDescriptor(
                opening: path, in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                mode: 0o600)
            do throws(SystemCallError) {
                try file.write(secret)
                try file.synchronize()
            } catch {
                remove()
                throw error
            }
        } catch {
            throw Failure(
                error.errno == EEXIST ? .duplicate : .failure,
                "\(path.escapedForTerminal): \(error)",
                hint: "nothing was changed; \(Self.next(error))")
        }
    }

    private static func next(_ error: SystemCallError) -> String {
        switch error.errno {
        case EEXIST: "name a file that is not there yet"
        case ENOSPC, EDQUOT: "free some space and run the command again"
        default: "name a file in a folder that you can write to"
        }
    }

    /// Takes back what ``write(_:)`` has made.
    func remove() { _ = unsafe unlink(path) }
}

extension FileDescriptor {
    fileprivate func write(_ secret: borrowing SecretBytes) throws(SystemCallError) {
        try secret.withBytes { (bytes) throws(SystemCallError) in
            var written = 0
            while written < bytes.count {
                let count = unsafe bytes.withUnsafeBytes {
                    unsafe Glibc.write(
                        rawValue, $0.baseAddress.map { unsafe $0 + written }, $0.count - written)
                }
                if count == -1 && errno == EINTR { continue }
                guard count > 0 else { throw SystemCallError("write", errno: errno) }
                written += count
            }
        }
    }
}
