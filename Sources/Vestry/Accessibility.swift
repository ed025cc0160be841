internal import KeyClasses

/// When an item can be read.
///
/// The raw values are the words of the command line and of JSON output; they never change.
public enum Accessibility: String, CaseIterable, Sendable {
    /// From the user's first password login after boot until reboot, logged in or not
    /// (`kSecAttrAccessibleAfterFirstUnlock`).
    case afterFirstUnlock = "after-first-unlock"
    /// While a login session of the user is open and not screen-locked
    /// (`kSecAttrAccessibleWhenUnlocked`).
    case whenUnlocked = "when-unlocked"
    /// As ``afterFirstUnlock``, and only on this machine.
    case afterFirstUnlockThisDeviceOnly = "after-first-unlock-this-device-only"
    /// As ``whenUnlocked``, and only on this machine.
    case whenUnlockedThisDeviceOnly = "when-unlocked-this-device-only"
    /// As ``whenUnlockedThisDeviceOnly``, while the account has a login password
    /// (`kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly`).
    case whenPasscodeSetThisDeviceOnly = "when-passcode-set-this-device-only"

    /// The raw value of Apple's constant, which ``ItemAttribute/accessible`` has.
    public var appleName: String {
        switch self {
        case .afterFirstUnlock: "ck"
        case .whenUnlocked: "ak"
        case .afterFirstUnlockThisDeviceOnly: "cku"
        case .whenUnlockedThisDeviceOnly: "aku"
        case .whenPasscodeSetThisDeviceOnly: "akpu"
        }
    }

    /// Reads the raw value of Apple's constant.
    ///
    /// Apple's deprecated "always" classes become the AfterFirstUnlock ones: without any key,
    /// nothing can be encrypted.
    ///
    /// - Parameter name: Such as "ak".
    public init?(appleName name: String) {
        switch name {
        case "dk": self = .afterFirstUnlock
        case "dku": self = .afterFirstUnlockThisDeviceOnly
        default:
            guard let match = Self.allCases.first(where: { $0.appleName == name }) else {
                return nil
            }
            self = match
        }
    }

    /// Whether items of this class never leave the machine.
    public var isThisDeviceOnly: Bool { keyClass.isThisDeviceOnly }

    var keyClass: KeyClass {
        switch self {
        case .afterFirstUnlock: .afterFirstUnlock
        case .whenUnlocked: .whenUnlocked
        case .afterFirstUnlockThisDeviceOnly: .afterFirstUnlockThisDeviceOnly
        case .whenUnlockedThisDeviceOnly: .whenUnlockedThisDeviceOnly
        case .whenPasscodeSetThisDeviceOnly: .whenPasscodeSetThisDeviceOnly
        }
    }

    /// The accessibility that a row names, or nil for a class that no item of this release has.
    init?(storedAs rawValue: UInt8) {
        guard let match = Self.allCases.first(where: { $0.keyClass.rawValue == rawValue }) else {
            return nil
        }
        self = match
    }
}
