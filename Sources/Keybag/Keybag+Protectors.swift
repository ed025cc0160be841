internal import KeyClasses
internal import Sealing
public import SecureMemory

/// The two keys that wrap class keys: one from a password, one of this machine.
///
/// A ThisDeviceOnly class is wrapped under H(protector key, device key), so that a stolen store
/// cannot be attacked by guessing passwords on another machine.
struct WrappingKeys: ~Copyable {
    private let everywhere: SealingKey
    private let thisDevice: SealingKey

    init(protectorKey: consuming SecretBytes, deviceKey: borrowing SecretBytes) {
        thisDevice = SealingKey(protectorKey.keyedHashKey(of: deviceKey))
        everywhere = SealingKey(protectorKey)
    }

    func wrap(_ key: borrowing ClassKey, context: [UInt8]) -> [UInt8] {
        key.keyClass.isThisDeviceOnly
            ? thisDevice.seal(key.seed, context: context)
            : everywhere.seal(key.seed, context: context)
    }

    func unwrap(_ wrap: Protector.Wrap, context: [UInt8]) -> SecretBytes? {
        wrap.keyClass.isThisDeviceOnly
            ? try? thisDevice.open(wrap.box.span, context: context)
            : try? everywhere.open(wrap.box.span, context: context)
    }
}

extension Keybag {
    /// Makes the keybag of a new store: random class keys under a login password.
    ///
    /// - Parameters:
    ///   - password: The login password, not empty.
    ///   - deviceKey: This machine's key for this user, 32 bytes.
    /// - Returns: The keybag and its opened keys.
    /// - Throws: `KeybagError.outOfMemory`.
    public static func create(
        password: borrowing SecretBytes, deviceKey: borrowing SecretBytes
    ) throws(KeybagError) -> CreatedKeybag {
        let created = withoutProtectors()
        var keybag = created.keybag
        try keybag.setLoginPassword(
            password, keys: created.keys, deviceKey: deviceKey, replacing: nil)
        return CreatedKeybag(keybag: keybag, keys: created.takeKeys())
    }

    /// Makes random class keys that nothing wraps yet: a keybag that opens nothing, and cannot be
    /// written to a file.
    ///
    /// - Returns: The keybag and its keys.
    public static func withoutProtectors() -> CreatedKeybag {
        let storeID = StoreID.random()
        let keys = ClassKeys.random()
        var entries: [ClassEntry] = []
        for index in 0..<keys.count {
            guard let key = keys.key(at: index) else { continue }
            entries.append(
                ClassEntry(
                    keyClass: key.keyClass, epoch: key.epoch,
                    depositPublicKey: key.depositPublicKey(),
                    checkValue: key.checkValue(in: storeID)))
        }
        return CreatedKeybag(
            keybag: Keybag(storeID: storeID, classEntries: entries, protectors: []), keys: keys)
    }

    /// Opens the class keys with a password, by the protectors of one kind.
    ///
    /// - Parameters:
    ///   - kind: Which protectors to try, one derivation each.
    ///   - password: The login password, not empty.
    ///   - deviceKey: This machine's key for this user. With another machine's, the ThisDeviceOnly
    ///     classes are left out of the result.
    /// - Returns: The keys, each checked against its check value.
    /// - Throws: `KeybagError.wrongPassword`, `.outOfMemory`, or `.malformed` when the password is
    ///   right and a key is not the one that the keybag was made with.
    public func open(
        _ kind: Protector.Kind, password: borrowing SecretBytes, deviceKey: borrowing SecretBytes
    ) throws(KeybagError) -> ClassKeys {
        for protector in protectors where protector.kind == kind {
            guard let protectorKey = protector.derivation.key(from: password) else {
                throw .outOfMemory
            }
            let wrappingKeys = WrappingKeys(protectorKey: protectorKey, deviceKey: deviceKey)
            let keys = ClassKeys(protector.wraps.map { ($0.keyClass, $0.epoch) }) { index in
                let wrap = protector.wraps[index]
                let context = Self.context(
                    storeID: storeID, protectorID: protector.id, wrap.keyClass, wrap.epoch)
                return wrappingKeys.unwrap(wrap, context: context)
            }
            if keys.count == 0 { continue }
            try check(keys)
            return keys
        }
        throw .wrongPassword
    }

    /// The memory that trying the costliest protector takes, in KiB.
    public var largestDerivationKiB: UInt32 {
        protectors.map(\.derivation.memoryKiB).max() ?? 0
    }

    /// Whether there is a protector of this kind.
    public func has(_ kind: Protector.Kind) -> Bool {
        protectors.contains { $0.kind == kind }
    }

    /// Wraps the class keys under a new login password, and keeps the protector of the old one until
    /// a login has proved the new one (``dropPreviousPassword()``).
    ///
    /// - Parameters:
    ///   - password: The new login password, not empty.
    ///   - keys: All classes, as ``open(_:password:deviceKey:)`` returned them. Classes that are
    ///     missing there (another machine's ThisDeviceOnly) would be lost: that is refused.
    ///   - deviceKey: This machine's key for this user.
    ///   - opener: The kind of protector that the old password opened, which is what stays as the
    ///     previous password; nil for a new keybag. After a change that another PAM module undid,
    ///     that is not the login password of this file.
    /// - Throws: `KeybagError.outOfMemory` or `.foreignDevice`.
    public mutating func setLoginPassword(
        _ password: borrowing SecretBytes, keys: borrowing ClassKeys,
        deviceKey: borrowing SecretBytes, replacing opener: Protector.Kind?
    ) throws(KeybagError) {
        guard keys.count == classEntries.count else {
            throw .foreignDevice(open: keys.count, of: classEntries.count)
        }
        let derivation = PasswordDerivation.recommended()
        guard let protectorKey = derivation.key(from: password) else { throw .outOfMemory }
        let wrappingKeys = WrappingKeys(protectorKey: protectorKey, deviceKey: deviceKey)
        let id = randomBytes(count: Protector.idByteCount)
        var wraps: [Protector.Wrap] = []
        for index in 0..<keys.count {
            guard let key = keys.key(at: index) else { continue }
            let context = Self.context(
                storeID: storeID, protectorID: id, key.keyClass, key.epoch)
            wraps.append(
                Protector.Wrap(
                    keyClass: key.keyClass, epoch: key.epoch,
                    box: wrappingKeys.wrap(key, context: context)))
        }
        let new = Protector(id: id, kind: .loginPassword, derivation: derivation, wraps: wraps)
        let previous = protectors.filter { $0.kind == opener }.map {
            Protector(
                id: $0.id, kind: .previousPassword, derivation: $0.derivation, wraps: $0.wraps)
        }
        let others = protectors.filter {
            $0.kind != .loginPassword && $0.kind != .previousPassword
        }
        protectors = [new] + previous + others
    }

    /// Forgets the login password before the last change.
    public mutating func dropPreviousPassword() {
        protectors.removeAll { $0.kind == .previousPassword }
    }

    private func check(_ keys: borrowing ClassKeys) throws(KeybagError) {
        for index in 0..<keys.count {
            guard let key = keys.key(at: index), accepts(key) else {
                throw .malformed("a class key does not fit its check value")
            }
        }
    }

    private static func context(
        storeID: StoreID, protectorID: [UInt8], _ keyClass: KeyClass, _ epoch: UInt32
    ) -> [UInt8] {
        Array("vestry class key".utf8) + storeID.bytes + protectorID + [keyClass.rawValue]
            + littleEndian(epoch)
    }
}

/// A new store's keybag with its keys still open.
public struct CreatedKeybag: ~Copyable {
    public let keybag: Keybag
    public let keys: ClassKeys

    /// The keys, for somebody to keep.
    public consuming func takeKeys() -> ClassKeys { keys }
}
