internal import Glibc
internal import LinuxSystem
package import SecureMemory
internal import Vestry

/// The folder of pass(1): an encrypted file for each password, whose first line is the secret.
///
/// The other lines are notes; of those, `user:`, `username:` or `login:` is the account.
package enum PasswordStore {
    /// The most files that are read.
    static let maximumFileCount = 100_000

    /// Reads a whole folder.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - decrypt: Decrypts a file, by its path.
    /// - Returns: The passwords; a file that is not decrypted is a problem.
    /// - Throws: `ImportProblem` for a folder that cannot be read.
    package static func read(
        _ path: String, decrypt: (String) throws(ImportProblem) -> SecretBytes
    ) throws(ImportProblem) -> ImportBatch {
        var batch = ImportBatch()
        let names = try names(in: path, "")
        guard !names.isEmpty else { throw ImportProblem("it has no file *.gpg") }
        for name in names {
            do throws(ImportProblem) {
                let text = try decrypt("\(path)/\(name).gpg")
                batch.items.append(try item(name, text))
            } catch {
                batch.problems.append(ImportProblem("\(name).gpg, \(error.reason)"))
            }
        }
        return batch
    }

    /// The names of all files, without their ending, sorted.
    private static func names(
        in path: String, _ prefix: String
    ) throws(ImportProblem) -> [String] {
        guard prefix.utf8.count(where: { $0 == UInt8(ascii: "/") }) < 32 else {
            throw ImportProblem("folders too deep in each other")
        }
        let entries: [String]
        do throws(SystemCallError) {
            entries = try FileDescriptor.openDirectory(path: path + "/" + prefix).entryNames()
        } catch {
            throw ImportProblem("\(error)")
        }
        var names: [String] = []
        for entry in entries.sorted() where !entry.hasPrefix(".") {
            let name = prefix + entry
            var status = stat()
            // Links are not followed: they could go round in circles.
            guard unsafe lstat(path + "/" + name, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                names += try Self.names(in: path, name + "/")
            } else if status.st_mode & S_IFMT == S_IFREG, name.hasSuffix(".gpg") {
                names.append(String(name.dropLast(4)))
            }
            guard names.count <= maximumFileCount else { throw ImportProblem("too many files") }
        }
        return names
    }

    /// What a file says.
    static func item(
        _ name: String, _ text: borrowing SecretBytes
    ) throws(ImportProblem) -> ImportedItem {
        let end = text.withBytes { bytes in
            bytes.indices.first { bytes[$0] == 0x0A } ?? bytes.count
        }
        guard let secret = text.slice(from: 0, count: end) else {
            throw ImportProblem("it is empty")
        }
        let rest = text.withBytes { bytes in
            String(
                validating: (min(end + 1, bytes.count)..<bytes.count).map { bytes[$0] },
                as: UTF8.self)
        }
        guard let rest else { throw ImportProblem("notes that are no UTF-8") }
        var attributes: [ItemAttribute: AttributeValue] = [.service: .string(name)]
        var notes: [Substring] = []
        for line in rest.split(separator: "\n", omittingEmptySubsequences: false) {
            let parts = line.split(separator: ":", maxSplits: 1)
            let key = parts.first.map { $0.lowercased() } ?? ""
            if parts.count == 2, ["user", "username", "login"].contains(key),
                attributes[.account] == nil
            {
                attributes[.account] = .string(String(parts[1].drop { $0 == " " }))
            } else {
                notes.append(line)
            }
        }
        while notes.last?.isEmpty == true { notes.removeLast() }
        if !notes.isEmpty { attributes[.comment] = .string(notes.joined(separator: "\n")) }
        return ImportedItem(.genericPassword, attributes: attributes, secret: secret)
    }
}
