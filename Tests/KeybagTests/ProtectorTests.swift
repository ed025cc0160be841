import KeyClasses
import SecureMemory
import TestSupport
import Testing

@testable import Keybag

@Suite struct ProtectorTests {
    static let other = [UInt8](repeating: 0xD2, count: 32)

    static func open(
        _ keybag: Keybag, _ kind: Protector.Kind, _ password: String,
        deviceKey: [UInt8] = Sample.deviceKey
    ) throws(KeybagError) -> ClassKeys {
        try protector(keybag, kind, password, deviceKey: deviceKey).takeKeys()
    }

    static func protector(
        _ keybag: Keybag, _ kind: Protector.Kind, _ password: String,
        deviceKey: [UInt8] = Sample.deviceKey
    ) throws(KeybagError) -> OpenedProtector {
        try keybag.open(
            kind, password: SecretBytes(password), deviceKey: SecretBytes(deviceKey))
    }

    static func seeds(_ keys: borrowing ClassKeys) -> [[UInt8]] {
        (0..<keys.count).compactMap { withValue(of: keys.key(at: $0)) { $0.seed.exposed } }
    }

    @Test func thePasswordOpensEveryClass() throws {
        let keys = try Self.open(try Sample.valid(), .loginPassword, Sample.password)
        #expect(keys.count == KeyClass.allCases.count)
        #expect(Set(Self.seeds(keys)).count == KeyClass.allCases.count)
    }

    @Test(arguments: ["", "correct hors", "correct horse ", "Correct horse"])
    func anotherPasswordOpensNothing(_ password: String) throws {
        #expect(throws: KeybagError.wrongPassword) {
            try Self.open(try Sample.valid(), .loginPassword, password).count
        }
    }

    /// A copied home: everything but what was to stay on its machine.
    @Test func anotherMachineOpensAllButThisDeviceOnly() throws {
        let keys = try Self.open(
            try Sample.valid(), .loginPassword, Sample.password, deviceKey: Self.other)
        let classes = (0..<keys.count).compactMap {
            withValue(of: keys.key(at: $0)) { $0.keyClass }
        }
        #expect(classes == KeyClass.allCases.filter { !$0.isThisDeviceOnly })
    }

    @Test func aPasswordChangeKeepsTheKeysAndThePreviousPassword() throws {
        var keybag = try Sample.valid()
        let keys = try Self.open(keybag, .loginPassword, Sample.password)
        try keybag.setLoginPassword(
            SecretBytes("new"), keys: keys, deviceKey: SecretBytes(Sample.deviceKey),
            replacing: .loginPassword, at: 0)
        let reread = try Keybag(parsing: keybag.serialized())
        #expect(Self.seeds(try Self.open(reread, .loginPassword, "new")) == Self.seeds(keys))
        #expect(
            Self.seeds(try Self.open(reread, .previousPassword, Sample.password))
                == Self.seeds(keys))
        #expect(throws: KeybagError.wrongPassword) {
            try Self.open(reread, .loginPassword, Sample.password).count
        }

        keybag.dropPreviousPassword()
        #expect(!keybag.has(.previousPassword))
        #expect(throws: KeybagError.wrongPassword) {
            try Self.open(keybag, .previousPassword, Sample.password).count
        }
    }

    /// passwd says old to new, a later module refuses, and the user tries again: the password that
    /// the account really has must stay through all of it.
    @Test func aChangeAfterARefusedChangeKeepsTheRealPassword() throws {
        var keybag = try Sample.valid()
        for (opener, new) in [(Protector.Kind.loginPassword, "a"), (.previousPassword, "b")] {
            let keys = try Self.open(keybag, opener, Sample.password)
            try keybag.setLoginPassword(
                SecretBytes(new), keys: keys, deviceKey: SecretBytes(Sample.deviceKey),
                replacing: opener, at: 0)
        }
        #expect(try Self.open(keybag, .loginPassword, "b").count == 8)
        #expect(try Self.open(keybag, .previousPassword, Sample.password).count == 8)
        #expect(keybag.protectors.count == 2)
    }

    /// The old password keeps what only it has: on the machine that it comes from it opens everything.
    @Test func aChangeOnAnotherMachineLosesNothing() throws {
        var keybag = try Sample.valid()
        let keys = try Self.open(
            keybag, .loginPassword, Sample.password, deviceKey: Self.other)
        try keybag.setLoginPassword(
            SecretBytes("new"), keys: keys, deviceKey: SecretBytes(Self.other),
            replacing: .loginPassword, at: 0)
        #expect(keybag.classesWithoutLoginPassword == KeyClass.allCases.filter(\.isThisDeviceOnly))
        let isDropped = keybag.dropPreviousPassword()
        #expect(!isDropped)
        #expect(try Self.open(keybag, .previousPassword, Sample.password).count == 8)
        #expect(try Self.open(keybag, .loginPassword, "new", deviceKey: Self.other).count == 4)
    }

    /// A box of one place does not open in another: its context differs.
    @Test func swappedWrapsDoNotOpen() throws {
        let keybag = try Sample.valid()
        let protector = keybag.protectors[0]
        var wraps = protector.wraps
        let (first, second) = (wraps[0], wraps[1])
        wraps[0] = .init(
            keyClass: first.keyClass, epoch: first.epoch, form: .wrapped, box: second.box)
        wraps[1] = .init(
            keyClass: second.keyClass, epoch: second.epoch, form: .wrapped, box: first.box)
        var swapped = keybag
        swapped.protectors[0].wraps = wraps
        let keys = try Self.open(swapped, .loginPassword, Sample.password)
        #expect(keys.count == 6)
    }

    @Test func keysAreGenuineOnlyInTheirOwnStore() throws {
        let keybag = try Sample.valid()
        let other = try Keybag.create(
            password: SecretBytes("x"), deviceKey: SecretBytes(Sample.deviceKey), at: 0
        ).keybag
        let keys = try Self.open(keybag, .loginPassword, Sample.password)
        for keyClass in KeyClass.allCases {
            let verdicts = withValue(of: keys.key(keyClass, epoch: 1)) {
                [keybag.accepts($0), other.accepts($0)]
            }
            #expect(verdicts == [true, false])
        }
        let planted = ClassKey(.index, epoch: 1, seed: SecretBytes.random(count: 32))
        #expect(withValue(of: planted) { keybag.accepts($0) } == false)
    }
}
