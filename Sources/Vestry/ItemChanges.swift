internal import Glibc
internal import ItemStore

/// What a caller wants an item to be, checked as far as that needs no store.
struct ItemChanges {
    var values = AttributeList()
    var accessibility: Accessibility?
    var flags: AccessControl.Flags?
    var expires: Int64?

    init() {}

    /// Checks what stands in a new item, or changes in an old one.
    ///
    /// - Parameters:
    ///   - attributes: As the caller gives them.
    ///   - itemClass: The item's.
    ///   - accessGroups: Those that the item may be put into.
    ///   - isUpdate: Whether there is an old item.
    /// - Throws: `VestryError`, as `Keychain.add` documents.
    init(
        _ attributes: [ItemAttribute: AttributeValue], of itemClass: ItemClass,
        accessGroups: [String], isUpdate: Bool
    ) throws(VestryError) {
        for (attribute, value) in attributes {
            if attribute == .expirationDate, value == .date(.infinity) {
                expires = ItemRow.never
                continue
            }
            let value = try attribute.checked(value, in: itemClass)
            guard !attribute.isReadOnly else {
                throw VestryError(.readOnlyAttribute, detail: attribute.rawValue)
            }
            switch attribute {
            case .accessible:
                accessibility = Accessibility(appleName: value.string ?? "")
                guard accessibility != nil else {
                    throw VestryError(.parameter, detail: "no such accessibility")
                }
            case .multiUser where isUpdate:
                // Ignored by Apple's keychain too.
                continue
            case .accessControl:
                // After the accessibility, whichever comes first here.
                continue
            case .expirationDate:
                let seconds = (value.date ?? 0).rounded(.up)
                expires = Int64(exactly: seconds) ?? (seconds < 0 ? .min : ItemRow.never)
            default:
                values[attribute] = value
            }
        }
        if let encoded = attributes[.accessControl] {
            try setAccessControl(encoded.converted(to: .data)?.data ?? [])
        }
        if let group = values[.accessGroup]?.string, !accessGroups.containsBytes(of: group) {
            throw VestryError(.missingEntitlement)
        }
    }

    private mutating func setAccessControl(_ encoded: [UInt8]) throws(VestryError) {
        guard let accessControl = AccessControl(encoded: encoded) else {
            throw VestryError(.parameter, detail: "no such access control")
        }
        if let accessibility, accessibility != accessControl.accessibility {
            throw VestryError(.parameter, detail: "access control is for another accessibility")
        }
        accessibility = accessControl.accessibility
        flags = accessControl.flags
    }
}

extension Protection {
    /// Refuses what does not go together.
    func check(isSynchronizable: Bool) throws(VestryError) {
        try check()
        guard isSynchronizable else { return }
        guard !accessibility.isThisDeviceOnly else {
            throw VestryError(
                .parameter, detail: "an item of this device alone cannot be synchronizable")
        }
        guard flags.isEmpty else {
            throw VestryError(
                .parameter, detail: "an item with access control cannot be synchronizable")
        }
    }
}

extension ItemClass {
    /// The accessibility of items that name none.
    ///
    /// Apple's certificates are always readable, which no encrypted item can be.
    var defaultAccessibility: Accessibility {
        self == .certificate ? .afterFirstUnlock : .whenUnlocked
    }
}

extension [String] {
    /// Whether a text is among these, byte for byte.
    func containsBytes(of text: String) -> Bool {
        contains { $0.utf8.elementsEqual(text.utf8) }
    }
}

/// Seconds since 1970, to the microsecond: finer would not survive a `Double`.
func currentTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec / 1000) / 1_000_000
}
