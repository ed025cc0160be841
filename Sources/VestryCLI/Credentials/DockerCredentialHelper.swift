internal import Glibc
internal import LinuxSystem
internal import SecureMemory
internal import Transfer
internal import Vestry

/// `docker-credential-vestry`: keeps for docker the passwords of registries
/// (github.com/docker/docker-credential-helpers).
///
/// An item of docker's is an internet password with the label "Docker Credentials". The address that docker
/// names stands in `securityDomain` as it is written: two ways to write it are two registries to docker.
/// Server, protocol, port and path are what the address says, for people and for other programs.
struct DockerCredentialHelper {
    static let usage = "Usage: docker-credential-vestry <store|get|erase|list|version>"

    enum Operation: String {
        case store, get, erase, list, version
    }

    /// A failure, with the words that docker compares or shows.
    struct Problem: Error, Equatable {
        let message: String

        init(_ message: String) { self.message = message }

        init(_ failure: Failure) {
            self.init("vestry: \(failure.message); \(failure.hint)")
        }

        init(_ error: VestryError) {
            self = error.code == .itemNotFound ? .notFound : Problem(Failure(error))
        }

        static let notFound = Problem("credentials not found in native keychain")
        static let noServer = Problem("no credentials server URL")
        static let noUsername = Problem("no credentials username")
    }

    /// Of what docker says, which is a few hundred bytes.
    private static let inputLimit = 1 << 20

    /// Does what docker asks for.
    ///
    /// - Throws: `Problem`.
    static func run(_ operation: Operation) throws(Problem) {
        switch operation {
        case .version:
            StandardStream.output.write(
                "docker-credential-vestry (vestry) \(VestryProgram.version)\n")
        case .list: try list()
        case .get: try get(address())
        case .erase: try erase(address())
        case .store:
            let document: JSONDocument
            do throws(ImportProblem) {
                document = try JSONDocument(input())
            } catch {
                throw Problem("vestry: what docker says is not understood: \(error.reason)")
            }
            try store(document.value)
        }
    }

    private static func input() throws(ImportProblem) -> SecretBytes {
        do throws(SystemCallError) {
            return try SecretInput.read(from: STDIN_FILENO, limit: inputLimit)
        } catch {
            throw ImportProblem("\(error)")
        }
    }

    /// The address on standard input, without the white space around it.
    private static func address() throws(Problem) -> String {
        let bytes: [UInt8]
        do throws(ImportProblem) {
            bytes = try input().withBytes { bytes in bytes.indices.map { bytes[$0] } }
        } catch {
            throw Problem("vestry: standard input: \(error.reason)")
        }
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let address = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        guard !address.isEmpty else { throw Problem.noServer }
        guard let text = String(validating: address, as: UTF8.self) else {
            throw Problem("vestry: the server URL is not valid UTF-8")
        }
        return text
    }

    private static func keychain() throws(VestryError) -> Keychain { try Keychain() }

    /// Docker's items: all, or those of one registry.
    private static func query(_ address: String? = nil) -> ItemQuery {
        var query = ItemQuery(
            .internetPassword, [.label: .string(DockerConfig.label)])
        if let address { query.attributes[.securityDomain] = .string(address) }
        query.limit = .all
        query.authenticationUI = .fail
        return query
    }

    private static func get(_ address: String) throws(Problem) {
        let record: ItemRecord?
        do throws(VestryError) {
            record = try keychain().find(query(address), wantingSecrets: true).newestFirst.first
        } catch {
            throw Problem(error)
        }
        guard let record else { throw Problem.notFound }
        let head = JSON.object([
            .init("ServerURL", .string(address)),
            .init("Username", .string(record[.account]?.string ?? "")),
        ]).text.dropLast()
        let isText = record.withSecret { secret in
            switch JSONSecret.quoted(secret) {
            case nil: return false
            case .some(let text):
                StandardStream.output.write(head + ",\"Secret\":")
                text.withBytes { StandardStream.output.write($0) }
                StandardStream.output.write("}\n")
                return true
            }
        }
        guard isText == true else {
            throw Problem(Failure(VestryError(.conversion)))
        }
    }

    private static func store(_ given: JSONValue) throws(Problem) {
        guard let address = given["ServerURL"]?.text, !address.isEmpty else {
            throw Problem.noServer
        }
        guard let username = given["Username"]?.text, !username.isEmpty else {
            throw Problem.noUsername
        }
        switch given["Secret"]?.secret {
        case nil: throw Problem("vestry: no secret is given")
        case .some(let secret):
            do throws(VestryError) {
                try store(secret, of: username, at: address, in: keychain())
            } catch {
                throw Problem(error)
            }
        }
    }

    /// Docker keeps one user for each registry: another one takes its place.
    private static func store(
        _ secret: borrowing SecretBytes, of username: String, at address: String,
        in keychain: Keychain
    ) throws(VestryError) {
        // Each turn more means that another program has added or removed the item meanwhile.
        for _ in 0..<1000 {
            do throws(VestryError) {
                if let record = try newest(query(address), in: keychain) {
                    try keychain.update(
                        ItemQuery(persistentReference: record.persistentReference),
                        set: [.account: .string(username)], secret: secret)
                } else {
                    var attributes = DockerConfig.attributes(of: address)
                    attributes[.account] = .string(username)
                    attributes[.accessible] = .string(Accessibility.afterFirstUnlock.appleName)
                    try keychain.add(.internetPassword, attributes: attributes, secret: secret)
                }
                return
            } catch  where error.code == .itemNotFound || error.code == .duplicateItem {
                continue
            }
        }
        throw VestryError(.busy)
    }

    private static func newest(
        _ query: ItemQuery, in keychain: Keychain
    ) throws(VestryError) -> ItemRecord? {
        do throws(VestryError) {
            return try keychain.find(query).newestFirst.first
        } catch .itemNotFound {
            return nil
        }
    }

    private static func erase(_ address: String) throws(Problem) {
        do throws(VestryError) {
            try keychain().delete(query(address))
        } catch .itemNotFound {
            // Docker erases what may not be there.
        } catch {
            throw Problem(error)
        }
    }

    /// Each registry with its user.
    private static func list() throws(Problem) {
        var users: [JSON.Member] = []
        do throws(VestryError) {
            for record in try keychain().find(query()).newestFirst {
                guard let address = record[.securityDomain]?.string, !address.isEmpty,
                    !users.contains(where: { $0.name.utf8.elementsEqual(address.utf8) })
                else { continue }
                users.append(.init(address, .string(record[.account]?.string ?? "")))
            }
        } catch .itemNotFound {
            // An empty list.
        } catch {
            throw Problem(error)
        }
        StandardStream.output.write(JSON.object(users).text + "\n")
    }
}
