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
struct WrappingKeys: ~Copyable, Sendable {
    static let vouchKeyByteCount = 32

    private let everywhere: SealingKey
    private let thisDevice: SealingKey
    private let everywhereSeed: SecretBytes
    private let thisDeviceSeed: SecretBytes
    let vouchKey: SecretBytes
    /// Which device key this is, without saying anything about the key: a keyed hash of the store.
    let deviceMark: [UInt8]

    init(
        protectorKey: consuming SecretBytes, deviceKey: borrowing SecretBytes, storeID: StoreID
    ) {
        let mixedKey = protectorKey.keyedHashKey(of: deviceKey)
        everywhereSeed = protectorKey.subkey(1, context: "vestryPK")
        thisDeviceSeed = mixedKey.subkey(1, context: "vestryPK")
        vouchKey = protectorKey.subkey(2, context: "vestryPK")
        deviceMark = deviceKey.keyedHash(
            of: Array("vestry device mark".utf8) + storeID.bytes,
            count: ProtectorExtension.deviceMarkByteCount)
        thisDevice = SealingKey(mixedKey)
        everywhere = SealingKey(protectorKey)
    }

    var publicKeys: (everywhere: [UInt8], thisDevice: [UInt8]) {
        (everywhereSeed.publicKey(), thisDeviceSeed.publicKey())
    }

    func wrap(_ key: borrowing ClassKey, in place: WrapPlace) -> Protector.Wrap {
        let box =
            key.keyClass.isThisDeviceOnly
            ? thisDevice.seal(key.seed, context: place.wrapContext)
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
        let isThisDeviceOnly = wrap.keyClass.isThisDeviceOnly
        switch wrap.form {
        case .wrapped:
            return isThisDeviceOnly
                ? try? thisDevice.open(wrap.box.span, context: place.wrapContext)
                : try? everywhere.open(wrap.box.span, context: place.wrapContext)
        case .sealed:
            let deposit = Array(wrap.box.dropLast(Protector.Wrap.voucherByteCount))
            let voucher = SecretBytes(
                copying: wrap.box.span.extracting(deposit.count..<wrap.box.count))
            let expected = Self.voucher(for: checkValue, in: place, by: vouchKey)
            guard voucher.constantTimeEquals(SecretBytes(copying: expected.span)) else {
                return nil
            }
            return isThisDeviceOnly
                ? try? Deposit.open(deposit, seed: thisDeviceSeed, context: place.sealContext)
                : try? Deposit.open(deposit, seed: everywhereSeed, context: place.sealContext)
        }
    }

    /// Gives a class key to a protector whose secret is not at hand.
    ///
    /// - Returns: The wrap; nil when the protector has no public keys.
    static func seal(
        _ key: borrowing ClassKey, for protector: Protector, vouchKey: borrowing SecretBytes,
        in place: WrapPlace, checkValue: [UInt8]
    ) -> Protector.Wrap? {
        guard let publicKeys = protector.extensions.publicKeys,
            let deposit = Deposit.seal(
                key.seed,
                to: key.keyClass.isThisDeviceOnly ? publicKeys.thisDevice : publicKeys.everywhere,
                context: place.sealContext)
        else { return nil }
        return Protector.Wrap(
            keyClass: key.keyClass, epoch: key.epoch, form: .sealed,
            box: deposit + voucher(for: checkValue, in: place, by: vouchKey))
    }

    /// The check value names the key, since no other one has it.
    private static func voucher(
        for checkValue: [UInt8], in place: WrapPlace, by vouchKey: borrowing SecretBytes
    ) -> [UInt8] {
        vouchKey.keyedHash(
            of: place.voucherContext + checkValue, count: Protector.Wrap.voucherByteCount)
    }
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
    var voucherContext: [UInt8] { Array("vestry voucher".utf8) + bytes }
    /// For the vouch key's box; the name is that of the index key.
    var vouchKeyContext: [UInt8] { Array("vestry vouch key".utf8) + bytes }
}
