internal import SecureMemory
internal import Vestry

/// A `vestry_secret`.
final class SecretHolder: Sendable {
    /// With a zero behind the secret, which its count leaves out.
    let bytes: SecretBytes

    init(copying secret: borrowing SecretBytes) {
        let count = secret.count
        bytes = SecretBytes(capacity: count + 1) { copy in
            secret.withBytes { bytes in
                for index in bytes.indices { copy[index] = bytes[index] }
            }
            return count
        }
    }
}

/// Copies a secret of the caller's.
///
/// - Parameters:
///   - bytes: NULL only where there are none.
///   - length: How many there are.
/// - Returns: The copy.
/// - Throws: `VestryError` with the code `parameter` or `dataTooLarge`.
func checked(_ bytes: UnsafeRawPointer?, _ length: Int) throws(VestryError) -> SecretBytes {
    // What C has above the half of its range is negative here.
    guard length >= 0, length <= Keychain.maximumSecretByteCount else {
        throw VestryError(.dataTooLarge)
    }
    guard let bytes = unsafe bytes else {
        guard length == 0 else { throw VestryError(parameter: "NULL") }
        return SecretBytes(count: 0, filledBy: { _ in })
    }
    let buffer = unsafe UnsafeBufferPointer(
        start: bytes.assumingMemoryBound(to: UInt8.self), count: length)
    return unsafe SecretBytes(copying: buffer.span)
}
