internal import Foundation
internal import SecureMemory
public import Vestry

// Values of any type that can be encoded, as JSON. A module of its own, so that programs without
// such values need no Foundation. The JSON in between is a copy of the secret that nobody wipes.

extension Keychain {
    /// Returns the value stored under `key`.
    ///
    /// - Parameters:
    ///   - type: The value's type.
    ///   - key: The exact service and account.
    /// - Returns: What the secret's JSON decodes to.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/conversion`` when the secret is no
    ///   such value; and the codes of ``Keychain/secret(for:)``.
    public func value<Value: Decodable>(
        _ type: Value.Type = Value.self, for key: ItemKey
    ) throws(VestryError) -> Value {
        try decodedValue(of: secret(for: key))
    }

    /// Stores a value as ``Keychain/set(_:for:label:accessibility:)`` stores a secret.
    ///
    /// - Parameters:
    ///   - value: Its JSON, with sorted keys, becomes the secret.
    ///   - key: Service and account.
    ///   - label: A name for people; nil leaves it.
    ///   - accessibility: When the item can be read; nil leaves it.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/conversion`` when the value cannot
    ///   be encoded; and the codes of ``Keychain/set(_:for:label:accessibility:)``.
    public func set(
        value: some Encodable, for key: ItemKey, label: String? = nil,
        accessibility: Accessibility? = nil
    ) throws(VestryError) {
        try set(jsonSecret(of: value), for: key, label: label, accessibility: accessibility)
    }
}

extension KeychainItem where Value: Codable {
    /// Makes a property whose JSON is the secret.
    ///
    /// A `String` and `[UInt8]` are the secret themselves, as in `Vestry` alone.
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
            encode: { value throws(VestryError) in try jsonSecret(of: value) },
            decode: { secret throws(VestryError) in try decodedValue(of: secret) })
    }
}

private func jsonSecret(of value: some Encodable) throws(VestryError) -> SecretBytes {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(value) else { throw VestryError(.conversion) }
    return SecretBytes(copying: Array(json).span)
}

private func decodedValue<Value: Decodable>(
    of secret: borrowing SecretBytes
) throws(VestryError) -> Value {
    guard let value = try? JSONDecoder().decode(Value.self, from: Data(Array(copying: secret)))
    else { throw VestryError(.conversion) }
    return value
}
