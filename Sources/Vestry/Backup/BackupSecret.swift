internal import Sealing
public import SecureMemory

/// What seals a backup, and opens it again: a passphrase, or a recovery code of 256 random bits.
public struct BackupSecret: ~Copyable, Sendable {
    /// Which of the two it is.
    ///
    /// The raw values stand in backups and never change.
    public enum Kind: UInt8, Sendable {
        case passphrase = 1
        case recoveryCode = 2
    }

    private enum Content: ~Copyable, Sendable {
        case passphrase(SecretBytes)
        case recoveryCode(RecoveryCode)
    }

    private let content: Content

    private init(_ content: consuming Content) { self.content = content }

    /// Takes ownership of a passphrase, any bytes; an empty one is refused where it is used.
    public static func passphrase(_ passphrase: consuming SecretBytes) -> BackupSecret {
        BackupSecret(.passphrase(passphrase))
    }

    /// Draws a new recovery code; ``writtenCode`` is what a person keeps.
    public static func newRecoveryCode() -> BackupSecret {
        BackupSecret(.recoveryCode(.random()))
    }

    /// Reads a recovery code as a person writes it: in small letters too, with or without its hyphens,
    /// O for 0, I or L for 1.
    ///
    /// - Parameter text: ASCII.
    /// - Returns: The secret.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/wrongPassword`` for a code that is
    ///   mistyped, before anything is derived.
    public static func recoveryCode(
        _ text: borrowing SecretBytes
    ) throws(VestryError) -> BackupSecret {
        do throws(RecoveryCodeError) {
            return BackupSecret(.recoveryCode(try RecoveryCode(parsing: text)))
        } catch {
            throw error.publicError
        }
    }

    public var kind: Kind {
        switch content {
        case .passphrase: .passphrase
        case .recoveryCode: .recoveryCode
        }
    }

    /// The written form of a recovery code, in ASCII; nil for a passphrase.
    public var writtenCode: SecretBytes? {
        switch content {
        case .passphrase: nil
        case .recoveryCode(let code): code.text
        }
    }

    /// The key that the secret gives.
    ///
    /// - Throws: `VestryError` with the code `parameter` for an empty passphrase, or `outOfMemory`.
    func key(by derivation: PasswordDerivation) throws(VestryError) -> SecretBytes {
        let key: SecretBytes?
        switch content {
        case .passphrase(let passphrase):
            guard passphrase.count > 0 else {
                throw VestryError(.parameter, detail: "an empty passphrase seals nothing")
            }
            key = derivation.key(from: passphrase)
        case .recoveryCode(let code):
            key = derivation.key(from: code.secret)
        }
        guard let key else { throw VestryError(.outOfMemory) }
        return key
    }
}
