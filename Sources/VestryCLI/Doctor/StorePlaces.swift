internal import LinuxSystem

/// Owners, modes and types of the folders and files that a store is made of.
struct StorePlaces {
    private let account: Account
    /// The account's owner follows links above the store, as the keychain does; root follows none of
    /// another user's.
    private let followsLinks: Bool
    private let now: Int64
    private(set) var checks: [Check] = []

    private static let files = [
        "keybag", "keybag.previous", "items.sqlite", "items.sqlite-journal",
    ]

    init(_ account: Account, followsLinks: Bool, now: Int64) {
        self.account = account
        self.followsLinks = followsLinks
        self.now = now
        look()
    }

    private mutating func look() {
        var path = account.homeDirectory
        if case .failure(.absent) = look(at: path) {
            checks.append(
                .problem(
                    .store, "home-missing", "the home directory is missing", about: path,
                    fix: "make it, or mount it; the next login with a password goes on from there",
                    status: .unavailable))
            return
        }
        for name in [nil] + StoreDirectory.path.dropLast().map(Optional.some) {
            if let name { path += "/\(name)" }
            guard lookAtParent(path) else { return }
        }
        lookAtStore(path + "/" + (StoreDirectory.path.last ?? ""))
    }

    private func look(at path: String) -> Result<FileFacts, FileFacts.Failure> {
        do throws(FileFacts.Failure) {
            return .success(try FileFacts(path))
        } catch {
            return .failure(error)
        }
    }

    /// What is there; what cannot be looked at is said.
    private mutating func found(at path: String) -> FileFacts? {
        switch look(at: path) {
        case .success(let facts): return facts
        case .failure(.absent): return nil
        case .failure where followsLinks:
            checks.append(
                .problem(
                    .store, "store-hidden", "a folder above it does not let its owner in",
                    about: path, fix: "chmod u+rwx \(quoted(parent(of: path)))", status: .denied))
        case .failure:
            // As on a network file system that takes root for nobody.
            checks.append(
                .note(
                    .store, "store-hidden", "root may not look at it", about: path,
                    fix: "runuser -u \(account.name) -- vestry doctor"))
        }
        return nil
    }

    /// - Returns: Whether to go on below it.
    private mutating func lookAtParent(_ path: String) -> Bool {
        guard var facts = found(at: path) else { return false }
        if facts.isLink {
            guard followsLinks else {
                checks.append(
                    .note(
                        .store, "store-behind-link", "is a link, which root does not follow",
                        about: path, fix: "runuser -u \(account.name) -- vestry doctor"))
                return false
            }
            guard let target = found(at: path + "/.") else { return false }
            facts = target
        }
        if facts.owner != account.user {
            checks.append(wrongOwner("folder-owner", facts, path))
        } else if facts.mode & 0o002 != 0
            || facts.mode & 0o020 != 0 && facts.group != account.group
        {
            // A group of the user's own is nobody else.
            checks.append(
                .warning(
                    .store, "folder-mode",
                    "has mode \(facts.modeText): others can put another folder in the store's place",
                    about: path, fix: "chmod go-w \(quoted(path))"))
        }
        return true
    }

    private mutating func lookAtStore(_ folder: String) {
        guard let facts = found(at: folder) else { return }
        guard facts.isFolder else {
            checks.append(wrongType(folder, "folder"))
            return
        }
        let before = checks.count
        lookAtOwner(facts, folder, mode: 0o700)
        for name in Self.files {
            let path = "\(folder)/\(name)"
            guard let facts = found(at: path) else { continue }
            guard facts.isRegularFile else {
                checks.append(wrongType(path, "regular file"))
                continue
            }
            lookAtOwner(facts, path, mode: 0o600)
            if facts.modified > now + ClockChecks.tolerance {
                checks.append(ClockChecks.future(path))
            }
        }
        if checks.count == before {
            checks.append(
                .ok(.store, "store-files", "owners and modes are right", about: folder))
        }
    }

    private mutating func lookAtOwner(_ facts: FileFacts, _ path: String, mode: UInt32) {
        if facts.owner != account.user {
            checks.append(wrongOwner("store-owner", facts, path))
        }
        if facts.mode & 0o077 != 0 {
            let wanted = String(mode, radix: 8)
            checks.append(
                .problem(
                    .store, "store-mode", "has mode \(facts.modeText) instead of 0\(wanted)",
                    about: path, fix: "chmod \(wanted) \(quoted(path))", status: .denied))
        }
    }

    private func wrongOwner(_ code: String, _ facts: FileFacts, _ path: String) -> Check {
        .problem(
            .store, code, "belongs to user \(facts.owner) and not to user \(account.user)",
            about: path, fix: "sudo chown \(account.name): \(quoted(path))", status: .denied)
    }

    private func wrongType(_ path: String, _ wanted: String) -> Check {
        .problem(
            .store, "store-type", "is a link or another special file, and no \(wanted)",
            about: path,
            fix: "mv \(quoted(path)) \(quoted(path + ".away")), and put the \(wanted) back",
            status: .denied)
    }

    private func parent(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    }

    /// For a shell.
    private func quoted(_ path: String) -> String {
        let plain = path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return plain
            ? path
            : "'"
                + path.split(separator: "'", omittingEmptySubsequences: false)
                .joined(separator: "'\\''") + "'"
    }
}
