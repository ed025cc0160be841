internal import Glibc
internal import LinuxSystem
internal import SecureMemory
internal import Vestry

/// `git-credential-vestry`: keeps for git the passwords of servers (gitcredentials(7)).
///
/// It never asks anybody and waits for nothing but the message: where it has no answer, git goes on to
/// its next helper or asks on its own.
struct GitCredentialHelper {
    static let usage = """
        usage: git-credential-vestry get|store|erase

        Keeps for git the passwords of servers: see git-credential-vestry(1). Git runs it, after

          git config --global credential.helper vestry

        and says on standard input what it wants. What it has no answer to is exit status 0 and no
        output: a credential that is missing, and an operation that it does not know. A locked
        keychain is exit status 4. Git then asks on its own.

        """

    enum Operation: String {
        case get, store, erase
    }

    private let keychain: Keychain
    private let message: GitCredentialMessage
    private let place: GitCredentialPlace
    private let now = Int64(time(nil))

    /// Reads what git says on standard input.
    init() throws(Failure) {
        let message = try Self.message()
        self.message = message
        place = try Self.understanding { () throws(GitCredentialMessage.Problem) in
            try GitCredentialPlace(message)
        }
        keychain = try reporting { () throws(VestryError) in try Keychain() }
    }

    private static func message() throws(Failure) -> GitCredentialMessage {
        let text = try input()
        do throws(GitCredentialMessage.Problem) {
            return try GitCredentialMessage(text)
        } catch {
            throw Failure(error)
        }
    }

    private static func input() throws(Failure) -> SecretBytes {
        do throws(SystemCallError) {
            return try SecretInput.read(
                from: STDIN_FILENO, limit: GitCredentialMessage.byteLimit,
                until: GitCredentialMessage.isWhole)
        } catch {
            throw Failure(
                .failure, "standard input: \(error)", hint: "run 'git-credential-vestry --help'")
        }
    }

    private static func understanding<Value: ~Copyable>(
        _ body: () throws(GitCredentialMessage.Problem) -> Value
    ) throws(Failure) -> Value {
        do throws(GitCredentialMessage.Problem) {
            return try body()
        } catch {
            throw Failure(error)
        }
    }

    func run(_ operation: Operation) throws(Failure) {
        switch operation {
        case .get: try get()
        case .store: try store()
        case .erase: try erase()
        }
    }

    /// Prints the credential that was stored last, of those that can be read.
    private func get() throws(Failure) {
        guard let found = try matches(place.attributes) else { return }
        var obstacle: Failure?
        for record in found.newestFirst {
            do throws(Failure) {
                if try answer(with: record) { return }
            } catch {
                obstacle = obstacle ?? error
            }
        }
        if let obstacle { throw obstacle }
        if found.lockedCount > 0 { throw Failure(VestryError(.locked)) }
        if found.damagedCount > 0 { throw Failure(VestryError(.itemDamaged)) }
    }

    /// Prints a credential.
    ///
    /// - Returns: False where it is none any more.
    /// - Throws: `Failure`.
    private func answer(with record: ItemRecord) throws(Failure) -> Bool {
        switch try credential(of: record) {
        case nil: return false
        case .some(let credential):
            guard !credential.isExpired(at: now) || credential.hasRefreshToken else { return false }
            let username = record[.account]?.string ?? ""
            guard !username.utf8.contains(where: { $0 == 0 || $0 == 0x0A }), credential.isText
            else {
                throw Failure(
                    .failure,
                    "the item for \(place.address.escapedForTerminal) does not fit a line",
                    hint: "'vestry set --server' replaces it")
            }
            let answer = credential.answer(username: username, at: now)
            answer.withBytes { StandardStream.output.write($0) }
            return true
        }
    }

    /// Keeps a credential that git has authenticated with.
    private func store() throws(Failure) {
        // Without both, git has authenticated in another way; and some credentials are not to be kept.
        let username = place.username
        let isEphemeral = try Self.understanding { () throws(GitCredentialMessage.Problem) in
            try message.text(of: .ephemeral)
        }
        guard let username, !["1", "true", "yes", "on"].contains(isEphemeral ?? "") else { return }
        let given = try Self.understanding { () throws(GitCredentialMessage.Problem) in
            try GitCredential(message)
        }
        switch consume given {
        case nil: return
        case .some(let credential):
            guard !credential.isExpired(at: now) || credential.hasRefreshToken else { return }
            try store(credential, of: username)
        }
    }

    private func store(
        _ credential: borrowing GitCredential, of username: String
    ) throws(Failure) {
        var attributes = place.attributes
        attributes[.path] = attributes[.path] ?? ""
        let end = AttributeValue.date(credential.itemEnd.map { Double($0) } ?? .infinity)
        let secret = credential.itemSecret
        if try isKept(secret, end, of: username) { return }
        // Each turn more means that another program has added or removed the item meanwhile.
        for _ in 0..<1000 {
            do throws(VestryError) {
                if let record = try matches(attributes, of: keychain)?.newestFirst.first {
                    try keychain.update(
                        ItemQuery(persistentReference: record.persistentReference),
                        set: [.expirationDate: end], secret: secret)
                } else {
                    try keychain.add(
                        .internetPassword,
                        attributes: attributes.merging([
                            .accessible: .string(Accessibility.afterFirstUnlock.appleName),
                            .label: .string("Git: \(place.address)"), .expirationDate: end,
                        ]) { $1 }, secret: secret)
                }
                return
            } catch  where error.code == .itemNotFound || error.code == .duplicateItem {
                continue
            } catch {
                throw Failure(error)
            }
        }
        throw Failure(VestryError(.busy))
    }

    /// Whether `get` would answer with this already: git stores what it has just got from here.
    private func isKept(
        _ secret: borrowing SecretBytes, _ end: AttributeValue, of username: String
    ) throws(Failure) -> Bool {
        var everyone = place.attributes
        everyone[.account] = nil
        guard let record = try matches(everyone)?.newestFirst.first,
            record[.account]?.string == username,
            record[.expirationDate] ?? .date(.infinity) == end,
            // One that asks for somebody is written without a look.
            let found = try? self.secret(of: record)
        else { return false }
        return found.withSecret { $0.constantTimeEquals(secret) } ?? false
    }

    /// Removes the credentials that git names; with a password only those that have it, so that an old
    /// one that was refused takes no newer one along.
    private func erase() throws(Failure) {
        switch message.secret(of: .password) {
        case nil:
            try ignoringAbsence { () throws(VestryError) in
                try keychain.delete(ItemQuery(.internetPassword, place.attributes))
            }
        case .some(let password):
            guard let found = try matches(place.attributes) else { return }
            for record in found.records {
                guard let credential = try credential(of: record),
                    credential.password.constantTimeEquals(password)
                else { continue }
                // Unless somebody has changed it since.
                var query = ItemQuery(.internetPassword, place.attributes)
                query.references = [record.persistentReference]
                query.attributes[.modificationDate] = record[.modificationDate]
                try ignoringAbsence { () throws(VestryError) in try keychain.delete(query) }
            }
            if found.lockedCount > 0 { throw Failure(VestryError(.locked)) }
        }
    }

    private func ignoringAbsence(
        _ body: () throws(VestryError) -> Int
    ) throws(Failure) {
        do throws(VestryError) {
            _ = try body()
        } catch .itemNotFound {
            // Somebody else was first, or there was none.
        } catch {
            throw Failure(error)
        }
    }

    private func credential(of record: ItemRecord) throws(Failure) -> GitCredential? {
        guard let found = try secret(of: record) else { return nil }
        var end: Int64?
        if let seconds = found[.expirationDate]?.date { end = Int64(exactly: seconds.rounded()) }
        return found.withSecret { GitCredential($0, end: end) }
    }

    /// An item with its secret, without asking anybody; nil where it is gone.
    private func secret(of record: ItemRecord) throws(Failure) -> ItemRecord? {
        var query = ItemQuery(persistentReference: record.persistentReference)
        query.authenticationUI = .fail
        do throws(VestryError) {
            return try keychain.find(query, wantingSecrets: true).records.first
        } catch .itemNotFound {
            return nil
        } catch {
            throw Failure(error)
        }
    }

    private func matches(
        _ attributes: [ItemAttribute: AttributeValue]
    ) throws(Failure) -> ItemMatches? {
        try reporting { () throws(VestryError) in try matches(attributes, of: keychain) }
    }

    /// The items with these attributes, nil where there are none.
    private func matches(
        _ attributes: [ItemAttribute: AttributeValue], of keychain: Keychain
    ) throws(VestryError) -> ItemMatches? {
        var query = ItemQuery(.internetPassword, attributes)
        query.limit = .all
        query.isOnlyReadable = true
        do throws(VestryError) {
            return try keychain.find(query)
        } catch .itemNotFound {
            return nil
        }
    }
}

extension Failure {
    fileprivate init(_ problem: GitCredentialMessage.Problem) {
        self.init(
            .usage, "what git says is not understood: \(problem.reason)",
            hint: "nothing was changed; git-credential-vestry(1) says what it takes")
    }
}

extension ItemMatches {
    /// The records, the one that was written last first.
    var newestFirst: [ItemRecord] {
        func date(_ record: ItemRecord) -> Double { record[.modificationDate]?.date ?? 0 }
        return records.enumerated().sorted { left, right in
            (date(left.element), left.offset) > (date(right.element), right.offset)
        }.map(\.element)
    }
}
