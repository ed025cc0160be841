internal import Vestry

/// When an item can be read.
///
/// The raw values are those of Apple's `kSecAttrAccessible` constants. What each means here is
/// written at `Vestry.Accessibility`.
public enum Accessibility: String, CaseIterable, Sendable {
    /// While a login session of the user is open and not screen-locked.
    case whenUnlocked = "ak"
    /// From the user's first password login after boot until reboot; what a ``Keychain`` writes
    /// unless told otherwise.
    case afterFirstUnlock = "ck"
    /// Stored as ``afterFirstUnlock``: what is readable without any key is not encrypted.
    case always = "dk"
    /// As ``whenUnlockedThisDeviceOnly``, while the account has a login password.
    case whenPasscodeSetThisDeviceOnly = "akpu"
    /// As ``whenUnlocked``, and only on this machine.
    case whenUnlockedThisDeviceOnly = "aku"
    /// As ``afterFirstUnlock``, and only on this machine.
    case afterFirstUnlockThisDeviceOnly = "cku"
    /// Stored as ``afterFirstUnlockThisDeviceOnly``.
    case alwaysThisDeviceOnly = "dku"

    /// What an item of this class is stored as.
    var stored: Vestry.Accessibility {
        switch self {
        case .whenUnlocked: .whenUnlocked
        case .afterFirstUnlock, .always: .afterFirstUnlock
        case .whenPasscodeSetThisDeviceOnly: .whenPasscodeSetThisDeviceOnly
        case .whenUnlockedThisDeviceOnly: .whenUnlockedThisDeviceOnly
        case .afterFirstUnlockThisDeviceOnly, .alwaysThisDeviceOnly:
            .afterFirstUnlockThisDeviceOnly
        }
    }
}

extension Accessibility: CustomStringConvertible {
    /// The name that ``Keychain/allItems()`` gives, such as "AfterFirstUnlock".
    public var description: String {
        switch self {
        case .whenUnlocked: "WhenUnlocked"
        case .afterFirstUnlock: "AfterFirstUnlock"
        case .always: "Always"
        case .whenPasscodeSetThisDeviceOnly: "WhenPasscodeSetThisDeviceOnly"
        case .whenUnlockedThisDeviceOnly: "WhenUnlockedThisDeviceOnly"
        case .afterFirstUnlockThisDeviceOnly: "AfterFirstUnlockThisDeviceOnly"
        case .alwaysThisDeviceOnly: "AlwaysThisDeviceOnly"
        }
    }
}
