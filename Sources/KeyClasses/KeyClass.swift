/// An accessibility class that has a key of its own.
///
/// The numbers stand in keybags and item rows and never change their meaning.
public enum KeyClass: UInt8, CaseIterable, Sendable {
    /// Tags: finds items. Opened together with `afterFirstUnlock`.
    case index = 1
    case afterFirstUnlock = 2
    case afterFirstUnlockThisDeviceOnly = 3
    case whenUnlocked = 4
    case whenUnlockedThisDeviceOnly = 5
    case whenPasscodeSetThisDeviceOnly = 6
    case presence = 7
    case presenceThisDeviceOnly = 8

    /// Where the class's key lives in the kernel once it is opened.
    public enum Residence: Sendable {
        /// In the user keyring: until reboot.
        case user
        /// In the presence keyring: while a login session is open and not screen-locked.
        case presence
        /// Nowhere: each read needs the password again.
        case nowhere
    }

    public var residence: Residence {
        switch self {
        case .index, .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: .user
        case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly: .presence
        case .presence, .presenceThisDeviceOnly: .nowhere
        }
    }

    /// Whether the class key is wrapped with this machine's device key too.
    public var isThisDeviceOnly: Bool {
        switch self {
        case .index, .afterFirstUnlock, .whenUnlocked, .presence: false
        case .afterFirstUnlockThisDeviceOnly, .whenUnlockedThisDeviceOnly,
            .whenPasscodeSetThisDeviceOnly, .presenceThisDeviceOnly:
            true
        }
    }
}
