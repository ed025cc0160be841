public import SecureMemory

/// The owner of a secret's bytes, under a name that `import Vestry` alone gives.
public typealias SecretBytes = SecureMemory.SecretBytes

// A `String` cannot be wiped: where the bytes of a secret go into one, or come out of one, copies of
// them stay in memory until it is used for something else. `SecretBytes` leaves none.
extension Keychain {
    /// Returns the secret stored under `key`, as text.
    ///
    /// - Parameter key: The exact service and account.
    /// - Returns: The text; a copy of the secret that nobody wipes.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/conversion`` when the secret is no
    ///   UTF-8; and the codes of ``secret(for:prompt:)``.
    public func string(for key: ItemKey) throws(VestryError) -> String {
        try String(copying: secret(for: key))
    }

    /// Stores a text as ``set(_:for:label:accessibility:accessControl:)`` stores a secret.
    ///
    /// - Parameters:
    ///   - text: Its UTF-8 becomes the secret, without anything added.
    ///   - key: Service and account.
    ///   - label: A name for people; nil leaves it.
    ///   - accessibility: When the item can be read; nil leaves it.
    /// - Throws: ``VestryError``, with the codes of ``set(_:for:label:accessibility:accessControl:)``.
    public func set(
        _ text: String, for key: ItemKey, label: String? = nil,
        accessibility: Accessibility? = nil
    ) throws(VestryError) {
        try set(
            SecretBytes(copying: Array(text.utf8).span), for: key, label: label,
            accessibility: accessibility)
    }
}

extension ItemRecord {
    /// The secret as text; nil when it is no UTF-8, or the search was not asked for secrets.
    public var string: String? {
        withSecret { secret in try? String(copying: secret) } ?? nil
    }
}

extension String {
    /// Copies UTF-8.
    init(copying secret: borrowing SecretBytes) throws(VestryError) {
        let text = secret.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer {
                unsafe String(validating: $0, as: UTF8.self)
            }
        }
        guard let text else { throw VestryError(.conversion) }
        self = text
    }
}

extension Array where Element == UInt8 {
    /// Copies a secret, for those whose types are no ``SecretBytes``.
    package init(copying secret: borrowing SecretBytes) {
        self = secret.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        }
    }
}
