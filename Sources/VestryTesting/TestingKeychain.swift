internal import Glibc
internal import LinuxSystem
internal import SecureMemory
public import Vestry

/// A keychain for tests: of this process alone, in memory, with a lock state that the test sets.
///
/// ```swift
/// let testing = try TestingKeychain()
/// let program = Program(keychain: testing.keychain)
/// testing.state = .locked
/// #expect(program.token() == nil)
/// ```
///
/// It is the real implementation: items are sealed and stored as always, in a folder of their own
/// that is gone when the last copy of ``keychain`` is. Only the class keys come from this process
/// instead of the kernel. No login, no session helper and no kernel keyring is needed, and any number
/// of these can be used at once.
public final class TestingKeychain: Sendable {
    /// Who answers when an item asks for the user.
    public enum Presence: Sendable {
        /// Nobody can be asked: ``VestryError/Code/locked``.
        case nobody
        /// A user who gives the right password.
        case granted
        /// ``VestryError/Code/wrongPassword``.
        case wrongPassword
        /// ``VestryError/Code/cancelled``.
        case cancelled
    }

    /// The keychain, to be given to the code under test.
    public let keychain: Keychain

    private let keys: ProcessKeys

    /// Makes a keychain without items.
    ///
    /// - Parameters:
    ///   - state: The lock state at first.
    ///   - password: What ``Keychain/unlock(password:)`` takes.
    /// - Throws: ``VestryError`` when neither `/dev/shm` nor the folder for temporary files can be
    ///   written to.
    public init(
        state: KeychainStatus.State = .unlocked, password: String = "password"
    ) throws(VestryError) {
        let folder = try TemporaryFolder()
        keys = ProcessKeys(
            password: SecretBytes(copying: Array(password.utf8).span),
            conditions: ProcessKeys.Conditions(state), place: folder)
        keychain = Keychain(
            account: Account(
                name: "tester", user: geteuid(), group: getegid(), homeDirectory: folder.path),
            keys: keys)
    }

    /// What can be read now.
    ///
    /// With `noStore` every operation throws ``VestryError/Code/noSuchKeychain``, with `unavailable`
    /// ``VestryError/Code/notAvailable``; the items are back when the state is another one.
    public var state: KeychainStatus.State {
        get { keys.conditions.state }
        set { keys.conditions.state = newValue }
    }

    /// Whether the account has a usable login password, which
    /// ``Accessibility/whenPasscodeSetThisDeviceOnly`` asks for.
    public var hasLoginPassword: Bool {
        get { keys.conditions.hasLoginPassword }
        set { keys.conditions.hasLoginPassword = newValue }
    }

    /// Sets who answers when an item asks for the user; nobody at first.
    public func answerPresence(with presence: Presence) {
        keys.conditions.presence =
            switch presence {
            case .nobody: .nobody
            case .granted: .granted
            case .wrongPassword: .refused(VestryError(.wrongPassword))
            case .cancelled: .refused(VestryError(.cancelled))
            }
    }
}
