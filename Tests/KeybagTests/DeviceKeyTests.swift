import KeyClasses
import SecureMemory
import TestSupport
import Testing

@testable import Keybag

/// One device key after another on one machine.
@Suite struct DeviceKeyTests {
    static let new = [UInt8](repeating: 0xD3, count: 32)
    static let third = [UInt8](repeating: 0xD4, count: 32)

    static func opened(
        _ keybag: Keybag, _ kind: Protector.Kind = .loginPassword,
        _ secret: String = Sample.password, deviceKey: [UInt8] = new,
        older: [[UInt8]] = [Sample.deviceKey]
    ) throws -> OpenedProtector {
        var keys = OlderDeviceKeys()
        for key in older { keys.append(SecretBytes(key), name: "\(key[0])") }
        return try keybag.open(
            kind, password: SecretBytes(secret), deviceKey: SecretBytes(deviceKey),
            olderDeviceKeys: keys)
    }

    /// As after the first login with a new device key.
    static func renewed(_ keybag: Keybag) throws -> Keybag {
        var renewed = keybag
        let isChanged = renewed.refresh(try opened(keybag))
        #expect(isChanged)
        return try Keybag(parsing: renewed.serialized())
    }

    static func needs(_ keybag: Keybag) -> [Bool] {
        [Sample.deviceKey, new].map { keybag.needs(SecretBytes($0)) }
    }

    @Test func anOlderKeyOpensWhatItHasWrapped() throws {
        let keybag = try Sample.valid()
        #expect(try Self.opened(keybag).keys.count == 8)
        #expect(try Self.opened(keybag, older: []).keys.count == 4)
        #expect(try Self.opened(keybag, older: [Self.third]).keys.count == 4)
        #expect(Self.needs(keybag) == [true, false])
    }

    @Test func afterARefreshThePresentKeyIsEnough() throws {
        let keybag = try Self.renewed(try Sample.valid())
        let before = ProtectorTests.seeds(
            try ProtectorTests.open(try Sample.valid(), .loginPassword, Sample.password))
        let after = try Self.opened(keybag, older: []).takeKeys()
        #expect(ProtectorTests.seeds(after) == before)
        #expect(Self.needs(keybag) == [false, true])
        #expect(keybag.protectors.allSatisfy { $0.wraps.allSatisfy { $0.form == .wrapped } })
        let old = try ProtectorTests.open(keybag, .loginPassword, Sample.password)
        #expect(old.count == 4)
    }

    @Test func aSecondRefreshChangesNothing() throws {
        let keybag = try Self.renewed(try Sample.valid())
        var again = keybag
        let isChanged = again.refresh(try Self.opened(keybag))
        #expect(!isChanged && again == keybag)
    }

    /// Nobody typed their secrets, and still each needs its own and the new device key.
    @Test func theOtherProtectorsOpenWithTheNewKeyToo() throws {
        let keybag = try Self.renewed(try Sample.withAllKinds())
        let seeds = ProtectorTests.seeds(
            try ProtectorTests.open(try Sample.withAllKinds(), .loginPassword, Sample.password))
        #expect(Self.needs(keybag) == [false, true])
        for (kind, _, secret) in Sample.secrets {
            let keys = try Self.opened(keybag, kind, secret, older: []).takeKeys()
            #expect(ProtectorTests.seeds(keys) == seeds)
            let withOldKey = try ProtectorTests.open(keybag, kind, secret)
            #expect(withOldKey.count == 4)
        }
        let forms = Set(keybag.protectors[1].wraps.map(\.form))
        #expect(forms == [.wrapped, .sealedOnDevice])
    }

    @Test func aProtectorWrapsByItselfWhenItsSecretComes() throws {
        var keybag = try Self.renewed(try Sample.withAllKinds())
        let isChanged = keybag.refresh(try Self.opened(keybag, .recoveryCode, "0123", older: []))
        #expect(isChanged)
        let protector = try #require(keybag.protectors.first { $0.kind == .recoveryCode })
        #expect(protector.wraps.allSatisfy { $0.form == .wrapped })
        #expect(try Self.opened(keybag, .recoveryCode, "0123", older: []).keys.count == 8)
    }

    /// Two replacements, and the user came by only after the second.
    @Test func aKeyCanBeOlderThanTheOneBefore() throws {
        var keybag = try Sample.withAllKinds()
        let isChanged = keybag.refresh(
            try Self.opened(keybag, deviceKey: Self.third, older: [Self.new, Sample.deviceKey]))
        #expect(isChanged && Self.needs(keybag) == [false, false])
        #expect(try Self.opened(keybag, deviceKey: Self.third, older: []).keys.count == 8)
    }

    @Test func aSealedKeyDoesNotOpenInAnotherPlace() throws {
        var keybag = try Self.renewed(try Sample.withAllKinds())
        let index = try #require(keybag.protectors.firstIndex { $0.kind == .recoveryCode })
        let sealed = keybag.protectors[index].wraps.filter { $0.form == .sealedOnDevice }
        #expect(sealed.count == 4)
        keybag.protectors[index].set(
            .init(
                keyClass: sealed[0].keyClass, epoch: 1, form: .sealedOnDevice, box: sealed[1].box))
        #expect(try Self.opened(keybag, .recoveryCode, "0123", older: []).keys.count == 7)
    }

    /// Whoever can write the file knows the public keys, and the device key with root's help.
    @Test func aSealedKeyWithoutItsVoucherDoesNotOpen() throws {
        var keybag = try Self.renewed(try Sample.withAllKinds())
        let index = try #require(keybag.protectors.firstIndex { $0.kind == .recoveryCode })
        let wraps = keybag.protectors[index].wraps
        let place = try #require(wraps.first { $0.form == .sealedOnDevice })
        let opened = try Self.opened(keybag, older: [])
        let key = try #require(
            withValue(of: opened.keys.key(place.keyClass, epoch: 1)) { key in
                opened.wrappingKeys.seal(
                    key, for: keybag.protectors[index], vouchKey: SecretBytes("not the one"),
                    in: keybag.place(of: place.name, keybag.protectors[index].id),
                    checkValue: keybag.classEntries[0].checkValue)
            } ?? nil)
        keybag.protectors[index].set(key)
        #expect(try Self.opened(keybag, .recoveryCode, "0123", older: []).keys.count == 7)
    }

    @Test func aClassOfEveryDeviceHasNoKeySealedOnOne() throws {
        var keybag = try Self.renewed(try Sample.withAllKinds())
        let index = try #require(keybag.protectors.firstIndex { $0.kind == .recoveryCode })
        let wraps = keybag.protectors[index].wraps
        let sealed = try #require(wraps.first { $0.form == .sealedOnDevice })
        keybag.protectors[index].set(
            .init(keyClass: .afterFirstUnlock, epoch: 1, form: .sealedOnDevice, box: sealed.box))
        let bytes = keybag.serialized()
        #expect(throws: KeybagError.malformed("a wrap of form 2 for class 2")) {
            try Keybag(parsing: bytes)
        }
    }

    /// It has no public key, so the old device key is still needed, until its secret comes.
    @Test func aProtectorOutOfReachKeepsTheOldKeyNeeded() throws {
        var keybag = try Sample.withAllKinds()
        let index = try #require(keybag.protectors.firstIndex { $0.kind == .recoveryCode })
        keybag.protectors[index].extensions.publicKeys = nil
        keybag.protectors[index].extensions.vouchBox = nil
        keybag = try Self.renewed(keybag)
        #expect(Self.needs(keybag) == [true, true])
        let isChanged = keybag.refresh(try Self.opened(keybag, .recoveryCode, "0123"))
        #expect(isChanged && Self.needs(keybag) == [false, true])
    }

    @Test func aProtectorThatDoesNotSayNeedsEveryKey() throws {
        var keybag = try Sample.valid()
        keybag.protectors[0].extensions = ProtectorExtension()
        #expect(Self.needs(keybag) == [true, true])
        var keys = OlderDeviceKeys()
        keys.append(SecretBytes(Sample.deviceKey), name: "a")
        keys.append(SecretBytes(Self.third), name: "b")
        #expect(keybag.needed(of: keys) == ["a", "b"])
        #expect(try Sample.valid().needed(of: keys) == ["a"])
        keybag = try Self.renewed(keybag)
        #expect(Self.needs(keybag) == [false, true])
    }

    @Test func aNewDeviceKeyIsNotAnotherMachine() throws {
        var keybag = try Sample.valid()
        let opened = try Self.opened(keybag)
        #expect(keybag.classesOfAnotherMachine(opened.keys).isEmpty)
        let keys = try keybag.adoptMachine(opened: opened)
        let before = try Sample.valid()
        #expect(keys.count == 8 && keybag == before)
        let renewed = try Self.renewed(keybag)
        for keyClass in KeyClass.allCases {
            #expect(renewed.epoch(of: keyClass) == 1)
            #expect(!renewed.isOfAnotherMachine(keyClass, epoch: 1))
        }
    }

    /// A copied home: neither of the keys here has wrapped it.
    @Test func anotherMachineIsNotANewDeviceKey() throws {
        var keybag = try Sample.withAllKinds()
        let before = keybag
        let opened = try Self.opened(keybag, older: [Self.third])
        let isChanged = keybag.refresh(opened)
        #expect(!isChanged && keybag == before)
        #expect(keybag.classesOfAnotherMachine(opened.keys).count == 4)
        #expect(Self.needs(keybag) == [true, false])
        _ = try keybag.adoptMachine(opened: opened)
        #expect(keybag.isOfAnotherMachine(.afterFirstUnlockThisDeviceOnly, epoch: 1))
    }

    /// After the replacement the home is copied to another machine, changed there, and comes back.
    @Test func whatAnotherMachineHasWrappedStaysItsOwn() throws {
        var keybag = try Sample.valid()
        let away = try Self.opened(keybag, deviceKey: ProtectorTests.other, older: [])
        let keys = try keybag.adoptMachine(opened: away)
        #expect(keys.count == 8)
        // At home with a new device key.
        let home = try Self.opened(keybag)
        let isChanged = keybag.refresh(home)
        #expect(isChanged)
        #expect(try Self.opened(keybag, older: []).keys.count == 8)
        let abroad = try Self.opened(keybag, deviceKey: ProtectorTests.other, older: [])
        #expect(abroad.keys.count == 8)
        #expect(keybag.isOfAnotherMachine(.afterFirstUnlockThisDeviceOnly, epoch: 1))
    }

    @Test func newEpochsAreGivenWithTheNewKey() throws {
        var keybag = try Self.renewed(try Sample.withAllKinds())
        let opened = try Self.opened(keybag, older: [])
        _ = try keybag.beginEpoch(of: KeyClass.allCases, opened: opened)
        keybag = try Keybag(parsing: keybag.serialized())
        for (kind, _, secret) in Sample.secrets {
            #expect(try Self.opened(keybag, kind, secret, older: []).keys.count == 16)
        }
        #expect(Self.needs(keybag) == [false, true])
    }
}
