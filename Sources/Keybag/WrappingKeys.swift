internal import KeyClasses
internal import Sealing
internal import SecureMemory

/// The keys that one protector's secret gives, and that wrap class keys.
///
/// A ThisDeviceOnly class is wrapped under H(protector key, device key), so that a stolen store
/// cannot be attacked by guessing passwords on another machine.
///
/// A class key can be given to a protector whose secret is not at hand: sealed to its public key. But
/// anybody who can write the file can seal a key of their own choice, and new items would then be
/// sealed for them. So whoever gives a key in this way adds a voucher, keyed with the protector's
/// vouch key, which stands in the keybag under the index key: only the protector itself and those who
/// could open the store at the time of writing know it.
///
/// The key of a ThisDeviceOnly class that is given in this way is put into a second box, under a key
/// that the device key alone gives: to open it takes the device key and the protector's secret, as
/// with a wrapped one.
struct WrappingKeys: ~Copyable, Sendable {
    static let vouchKeyByteCount = 32

    private let everywhere: SealingKey
    private let everywhereSeed: SecretBytes
    let vouchKey: SecretBytes
    private let device: DeviceWrapping
    /// Of device keys of before: these open, and wrap nothing.
    private let olderDevices: [DeviceWrapping]

    init(
        protectorKey: consuming SecretBytes, deviceKey: borrowing SecretBytes,
        olderDeviceKeys: OlderDeviceKeys = OlderDeviceKeys(), storeID: StoreID
    ) {
        device = DeviceWrapping(protectorKey: protectorKey, deviceKey: deviceKey, storeID: storeID)
        var older: [DeviceWrapping] = []
        for entry in olderDeviceKeys.entries {
            older.append(
                DeviceWrapping(
                    protectorKey: protectorKey, deviceKey: entry.key, storeID: storeID))
        }
        olderDevices = older
        everywhereSeed = protectorKey.subkey(1, context: "vestryPK")
        vouchKey = protectorKey.subkey(2, context: "vestryPK")
        everywhere = SealingKey(protectorKey)
    }

    /// Which device key this is, without saying anything about the key: a keyed hash of the store.
    var deviceMark: [UInt8] { device.mark }
    /// The same of the older device keys.
    var olderDeviceMarks: [[UInt8]] { olderDevices.map(\.mark) }

    var publicKeys: (everywhere: [UInt8], thisDevice: [UInt8]) {
        (everywhereSeed.publicKey(), device.seed.publicKey())
    }

    func wrap(_ key: borrowing ClassKey, in place: WrapPlace) -> Protector.Wrap {
        let box =
            key.keyClass.isThisDeviceOnly
            ? device.mixed.seal(key.seed, context: place.wrapContext)
            : everywhere.seal(key.seed, context: place.wrapContext)
        return Protector.Wrap(
            keyClass: key.keyClass, epoch: key.epoch, form: .wrapped, box: box)
    }

    /// Opens a wrap.
    ///
    /// - Returns: The class key, or nil where the keys do not fit, or nobody has vouched for it.
    func unwrap(
        _ wrap: Protector.Wrap, in place: WrapPlace, checkValue: [UInt8]
    ) -> SecretBytes? {
        for device in [device] + olderDevices {
            if let seed = unwrap(wrap, in: place, checkValue: checkValue, by: device) {
                return seed
            }
        }
        return nil
    }

    /// Whether a wrap opens without an older device key.
    func opensWithPresentDeviceKey(
        _ wrap: Protector.Wrap, in place: WrapPlace, checkValue: [UInt8]
    ) -> Bool {
        unwrap(wrap, in: place, checkValue: checkValue, by: device) != nil
    }

    private func unwrap(
        _ wrap: Protector.Wrap, in place: WrapPlace, checkValue: [UInt8],
        by device: DeviceWrapping
    ) -> SecretBytes? {
        let isThisDeviceOnly = wrap.keyClass.isThisDeviceOnly
        switch wrap.form {
        case .wrapped:
            return isThisDeviceOnly
                ? try? device.mixed.open(wrap.box.span, context: place.wrapContext)
                : try? everywhere.open(wrap.box.span, context: place.wrapContext)
        case .sealed:
            guard let deposit = deposit(in: wrap.box, of: place, checkValue) else { return nil }
            return isThisDeviceOnly
                ? try? Deposit.open(deposit, seed: device.seed, context: place.sealContext)
                : try? Deposit.open(deposit, seed: everywhereSeed, context: place.sealContext)
        case .sealedOnDevice:
            let inner = try? device.outer.open(wrap.box.span, context: place.deviceContext)
            // What is inside is as public as any other sealed wrap.
            let box = inner?.withBytes { bytes in bytes.indices.map { bytes[$0] } }
            guard let box, let deposit = deposit(in: box, of: place, checkValue) else {
                return nil
            }
            return try? Deposit.open(deposit, seed: everywhereSeed, context: place.sealContext)
        }
    }

    /// The deposit of a sealed wrap; nil when nobody has vouched for it.
    private func deposit(in box: [UInt8], of place: WrapPlace, _ checkValue: [UInt8]) -> [UInt8]? {
        let deposit = Array(box.dropLast(Protector.Wrap.voucherByteCount))
        let voucher = SecretBytes(copying: box.span.extracting(deposit.count..<box.count))
        let expected = Self.voucher(for: checkValue, in: place, by: vouchKey)
        guard voucher.constantTimeEquals(SecretBytes(copying: expected.span)) else { return nil }
        return deposit
    }

    /// Gives a class key to a protector whose secret is not at hand; one of a ThisDeviceOnly class with
    /// the device key of this value.
    ///
    /// - Returns: The wrap; nil when the protector has no public keys.
    func seal(
        _ key: borrowing ClassKey, for protector: Protector, vouchKey: borrowing SecretBytes,
        in place: WrapPlace, checkValue: [UInt8]
    ) -> Protector.Wrap? {
        guard let publicKeys = protector.extensions.publicKeys,
            let deposit = Deposit.seal(
                key.seed, to: publicKeys.everywhere, context: place.sealContext)
        else { return nil }
        let sealed = deposit + Self.voucher(for: checkValue, in: place, by: vouchKey)
        guard key.keyClass.isThisDeviceOnly else {
            return Protector.Wrap(
                keyClass: key.keyClass, epoch: key.epoch, form: .sealed, box: sealed)
        }
        return Protector.Wrap(
            keyClass: key.keyClass, epoch: key.epoch, form: .sealedOnDevice,
            box: device.outer.seal(
                SecretBytes(copying: sealed.span), context: place.deviceContext))
    }

    /// The check value names the key, since no other one has it.
    private static func voucher(
        for checkValue: [UInt8], in place: WrapPlace, by vouchKey: borrowing SecretBytes
    ) -> [UInt8] {
        vouchKey.keyedHash(
            of: place.voucherContext + checkValue, count: Protector.Wrap.voucherByteCount)
    }
}

/// What one protector key and one device key give together, for the ThisDeviceOnly classes.
private final class DeviceWrapping: Sendable {
    /// Both keys mixed: wraps class keys.
    let mixed: SealingKey
    /// Opens what was sealed to the public key of the mixed key's pair; nothing is any more.
    let seed: SecretBytes
    /// The device key's alone: around what is sealed to the protector's public key.
    let outer: SealingKey
    let mark: [UInt8]

    init(
        protectorKey: borrowing SecretBytes, deviceKey: borrowing SecretBytes, storeID: StoreID
    ) {
        let mixedKey = protectorKey.keyedHashKey(of: deviceKey)
        seed = mixedKey.subkey(1, context: "vestryPK")
        mixed = SealingKey(mixedKey)
        outer = SealingKey(
            deviceKey.keyedHashKey(of: Array("vestry device box".utf8) + storeID.bytes))
        mark = deviceMark(of: deviceKey, in: storeID)
    }
}

/// Tells one device key from another in one store.
func deviceMark(of deviceKey: borrowing SecretBytes, in storeID: StoreID) -> [UInt8] {
    deviceKey.keyedHash(
        of: Array("vestry device mark".utf8) + storeID.bytes,
        count: ProtectorExtension.deviceMarkByteCount)
}

/// Where a wrap stands: no box opens in another place.
struct WrapPlace {
    private let bytes: [UInt8]

    init(storeID: StoreID, protectorID: [UInt8], _ name: ClassKeyName) {
        bytes =
            storeID.bytes + protectorID + [name.keyClass.rawValue] + littleEndian(name.epoch)
    }

    var wrapContext: [UInt8] { Array("vestry class key".utf8) + bytes }
    var sealContext: [UInt8] { Array("vestry sealed class key".utf8) + bytes }
    /// For the box around a sealed key.
    var deviceContext: [UInt8] { Array("vestry class key on this device".utf8) + bytes }
    var voucherContext: [UInt8] { Array("vestry voucher".utf8) + bytes }
    /// For the vouch key's box; the name is that of the index key.
    var vouchKeyContext: [UInt8] { Array("vestry vouch key".utf8) + bytes }
}
