public import KeyClasses
public import LinuxSystem

/// A reason why a keybag cannot be used.
///
/// The cases carry sizes and numbers from the file, never key material.
public enum KeybagError: Error, Equatable, Sendable {
    /// The file or its folder is not what it must be, or cannot be read or written.
    case file(PrivateFileError)
    /// Shorter than its header says, or than any keybag is.
    case truncated(expected: Int, actual: Int)
    /// Longer than its header says.
    case trailingBytes(expected: Int, actual: Int)
    case badMagic
    /// Written by a later release.
    case unsupportedVersion(UInt16)
    /// The bytes are not the ones that were written.
    case badChecksum
    /// The checksum fits, but the bytes are not what any release writes; the text says where.
    case malformed(String)
    /// The file asks for more work or memory than a login may cost.
    case costTooHigh(passes: UInt32, memoryKiB: UInt32)
    /// The file asks for less work than protects a password.
    case costTooLow(passes: UInt32, memoryKiB: UInt32)
    /// The password, or another secret, opens none of the protectors that were tried.
    case wrongPassword
    /// The change needs the key of a class that is not open: it is wrapped for another machine, or
    /// this protector does not have it.
    case classNotOpen(KeyClass)
    /// A protector cannot be given a new class key: it has no public keys, and its secret is not at
    /// hand. The text is its id.
    case protectorOutOfReach(String)
    /// The change would leave the newest key of a class without any protector.
    case wouldLose(KeyClass)
    /// No protector has this id.
    case noSuchProtector
    /// A store always has a login password.
    case isLoginPassword
    /// As many protectors or class keys as a keybag holds.
    case full
    /// There was not enough memory for the derivation.
    case outOfMemory

    /// Whether the stored bytes are at fault: neither the password nor the file system.
    public var isDamage: Bool {
        switch self {
        case .truncated, .trailingBytes, .badMagic, .badChecksum, .malformed, .costTooHigh,
            .costTooLow, .file(.tooLarge):
            true
        case .file, .unsupportedVersion, .wrongPassword, .classNotOpen, .protectorOutOfReach,
            .wouldLose, .noSuchProtector, .isLoginPassword, .full, .outOfMemory:
            false
        }
    }
}
