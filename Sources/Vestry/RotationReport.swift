internal import KeyClasses

/// A class of the keychain whose key can be changed.
public enum RotationClass: String, CaseIterable, Sendable {
    case afterFirstUnlock = "after-first-unlock"
    case whenUnlocked = "when-unlocked"
    case afterFirstUnlockThisDeviceOnly = "after-first-unlock-this-device-only"
    case whenUnlockedThisDeviceOnly = "when-unlocked-this-device-only"
    case whenPasscodeSetThisDeviceOnly = "when-passcode-set-this-device-only"
    /// Of secrets that ask for the user at each read.
    case presence
    case presenceThisDeviceOnly = "presence-this-device-only"

    var keyClass: KeyClass {
        switch self {
        case .afterFirstUnlock: .afterFirstUnlock
        case .whenUnlocked: .whenUnlocked
        case .afterFirstUnlockThisDeviceOnly: .afterFirstUnlockThisDeviceOnly
        case .whenUnlockedThisDeviceOnly: .whenUnlockedThisDeviceOnly
        case .whenPasscodeSetThisDeviceOnly: .whenPasscodeSetThisDeviceOnly
        case .presence: .presence
        case .presenceThisDeviceOnly: .presenceThisDeviceOnly
        }
    }
}

/// What a rotation of class keys has done.
public struct RotationReport: Sendable {
    /// How many items, old secrets and deleted items were sealed anew.
    public internal(set) var resealedCount = 0
    /// The classes whose old keys are gone.
    public internal(set) var finished: [RotationClass] = []
    /// The classes whose old keys stay, because something that they seal could not be sealed anew.
    public internal(set) var unfinished: [RotationClass] = []
    /// The items that keep them, each once, ascending by their references.
    public internal(set) var leftItems: [LeftItem] = []

    /// An item of which something could not be sealed anew.
    public struct LeftItem: Sendable {
        /// 16 bytes that name the item.
        public let persistentReference: [UInt8]
        /// For people: it takes an application password, is another machine's, or does not open.
        public let reason: String
    }
}
