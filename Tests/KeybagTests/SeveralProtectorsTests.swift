import KeyClasses
import SecureMemory
import TestSupport
import Testing

@testable import Keybag

/// Keybags with more than a login password: each derivation costs, so they are made once.
extension Sample {
    static let secrets: [(kind: Protector.Kind, label: String?, secret: String)] = [
        (.recoveryCode, nil, "0123"), (.passphrase, "on paper", "one"), (.passphrase, nil, "two"),
        (.keyFile, "Stick \u{1F511}", "hash"),
    ]

    private static let keybagOfAll: Keybag? = try? {
        guard var keybag else { return nil }
        let opened = try ProtectorTests.protector(keybag, .loginPassword, password)
        for (kind, label, secret) in secrets {
            _ = try keybag.add(
                kind, secret: SecretBytes(secret), label: label, opened: opened,
                deviceKey: SecretBytes(deviceKey), at: time)
        }
        return keybag
    }()

    static func withAllKinds() throws -> Keybag { try #require(keybagOfAll) }
}

@Suite struct SeveralProtectorsTests {
    @Test func eachSecretOpensEveryClass() throws {
        let keybag = try Keybag(parsing: Sample.withAllKinds().serialized())
        #expect(keybag == (try Sample.withAllKinds()))
        let seeds = ProtectorTests.seeds(
            try ProtectorTests.open(keybag, .loginPassword, Sample.password))
        for (kind, _, secret) in Sample.secrets {
            #expect(ProtectorTests.seeds(try ProtectorTests.open(keybag, kind, secret)) == seeds)
        }
        #expect(keybag.protectors.map(\.label) == [nil] + Sample.secrets.map(\.label))
        #expect(keybag.protectors.allSatisfy { $0.createdAt == Sample.time && $0.isKnown })
    }

    @Test func aSecretOpensNoProtectorOfAnotherKind() throws {
        let keybag = try Sample.withAllKinds()
        #expect(throws: KeybagError.wrongPassword) {
            try ProtectorTests.open(keybag, .recoveryCode, "one").count
        }
        #expect(throws: KeybagError.wrongPassword) {
            try ProtectorTests.open(keybag, .loginPassword, "one").count
        }
    }

    @Test func aKindOfALaterReleaseIsKeptAndNeverTried() throws {
        var bytes = try Sample.withAllKinds().serialized()
        // The login password's own, with a cost that no known kind may have.
        let start = KeybagFormatTests.firstProtector
        bytes[start + 16] = 200
        bytes.replaceSubrange(start + 20..<start + 28, with: [UInt8](repeating: 0xEE, count: 8))
        bytes = Sample.sealed(bytes)
        let keybag = try Keybag(parsing: bytes)
        #expect(keybag.serialized() == bytes)
        let protector = try #require(keybag.protectors.first)
        #expect(!protector.isKnown && protector.kind.rawValue == 200)
        #expect(throws: KeybagError.wrongPassword) {
            try ProtectorTests.open(keybag, Protector.Kind(rawValue: 200), Sample.password).count
        }
        #expect(keybag.largestDerivationKiB(of: [Protector.Kind(rawValue: 200)]) == 0)
    }

    @Test func anExtensionEntryOfALaterReleaseIsKept() throws {
        var bytes = try Sample.valid().serialized()
        let start = KeybagFormatTests.firstProtector
        bytes.replaceSubrange(start + 18..<start + 20, with: littleEndian(UInt16(161 + 5)))
        bytes.insert(contentsOf: [9, 2, 0, 0xAB, 0xCD], at: KeybagFormatTests.firstWrap)
        bytes.replaceSubrange(12..<16, with: littleEndian(UInt32(bytes.count)))
        bytes = Sample.sealed(bytes)
        let keybag = try Keybag(parsing: bytes)
        #expect(keybag.serialized() == bytes)
        #expect(try ProtectorTests.open(keybag, .loginPassword, Sample.password).count == 8)
    }

    @Test func rejectsTwoProtectorsWithOneId() throws {
        var keybag = try Sample.withAllKinds()
        keybag.protectors.append(keybag.protectors[2])
        #expect(throws: KeybagError.malformed("two protectors with one id")) {
            try Keybag(parsing: keybag.serialized())
        }
    }

    @Test func theSeventeenthProtectorIsRefused() throws {
        var keybag = try Sample.valid()
        let opened = try ProtectorTests.protector(keybag, .loginPassword, Sample.password)
        let one = keybag.protectors[0]
        while keybag.protectors.count < 16 {
            keybag.protectors.append(
                Protector(
                    id: [UInt8](repeating: UInt8(keybag.protectors.count), count: 16),
                    kind: .passphrase, method: one.method, createdAt: 0,
                    extensions: ProtectorExtension(), wraps: one.wraps))
        }
        #expect(try Keybag(parsing: keybag.serialized()) == keybag)
        let before = keybag
        #expect(throws: KeybagError.full) {
            _ = try keybag.add(
                .passphrase, secret: SecretBytes("x"), label: nil, opened: opened,
                deviceKey: SecretBytes(Sample.deviceKey), at: 0)
        }
        #expect(keybag == before)
    }

    @Test func aProtectorIsRemovedAndTheLoginPasswordStays() throws {
        var keybag = try Sample.withAllKinds()
        let ids = keybag.protectors.map(\.id)
        #expect(throws: KeybagError.isLoginPassword) { try keybag.removeProtector(ids[0]) }
        #expect(throws: KeybagError.noSuchProtector) {
            try keybag.removeProtector([UInt8](repeating: 0, count: 16))
        }
        try keybag.removeProtector(ids[2])
        #expect(keybag.protectors.map(\.id) == [ids[0], ids[1], ids[3], ids[4]])
        #expect(throws: KeybagError.wrongPassword) {
            try ProtectorTests.open(keybag, .passphrase, "one").count
        }
    }

    /// A login with a password that opens nothing, while keys of this boot are in the kernel: what is
    /// not there stays with the password before.
    @Test func theOldPasswordStaysAsLongAsItAloneHasAKey() throws {
        var keybag = try Sample.valid()
        let all = try ProtectorTests.open(keybag, .loginPassword, Sample.password)
        let some = keybag.genuineKeys { keyClass in
            keyClass.residence == .user ? all.key(keyClass, epoch: 1) : nil
        }
        try keybag.setLoginPassword(
            SecretBytes("new"), keys: some, deviceKey: SecretBytes(Sample.deviceKey),
            replacing: nil, at: 7)
        #expect(keybag.protectors.map(\.kind) == [.loginPassword, .previousPassword])
        #expect(
            keybag.classesWithoutLoginPassword
                == KeyClass.allCases.filter { $0.residence != .user })
        let isDropped = keybag.dropPreviousPassword()
        #expect(!isDropped)
        #expect(try ProtectorTests.open(keybag, .loginPassword, "new").count == 3)

        // The rest follows.
        let opened = try ProtectorTests.open(keybag, .previousPassword, Sample.password)
        try keybag.setLoginPassword(
            SecretBytes("new"), keys: opened, deviceKey: SecretBytes(Sample.deviceKey),
            replacing: .previousPassword, at: 8)
        #expect(keybag.classesWithoutLoginPassword.isEmpty)
        let isDroppedThen = keybag.dropPreviousPassword()
        #expect(isDroppedThen)
        #expect(keybag.protectors.map(\.createdAt) == [8])
    }

    /// Two such logins: the password that has the presence keys is the one that stays.
    @Test func theOldestPasswordStaysThroughTwoChanges() throws {
        var keybag = try Sample.valid()
        let all = try ProtectorTests.open(keybag, .loginPassword, Sample.password)
        for password in ["a", "b"] {
            let some = keybag.genuineKeys { keyClass in
                keyClass.residence == .user ? all.key(keyClass, epoch: 1) : nil
            }
            try keybag.setLoginPassword(
                SecretBytes(password), keys: some, deviceKey: SecretBytes(Sample.deviceKey),
                replacing: nil, at: 0)
        }
        #expect(keybag.protectors.count == 2)
        #expect(try ProtectorTests.open(keybag, .previousPassword, Sample.password).count == 8)
        #expect(try ProtectorTests.open(keybag, .loginPassword, "b").count == 3)
    }

    /// An account without a password: what the user chose opens it, and a login password can follow.
    @Test func aKeybagCanBeginWithoutALoginPassword() throws {
        let deviceKey = SecretBytes(Sample.deviceKey)
        let created = try Keybag.create(
            .passphrase, secret: SecretBytes("one"), label: "mine", deviceKey: deviceKey, at: 7)
        var keybag = try Keybag(parsing: created.keybag.serialized())
        #expect(keybag.protectors.map(\.kind) == [.passphrase])
        #expect(keybag.protectors.map(\.label) == ["mine"])
        #expect(try ProtectorTests.open(keybag, .passphrase, "one").count == 8)
        let id = try #require(keybag.protectors.first).id
        #expect(throws: KeybagError.self) { try keybag.removeProtector(id) }
        try keybag.setLoginPassword(
            SecretBytes("new"), keys: created.keys, deviceKey: deviceKey, replacing: nil, at: 8)
        #expect(keybag.protectors.map(\.kind) == [.loginPassword, .passphrase])
        #expect(try ProtectorTests.open(keybag, .loginPassword, "new").count == 8)
        #expect(throws: KeybagError.isLoginPassword) {
            let made = try Keybag.create(
                .previousPassword, secret: SecretBytes("x"), label: nil,
                deviceKey: SecretBytes(Sample.deviceKey), at: 0)
            _ = made.keybag
        }
    }

    @Test func aPlantedKernelKeyIsNotTaken() throws {
        let keybag = try Sample.valid()
        let keys = keybag.genuineKeys { keyClass in
            ClassKey(keyClass, epoch: 1, seed: SecretBytes.random(count: 32))
        }
        #expect(keys.count == 0)
    }
}
