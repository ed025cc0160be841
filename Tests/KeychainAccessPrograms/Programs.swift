import Foundation
import KeychainAccess

// Programs as people write them around this interface; each uses the public interface alone.

/// Settings of an app, by subscripts.
public struct AppSecrets {
    private let keychain = Keychain(service: "org.example.app")

    public init() {}

    public var token: String? {
        get { keychain["token"] }
        nonmutating set { keychain["token"] = newValue }
    }

    public var picture: Data? {
        get { keychain[data: "picture"] }
        nonmutating set { keychain[data: "picture"] = newValue }
    }

    public func isSignedIn() -> Bool { (try? keychain.contains("token")) ?? false }

    public func signOut() {
        do {
            try keychain.removeAll()
        } catch {
            print("not signed out: \(error)")
        }
    }
}

/// A mail account, by chaining.
public final class MailAccount {
    private let keychain: Keychain
    public private(set) var lastFailure: Status?

    public init(host: String) {
        keychain = Keychain(server: "imaps://\(host):993", protocolType: .imaps)
            .accessibility(.afterFirstUnlock)
            .label("Mail on \(host)")
            .comment("kept for the nightly fetch")
    }

    public func save(_ password: String, for user: String) -> Bool {
        do {
            try keychain.set(password, key: user)
            return true
        } catch let status as Status {
            lastFailure = status
            return false
        } catch {
            return false
        }
    }

    public func password(of user: String) -> String? {
        do {
            return try keychain.get(user)
        } catch let error as NSError {
            print("\(error.domain) \(error.code): \(error.localizedDescription)")
            return nil
        }
    }

    public func remember(_ password: String, of user: String, onlyHere: Bool) throws {
        try keychain
            .accessibility(onlyHere ? .whenUnlockedThisDeviceOnly : .whenUnlocked)
            .set(password, key: user)
    }

    public func label(of user: String) -> String? { keychain[attributes: user]?.label }

    public var users: [String] { keychain.allKeys().sorted() }

    public func forget(_ user: String) throws { try keychain.remove(user) }
}

public enum SessionError: Error {
    case signedOut
}

/// The session of a client, shared by its tasks.
public actor Session {
    private let keychain: Keychain
    private var refreshes = 0

    public init(service: String = "org.example.session") {
        keychain = Keychain(service: service).synchronizable(false)
    }

    public func start(token: String) throws {
        try keychain.set(token, key: "token")
    }

    public func token() throws -> String {
        guard let token = try keychain.get("token") else { throw SessionError.signedOut }
        return token
    }

    /// By the asynchronous twins, which leave the actor to others meanwhile.
    public func refresh() async throws -> String {
        refreshes += 1
        let token = "token \(refreshes)"
        try await keychain.store(token, for: "token")
        try await keychain.store(Data([UInt8(refreshes)]), for: "count")
        guard let stored = try await keychain.string(for: "token") else {
            throw SessionError.signedOut
        }
        return stored
    }

    public func summary() async throws -> (
        label: String?, count: Data?, keys: [String], isThere: Bool
    ) {
        let attributes = try await keychain.attributes(for: "token")
        return (
            attributes?.label, try await keychain.data(for: "count"), try await keychain.keys(),
            try await keychain.containsValue(for: "token")
        )
    }

    public func end() async throws {
        try await keychain.removeValue(for: "token")
        try await keychain.removeAllValues()
    }
}

/// The same keychain value in many tasks at once.
public func fillConcurrently(_ keychain: Keychain, count: Int) async throws -> [String] {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count {
            group.addTask { try keychain.set("value \(number)", key: "key \(number)") }
        }
        try await group.waitForAll()
    }
    async let keys = keychain.allKeys()
    return await keys.sorted()
}
