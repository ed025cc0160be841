public import KeyClasses
internal import Sealing
public import SecureMemory

extension Keybag {
    /// Opens the class keys with a secret, by the protectors of one kind.
    ///
    /// - Parameters:
    ///   - kind: Which protectors to try, one derivation each.
    ///   - password: The login password, or what else the kind asks for; not empty.
    ///   - deviceKey: This machine's key for this user. With another machine's, the ThisDeviceOnly
    ///     classes are left out of the result.
    ///   - olderDeviceKeys: What else to try for these classes.
    /// - Returns: The protector with the keys, each checked against its check value.
    /// - Throws: `KeybagError.wrongPassword`, `.outOfMemory`, or `.malformed` when the password is
    ///   right and a key is not the one that the keybag was made with.
    public func open(
        _ kind: Protector.Kind, password: borrowing SecretBytes, deviceKey: borrowing SecretBytes,
        olderDeviceKeys: OlderDeviceKeys = OlderDeviceKeys()
    ) throws(KeybagError) -> OpenedProtector {
        for protector in protectors where protector.kind == kind {
            guard case .password(let derivation) = protector.method else { continue }
            guard let protectorKey = derivation.key(from: password) else { throw .outOfMemory }
            let wrappingKeys = WrappingKeys(
                protectorKey: protectorKey, deviceKey: deviceKey,
                olderDeviceKeys: olderDeviceKeys, storeID: storeID)
            let keys = try keys(of: protector, wrappingKeys)
            if keys.count == 0 { continue }
            return OpenedProtector(
                id: protector.id, kind: kind, keys: keys, wrappingKeys: wrappingKeys)
        }
        throw .wrongPassword
    }

    /// The class keys that a protector's own keys unwrap.
    private func keys(
        of protector: Protector, _ wrappingKeys: borrowing WrappingKeys
    ) throws(KeybagError) -> ClassKeys {
        var keys = ClassKeys()
        for wrap in protector.wraps {
            guard let entry = classEntries.first(where: { $0.name == wrap.name }),
                let seed = wrappingKeys.unwrap(
                    wrap, in: place(of: wrap.name, protector.id), checkValue: entry.checkValue),
                let key = ClassKey(wrap.keyClass, epoch: wrap.epoch, seed: seed)
            else { continue }
            guard accepts(key) else {
                throw .malformed("a class key does not fit its check value")
            }
            keys.insert(key)
        }
        return keys
    }

    /// The older key that a bridge, or several one after the other, lead to from a newer one.
    ///
    /// - Parameters:
    ///   - epoch: Of the older key.
    ///   - key: A key of the same class, as the kernel holds it.
    /// - Returns: The older key, or nil when no bridge leads there from this key.
    /// - Throws: `KeybagError.malformed` when a bridge does not open.
    public func openBridge(
        to epoch: UInt32, with key: borrowing ClassKey
    ) throws(KeybagError) -> ClassKey? {
        let keyClass = key.keyClass
        guard epoch < key.epoch,
            let bridge = bridges.first(where: { $0.keyClass == keyClass && $0.older == epoch })
        else { return nil }
        if bridge.newer == key.epoch { return try open(bridge, with: key) }
        // Each step is to a newer epoch, so that this ends.
        guard let nearer = try openBridge(to: bridge.newer, with: key) else { return nil }
        return try open(bridge, with: nearer)
    }

    private func open(
        _ bridge: Bridge, with key: borrowing ClassKey
    ) throws(KeybagError) -> ClassKey {
        let sealingKey = SealingKey(key.keybagKey())
        guard
            let seed = try? sealingKey.open(
                bridge.box.span, context: context(of: bridge.name, newer: bridge.newer)),
            let older = ClassKey(bridge.keyClass, epoch: bridge.older, seed: seed),
            accepts(older)
        else { throw .malformed("a bridge does not open") }
        return older
    }

    /// Seals an older key under a newer one of its class.
    func bridge(to older: borrowing ClassKey, from newer: borrowing ClassKey) -> Bridge {
        let name = ClassKeyName(keyClass: older.keyClass, epoch: older.epoch)
        let box = SealingKey(newer.keybagKey()).seal(
            older.seed, context: context(of: name, newer: newer.epoch))
        return Bridge(keyClass: name.keyClass, older: name.epoch, newer: newer.epoch, box: box)
    }

    func place(of name: ClassKeyName, _ protectorID: [UInt8]) -> WrapPlace {
        WrapPlace(storeID: storeID, protectorID: protectorID, name)
    }

    private func context(of older: ClassKeyName, newer: UInt32) -> [UInt8] {
        Array("vestry bridge".utf8) + storeID.bytes + [older.keyClass.rawValue]
            + littleEndian(older.epoch) + littleEndian(newer)
    }

    /// The keys of the kernel, as far as they are this store's own, and the older keys behind them.
    ///
    /// - Parameter find: The kernel's key of a class, if there is one.
    /// - Returns: The genuine ones.
    public func genuineKeys(_ find: (KeyClass) -> ClassKey?) -> ClassKeys {
        var keys = ClassKeys()
        for keyClass in KeyClass.allCases {
            guard let key = find(keyClass), accepts(key) else { continue }
            for bridge in bridges where bridge.keyClass == keyClass {
                if let older = try? openBridge(to: bridge.older, with: key) { keys.insert(older) }
            }
            keys.insert(key)
        }
        return keys
    }

    /// The memory that trying the costliest protector of some kinds takes, in KiB.
    public func largestDerivationKiB(of kinds: [Protector.Kind]) -> UInt32 {
        protectors.filter { kinds.contains($0.kind) }.map { protector in
            guard case .password(let derivation) = protector.method else { return 0 }
            return derivation.memoryKiB
        }.max() ?? 0
    }
}

/// A protector whose secret is at hand, with the class keys that it unwraps.
public struct OpenedProtector: ~Copyable, Sendable {
    /// The protector's id.
    public let id: [UInt8]
    public let kind: Protector.Kind
    public let keys: ClassKeys
    let wrappingKeys: WrappingKeys

    /// The keys, for somebody to keep.
    public consuming func takeKeys() -> ClassKeys { keys }
}
