internal import Dispatch
public import Foundation

// The same operations for tasks. The store reads files and may wait for other programs, so they run
// on threads of their own and not on those of Swift's concurrency. Other names than those of
// KeychainAccess: existing calls in asynchronous functions must not come to mean these.
extension Keychain {
    /// Returns a value as text, without blocking the task's thread.
    ///
    /// - Parameter key: The account.
    /// - Returns: Nil where there is no such item, and for no other reason.
    /// - Throws: As ``get(_:ignoringAttributeSynchronizable:)``.
    public func string(for key: String) async throws -> String? {
        try await onOwnThread { try $0.get(key) }
    }

    /// Returns a value as it is, without blocking the task's thread.
    ///
    /// - Parameter key: The account.
    /// - Returns: Nil where there is no such item, and for no other reason.
    /// - Throws: As ``getData(_:ignoringAttributeSynchronizable:)``.
    public func data(for key: String) async throws -> Data? {
        try await onOwnThread { try $0.getData(key) }
    }

    /// Returns an item with its attributes and its value, without blocking the task's thread.
    ///
    /// - Parameter key: The account.
    /// - Returns: Nil where there is no such item, and for no other reason.
    /// - Throws: As ``getData(_:ignoringAttributeSynchronizable:)``.
    public func attributes(for key: String) async throws -> Attributes? {
        try await onOwnThread { keychain in try keychain.get(key) { $0 } }
    }

    /// Adds an item or changes the one that is there, without blocking the task's thread.
    ///
    /// - Parameters:
    ///   - value: Stored as UTF-8.
    ///   - key: The account.
    /// - Throws: As `set`.
    public func store(_ value: String, for key: String) async throws {
        try await onOwnThread { try $0.set(value, key: key) }
    }

    /// Adds an item or changes the one that is there, without blocking the task's thread.
    ///
    /// - Parameters:
    ///   - value: Any bytes.
    ///   - key: The account.
    /// - Throws: As `set`.
    public func store(_ value: Data, for key: String) async throws {
        try await onOwnThread { try $0.set(value, key: key) }
    }

    /// Removes an item, without blocking the task's thread; none is no error.
    ///
    /// - Parameter key: The account.
    /// - Throws: As ``remove(_:ignoringAttributeSynchronizable:)``.
    public func removeValue(for key: String) async throws {
        try await onOwnThread { try $0.remove(key) }
    }

    /// Removes all items of this keychain, without blocking the task's thread.
    ///
    /// - Throws: As ``removeAll()``.
    public func removeAllValues() async throws {
        try await onOwnThread { try $0.removeAll() }
    }

    /// Whether there is an item, locked or not, without blocking the task's thread.
    ///
    /// - Parameter key: The account.
    /// - Returns: As ``contains(_:withoutAuthenticationUI:)`` without authentication.
    /// - Throws: As ``contains(_:withoutAuthenticationUI:)``.
    public func containsValue(for key: String) async throws -> Bool {
        try await onOwnThread { try $0.contains(key, withoutAuthenticationUI: true) }
    }

    /// The keys of the items that can be read now, without blocking the task's thread.
    ///
    /// - Returns: In the order in which they were added.
    /// - Throws: A ``Status`` where the keychain cannot be used, unlike ``allKeys()``.
    public func keys() async throws -> [String] {
        try await onOwnThread { try $0.readableKeys() }
    }

    private static let queue = DispatchQueue(
        label: "vestry.keychain-access", attributes: .concurrent)

    private func onOwnThread<Value: Sendable>(
        _ body: @escaping @Sendable (Keychain) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Self.queue.async {
                continuation.resume(with: Result { try body(self) })
            }
        }
    }
}
