internal import ItemStore
internal import KeyClasses

/// When an item can be read, and what else a read asks for.
struct Protection: Equatable {
    var accessibility: Accessibility
    var flags: AccessControl.Flags = []

    /// Whether each read of the secret asks for the user.
    var needsPresence: Bool { !flags.isDisjoint(with: Self.presenceFlags) }

    /// Whether a password of the program's own goes into the sealing of the secret.
    var hasApplicationPassword: Bool { flags.contains(.applicationPassword) }

    /// The class whose key seals the attributes: these can be listed without the user.
    var metadataClass: KeyClass { accessibility.keyClass }

    /// The class whose key seals the secret.
    var valueClass: KeyClass {
        guard needsPresence else { return accessibility.keyClass }
        return accessibility.isThisDeviceOnly ? .presenceThisDeviceOnly : .presence
    }

    private static let presenceFlags: AccessControl.Flags = [
        .userPresence, .devicePasscode, .biometryAny, .biometryCurrentSet, .watch,
    ]
    private static let unavailableFlags: AccessControl.Flags = [
        .biometryAny, .biometryCurrentSet, .watch,
    ]
    private static let knownFlags: AccessControl.Flags = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .watch, .or, .and,
        .privateKeyUsage, .applicationPassword,
    ]

    /// Refuses what no read could ever meet.
    func check() throws(VestryError) {
        guard flags.isSubset(of: Self.knownFlags), !flags.isSuperset(of: [.or, .and]) else {
            throw VestryError(.parameter, detail: "no such access control")
        }
        let methods = flags.intersection(Self.presenceFlags)
        let available = methods.subtracting(Self.unavailableFlags)
        let isMet = flags.contains(.or) ? !available.isEmpty : available == methods
        guard isMet || methods.isEmpty else {
            throw VestryError(
                .notAvailable, detail: "no biometric method and no watch is available here")
        }
    }

    /// What a row says.
    ///
    /// - Throws: `VestryError` for a class or an access control that this release does not have.
    init(_ row: ItemRow) throws(VestryError) {
        let flags = AccessControl.Flags(rawValue: row.accessControl)
        guard let accessibility = Accessibility(storedAs: row.accessibility),
            flags.isSubset(of: Self.knownFlags)
        else { throw VestryError(.newerFormat, detail: "an item has an unknown accessibility") }
        self.init(accessibility: accessibility, flags: flags)
    }

    /// What rows say that are sealed in one way.
    init(_ sealing: RowSealing) throws(VestryError) {
        let flags = AccessControl.Flags(rawValue: sealing.accessControl)
        guard let accessibility = Accessibility(storedAs: sealing.accessibility),
            flags.isSubset(of: Self.knownFlags)
        else { throw VestryError(.newerFormat, detail: "an item has an unknown accessibility") }
        self.init(accessibility: accessibility, flags: flags)
    }

    init(accessibility: Accessibility, flags: AccessControl.Flags = []) {
        self.accessibility = accessibility
        self.flags = flags
    }
}

extension RowSealing {
    /// Whether a box is sealed under an earlier epoch than the least one of its class.
    func isOfThePast(_ least: [UInt8: UInt32]) throws(VestryError) -> Bool {
        let protection = try Protection(self)
        return epoch < least[protection.metadataClass.rawValue] ?? 0
            || valueEpoch < least[protection.valueClass.rawValue] ?? 0
    }
}
