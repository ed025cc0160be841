public import KeyClasses

/// What can be read at this moment.
public enum LockState: Equatable, Sendable {
    /// Nothing: never unlocked since boot, or locked again as a whole.
    case locked
    /// The AfterFirstUnlock items: no login session is open, or the screen is locked.
    case afterFirstUnlock
    /// Everything that asks for no presence.
    case unlocked
    /// Nothing, because the keyring cannot be used.
    case unavailable(KeyringError)
}

extension KernelKeyring {
    /// Looks which class keys are in the kernel.
    ///
    /// - Parameter isGenuine: Says whether a key is the store's own and current one, by the
    ///   keybag's check values.
    /// - Returns: The state at this moment; it can change at any time.
    public func lockState(isGenuine: (borrowing ClassKey) -> Bool) -> LockState {
        func isOpen(_ keyClass: KeyClass) throws(KeyringError) -> Bool {
            guard let key = try classKey(keyClass) else { return false }
            return isGenuine(key)
        }
        do throws(KeyringError) {
            guard try isOpen(.index), try isOpen(.afterFirstUnlock) else { return .locked }
            return try isOpen(.whenUnlocked) ? .unlocked : .afterFirstUnlock
        } catch {
            return .unavailable(error)
        }
    }
}
