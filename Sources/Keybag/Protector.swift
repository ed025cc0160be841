internal import KeyClasses
public import Sealing

/// What unwraps class keys: a password or another secret, with its own wrapping of each class key.
public struct Protector: Equatable, Sendable {
    /// The numbers stand in keybags and never change their meaning.
    public enum Kind: UInt8, Sendable, CaseIterable {
        case loginPassword = 1
        /// The login password before the last change. It stays until a login has proved the new one:
        /// whether the change took effect is decided by other PAM modules, after this one.
        case previousPassword = 2
    }

    static let idByteCount = 16

    /// A class key in its box.
    struct Wrap: Equatable, Sendable {
        /// Nonce, sealed class key, tag.
        static let boxByteCount = SealingKey.overhead + ClassKey.byteCount

        let keyClass: KeyClass
        let epoch: UInt32
        let box: [UInt8]
    }

    /// Random, 16 bytes.
    let id: [UInt8]
    public let kind: Kind
    public let derivation: PasswordDerivation
    /// In ascending order of class and epoch.
    let wraps: [Wrap]
}
