public import SecureMemory

/// A password of the program's own, which goes into the sealing of an item's secret
/// (``AccessControl/Flags/applicationPassword``).
///
/// Copies share the bytes, which are zeroed when the last one goes.
public struct ApplicationPassword: Sendable {
    // A secret has one owner.
    private final class Held: Sendable {
        let bytes: SecretBytes

        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }

    private let held: Held

    /// Takes ownership of the password, any bytes; an empty one seals nothing.
    public init(_ bytes: consuming SecretBytes) { held = Held(bytes) }

    var isEmpty: Bool { held.bytes.count == 0 }

    func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (borrowing SecretBytes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(held.bytes)
    }
}
