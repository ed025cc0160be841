internal import Keybag
internal import KeyClasses
internal import SecureMemory
internal import Synchronization

/// Class keys that this process holds itself, in place of the kernel, and a lock state that a test
/// can set: what `VestryTesting` makes a keychain of.
package final class ProcessKeys: Sendable {
    /// What a question for the user is answered with.
    package enum PresenceAnswer: Sendable {
        case nobody
        case granted
        case refused(VestryError)
    }

    package struct Conditions: Sendable {
        package var state: KeychainStatus.State
        package var hasLoginPassword = true
        package var presence = PresenceAnswer.nobody
        /// What every operation throws while the state is `unavailable`.
        package var error = VestryError(.notAvailable)

        package init(_ state: KeychainStatus.State) { self.state = state }
    }

    let keybag: Keybag
    private let keys: ClassKeys
    private let password: SecretBytes
    private let mutex: Mutex<Conditions>
    /// Lives as long as the keys: the folder of the store.
    private let place: any AnyObject & Sendable

    package init(
        password: consuming SecretBytes, conditions: Conditions, place: any AnyObject & Sendable
    ) {
        let created = Keybag.withoutProtectors()
        keybag = created.keybag
        keys = created.takeKeys()
        self.password = password
        mutex = Mutex(conditions)
        self.place = place
    }

    package var conditions: Conditions {
        get { mutex.withLock { $0 } }
        set { mutex.withLock { $0 = newValue } }
    }

    /// The key of a class, if it can be read in the present state.
    func key(_ keyClass: KeyClass) throws(VestryError) -> ClassKey? {
        let conditions = conditions
        switch (conditions.state, keyClass.residence) {
        case (.noStore, _), (.noPassword, _): throw VestryError(.noSuchKeychain)
        case (.unavailable, _): throw conditions.error
        case (.locked, _), (.afterFirstUnlock, .presence), (_, .nowhere): return nil
        case (.afterFirstUnlock, .user), (.unlocked, _):
            guard conditions.hasLoginPassword || keyClass != .whenPasscodeSetThisDeviceOnly else {
                return nil
            }
            return keys.key(keyClass, epoch: 1)
        }
    }

    /// The key of a class that asks for the user.
    func presenceKey(_ keyClass: KeyClass) throws(VestryError) -> ClassKey {
        switch conditions.presence {
        case .nobody:
            throw VestryError(
                .locked, detail: "the item asks for the user, and interaction is not allowed")
        case .refused(let error): throw error
        case .granted:
            guard let key = keys.key(keyClass, epoch: 1) else { throw VestryError(.locked) }
            return key
        }
    }

    /// Whether the answer comes from the program's handler, because the test has given none.
    var asksHandler: Bool {
        if case .nobody = conditions.presence { true } else { false }
    }

    /// The key of a class that asks for the user, for the password that was typed.
    func presenceKey(
        _ keyClass: KeyClass, password: borrowing SecretBytes
    ) throws(VestryError) -> ClassKey {
        guard password.constantTimeEquals(self.password) else { throw VestryError(.wrongPassword) }
        guard let key = keys.key(keyClass, epoch: 1) else { throw VestryError(.locked) }
        return key
    }

    func status() -> KeychainStatus {
        let conditions = conditions
        return switch conditions.state {
        case .noStore: KeychainStatus(.noStore, .neverEnrolled)
        case .noPassword: KeychainStatus(.noPassword, .noPassword)
        case .locked: KeychainStatus(.locked, .notUnlocked)
        case .afterFirstUnlock: KeychainStatus(.afterFirstUnlock, .sessionLocked)
        case .unlocked: KeychainStatus(.unlocked, .sessionOpen)
        case .unavailable: KeychainStatus(failure: conditions.error)
        }
    }

    func lock() {
        mutex.withLock { if $0.state == .unlocked { $0.state = .afterFirstUnlock } }
    }

    func lockAll() {
        mutex.withLock {
            if $0.state == .unlocked || $0.state == .afterFirstUnlock { $0.state = .locked }
        }
    }

    func unlock(password: borrowing SecretBytes) throws(VestryError) -> UnlockOutcome {
        let state = conditions.state
        guard state != .noStore, state != .noPassword else { throw VestryError(.noSuchKeychain) }
        guard state != .unavailable else { throw conditions.error }
        guard state != .unlocked else { return .alreadyUnlocked }
        guard password.constantTimeEquals(self.password) else { throw VestryError(.wrongPassword) }
        mutex.withLock { $0.state = .unlocked }
        return .unlocked
    }
}
