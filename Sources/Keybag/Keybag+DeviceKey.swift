internal import KeyClasses
public import SecureMemory

/// A user's parts of this machine's device keys of before.
///
/// They open what was wrapped with them until it is wrapped anew.
public struct OlderDeviceKeys: Sendable {
    final class Entry: Sendable {
        let name: String
        let key: SecretBytes

        init(name: String, key: consuming SecretBytes) {
            self.name = name
            self.key = key
        }
    }

    private(set) var entries: [Entry] = []

    public init() {}

    public var isEmpty: Bool { entries.isEmpty }

    /// Adds a key, after those that are to be tried first.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - name: What ``Keybag/needed(of:)`` calls it.
    public mutating func append(_ key: consuming SecretBytes, name: String) {
        entries.append(Entry(name: name, key: key))
    }
}

// A device key in place of another one. No class key changes, and so no epoch: a machine with a new
// device key is not another machine.
extension Keybag {
    /// Wraps anew, with the present device key, what an older one wraps.
    ///
    /// The opened protector wraps its class keys itself. The others get theirs sealed, as far as the
    /// opened one has all of them: their secrets are not at hand, and an older device key must be able
    /// to go nevertheless.
    ///
    /// - Parameter opened: The protector whose secret is at hand, opened with older device keys too.
    /// - Returns: Whether anything has changed.
    mutating func renewDeviceKey(opened: borrowing OpenedProtector) -> Bool {
        let olderMarks = opened.wrappingKeys.olderDeviceMarks
        guard !olderMarks.isEmpty else { return false }
        var changed = self
        for (index, protector) in protectors.enumerated() {
            let isMarked = protector.extensions.deviceMark.map(olderMarks.contains) ?? false
            if protector.id == opened.id {
                changed.protectors[index] = renewed(protector, isMarked: isMarked, opened: opened)
            } else if isMarked, let renewed = sealedAnew(protector, opened: opened) {
                changed.protectors[index] = renewed
            }
        }
        guard changed != self, (try? changed.checkSize()) != nil else { return false }
        self = changed
        return true
    }

    private func renewed(
        _ protector: Protector, isMarked: Bool, opened: borrowing OpenedProtector
    ) -> Protector {
        var renewed = protector
        var isIntroduced = isMarked
        for wrap in protector.wraps where wrap.keyClass.isThisDeviceOnly {
            let place = place(of: wrap.name, protector.id)
            guard let entry = classEntries.first(where: { $0.name == wrap.name }),
                let key = opened.keys.key(wrap.keyClass, epoch: wrap.epoch),
                !opened.wrappingKeys.opensWithPresentDeviceKey(
                    wrap, in: place, checkValue: entry.checkValue)
            else { continue }
            renewed.set(opened.wrappingKeys.wrap(key, in: place))
            isIntroduced = true
        }
        if isIntroduced { introduce(&renewed, opened.wrappingKeys, opened.keys) }
        return renewed
    }

    /// Nil when the protector cannot be given its keys, or has one of this machine that is not open.
    private func sealedAnew(
        _ protector: Protector, opened: borrowing OpenedProtector
    ) -> Protector? {
        guard let vouchKey = vouchKey(of: protector, opened.keys) else { return nil }
        var renewed = protector
        for wrap in protector.wraps where wrap.keyClass.isThisDeviceOnly {
            guard let entry = classEntries.first(where: { $0.name == wrap.name }),
                let key = opened.keys.key(wrap.keyClass, epoch: wrap.epoch)
            else {
                // What another machine has wrapped stays its own.
                if isOfAnotherMachine(wrap.keyClass, epoch: wrap.epoch) { continue }
                return nil
            }
            guard
                let sealed = opened.wrappingKeys.seal(
                    key, for: protector, vouchKey: vouchKey,
                    in: place(of: wrap.name, protector.id), checkValue: entry.checkValue)
            else { return nil }
            renewed.set(sealed)
        }
        renewed.extensions.deviceMark = opened.wrappingKeys.deviceMark
        return renewed
    }

    /// Which of these device keys something in this keybag is wrapped with.
    ///
    /// - Returns: Their names; of a protector that does not say which device key it needs, all.
    public func needed(of keys: OlderDeviceKeys) -> [String] {
        keys.entries.filter { needs($0.key) }.map(\.name)
    }

    /// Whether something in this keybag is wrapped with a device key, or may be.
    ///
    /// - Parameter deviceKey: A user's part of it.
    /// - Returns: True too where a protector does not say which one it needs.
    public func needs(_ deviceKey: borrowing SecretBytes) -> Bool {
        let mark = deviceMark(of: deviceKey, in: storeID)
        return protectors.contains { protector in
            protector.extensions.deviceMark ?? mark == mark
                && protector.wraps.contains { $0.keyClass.isThisDeviceOnly }
        }
    }
}
