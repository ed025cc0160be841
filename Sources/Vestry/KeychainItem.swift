public import SecureMemory
internal import Synchronization

/// A property that is kept in the keychain, as a generic password.
///
/// ```swift
/// struct Settings {
///     @KeychainItem(service: "git.example.org", account: "alice") var token: String?
/// }
/// ```
///
/// Each access reads or writes the keychain, so that the property is what other programs see too.
/// Nil is an item that does not exist, and setting nil removes it. A property cannot throw: where a
/// locked keychain must be told from a missing item, ask ``error`` after the access, or use
/// ``read()`` and ``write(_:)``, all of them by way of `$token`.
///
/// A value that is no ``SecretBytes`` is a copy of the secret that nobody wipes.
@propertyWrapper
public struct KeychainItem<Value: Sendable>: Sendable {
    /// The item's service and account.
    public let key: ItemKey

    private let label: String?
    private let accessibility: Accessibility?
    /// Nil for the one of the user who runs the program.
    private let keychain: Keychain?
    private let encode: @Sendable (Value) throws(VestryError) -> SecretBytes
    private let decode: @Sendable (borrowing SecretBytes) throws(VestryError) -> Value
    private let lastError = LastError()

    /// Makes a property of any type that can be turned into bytes and back.
    ///
    /// - Parameters:
    ///   - key: Service and account.
    ///   - label: A name for people; nil leaves it.
    ///   - accessibility: When the item can be read; nil leaves it, and is
    ///     ``Accessibility/afterFirstUnlock`` for a new one.
    ///   - keychain: Nil for that of the user who runs the program.
    ///   - encode: Turns a value into the secret.
    ///   - decode: Turns the secret into a value; throws ``VestryError/Code/conversion`` where it
    ///     is none.
    public init(
        _ key: ItemKey, label: String? = nil, accessibility: Accessibility? = nil,
        in keychain: Keychain? = nil,
        encode: @escaping @Sendable (Value) throws(VestryError) -> SecretBytes,
        decode: @escaping @Sendable (borrowing SecretBytes) throws(VestryError) -> Value
    ) {
        self.key = key
        self.label = label
        self.accessibility = accessibility
        self.keychain = keychain
        self.encode = encode
        self.decode = decode
    }

    /// The value, or nil when there is no item or it cannot be read; ``error`` says which.
    public var wrappedValue: Value? {
        get {
            lastError.keep { () throws(VestryError) in try read() } ?? nil
        }
        nonmutating set {
            _ = lastError.keep { () throws(VestryError) in try write(newValue) }
        }
    }

    /// The property's own functions.
    public var projectedValue: Self { self }

    /// Why the property's last access failed; nil when it did not.
    public var error: VestryError? { lastError.value }

    /// Returns the value.
    ///
    /// - Returns: Nil when there is no item.
    /// - Throws: ``VestryError``, with the codes of ``Keychain/secret(for:)`` except
    ///   ``VestryError/Code/itemNotFound``, and ``VestryError/Code/conversion`` when the secret is no
    ///   such value.
    public func read() throws(VestryError) -> Value? {
        do throws(VestryError) {
            return try decode(openKeychain().secret(for: key))
        } catch .itemNotFound {
            return nil
        }
    }

    /// Stores a value, or removes the item.
    ///
    /// - Parameter value: Nil removes the item, if there is one.
    /// - Throws: ``VestryError``, with the codes of ``Keychain/set(_:for:label:accessibility:)``.
    public func write(_ value: Value?) throws(VestryError) {
        guard let value else {
            do throws(VestryError) {
                return try openKeychain().delete(key)
            } catch .itemNotFound {
                return
            }
        }
        try openKeychain().set(
            encode(value), for: key, label: label, accessibility: accessibility)
    }

    private func openKeychain() throws(VestryError) -> Keychain {
        if let keychain { return keychain }
        return try Keychain()
    }
}

extension KeychainItem where Value == String {
    /// Makes a property whose text is the secret, as UTF-8.
    ///
    /// - Parameters:
    ///   - service: What the item is for.
    ///   - account: The account there.
    ///   - label: A name for people; nil leaves it.
    ///   - accessibility: When the item can be read; nil leaves it.
    ///   - keychain: Nil for that of the user who runs the program.
    public init(
        service: String, account: String, label: String? = nil,
        accessibility: Accessibility? = nil, in keychain: Keychain? = nil
    ) {
        self.init(
            ItemKey(service: service, account: account), label: label,
            accessibility: accessibility, in: keychain,
            encode: { text throws(VestryError) in SecretBytes(copying: Array(text.utf8).span) },
            decode: { secret throws(VestryError) in try String(copying: secret) })
    }
}

extension KeychainItem where Value == [UInt8] {
    /// Makes a property whose bytes are the secret.
    ///
    /// - Parameters:
    ///   - service: What the item is for.
    ///   - account: The account there.
    ///   - label: A name for people; nil leaves it.
    ///   - accessibility: When the item can be read; nil leaves it.
    ///   - keychain: Nil for that of the user who runs the program.
    public init(
        service: String, account: String, label: String? = nil,
        accessibility: Accessibility? = nil, in keychain: Keychain? = nil
    ) {
        self.init(
            ItemKey(service: service, account: account), label: label,
            accessibility: accessibility, in: keychain,
            encode: { bytes throws(VestryError) in SecretBytes(copying: bytes.span) },
            decode: { secret throws(VestryError) in Array(copying: secret) })
    }
}

/// What a property's accesses have met; copies of the property share it.
private final class LastError: Sendable {
    private let stored = Mutex<VestryError?>(nil)

    var value: VestryError? { stored.withLock { $0 } }

    func keep<Result>(_ body: () throws(VestryError) -> Result) -> Result? {
        do throws(VestryError) {
            let result = try body()
            stored.withLock { $0 = nil }
            return result
        } catch {
            stored.withLock { $0 = error }
            return nil
        }
    }
}
