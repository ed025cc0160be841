import KeyClasses
import SecureMemory
import TestSupport
import Testing

@testable import Keybag

@Suite struct EpochTests {
    /// A keybag in which the login password has begun new epochs.
    static func rotated(_ classes: [KeyClass] = KeyClass.allCases) throws -> Keybag {
        var keybag = try Sample.withAllKinds()
        let opened = try ProtectorTests.protector(keybag, .loginPassword, Sample.password)
        _ = try keybag.beginEpoch(of: classes, opened: opened)
        return try Keybag(parsing: keybag.serialized())
    }

    @Test func everyProtectorGetsTheNewKeys() throws {
        let keybag = try Self.rotated()
        let login = try #require(keybag.protectors.first)
        #expect(login.wraps.allSatisfy { $0.form == .wrapped })
        let seeds = ProtectorTests.seeds(
            try ProtectorTests.open(keybag, .loginPassword, Sample.password))
        #expect(Set(seeds).count == 16)
        for (kind, _, secret) in Sample.secrets {
            let protector = try #require(keybag.protectors.first { $0.kind == kind })
            let sealed = protector.wraps.filter { $0.form != .wrapped }
            #expect(sealed.map(\.epoch) == [UInt32](repeating: 2, count: 8))
            #expect(ProtectorTests.seeds(try ProtectorTests.open(keybag, kind, secret)) == seeds)
        }
    }

    @Test func aSealedThisDeviceOnlyKeyStaysOnItsMachine() throws {
        let keys = try ProtectorTests.open(
            try Self.rotated(), .recoveryCode, "0123", deviceKey: ProtectorTests.other)
        let classes = (0..<keys.count).compactMap {
            withValue(of: keys.key(at: $0)) { $0.keyClass }
        }
        #expect(classes == KeyClass.allCases.filter { !$0.isThisDeviceOnly }.flatMap { [$0, $0] })
    }

    /// Rotation after rotation, and none of the others' secrets was ever there.
    @Test func theNextEpochsReachEveryProtectorToo() throws {
        var keybag = try Sample.withAllKinds()
        for epoch: UInt32 in 2...3 {
            let opened = try ProtectorTests.protector(keybag, .loginPassword, Sample.password)
            _ = try keybag.beginEpoch(of: [.index, .whenUnlocked], opened: opened)
            keybag.dropOldEpochs(of: [.index, .whenUnlocked])
            keybag = try Keybag(parsing: keybag.serialized())
            #expect(keybag.epoch(of: .index) == epoch && keybag.classEntries.count == 8)
        }
        #expect(keybag.bridges.isEmpty)
        let keys = try ProtectorTests.open(keybag, .recoveryCode, "0123")
        #expect(keys.count == 8 && keys.has(.index, epoch: 3) && keys.has(.whenUnlocked, epoch: 3))
    }

    @Test func theNewKeyLeadsToTheOldOnes() throws {
        var keybag = try Sample.valid()
        let first = try ProtectorTests.protector(keybag, .loginPassword, Sample.password)
        _ = try keybag.beginEpoch(of: [.whenUnlocked], opened: first)
        let second = try ProtectorTests.protector(keybag, .loginPassword, Sample.password)
        let keys = try keybag.beginEpoch(of: [.whenUnlocked], opened: second)
        let oldest = try withValue(of: keys.key(.whenUnlocked, epoch: 3)) { newest in
            withValue(of: try keybag.openBridge(to: 1, with: newest)) { $0.seed.exposed }
        }
        #expect(
            oldest == withValue(of: first.keys.key(.whenUnlocked, epoch: 1)) { $0.seed.exposed })
        let newer = try withValue(of: keys.key(.whenUnlocked, epoch: 1)) { old in
            withValue(of: try keybag.openBridge(to: 3, with: old)) { $0.epoch }
        }
        #expect(newer == .some(nil))
        let behind = keybag.genuineKeys { keys.key($0, epoch: 3) }
        #expect(behind.count == 3)
    }

    @Test func aChangedBridgeIsDamage() throws {
        var keybag = try Self.rotated([.whenUnlocked])
        let keys = try ProtectorTests.open(keybag, .loginPassword, Sample.password)
        let bridge = keybag.bridges[0]
        keybag.bridges = [
            Keybag.Bridge(
                keyClass: bridge.keyClass, older: 1, newer: 2,
                box: Array(bridge.box.reversed()))
        ]
        #expect(throws: KeybagError.malformed("a bridge does not open")) {
            try withValue(of: keys.key(.whenUnlocked, epoch: 2)) { key in
                withValue(of: try keybag.openBridge(to: 1, with: key)) { $0.epoch }
            }
        }
    }

    /// As the first release wrote them: without public keys.
    @Test func aProtectorWithoutPublicKeysIsNamed() throws {
        var keybag = try Sample.withAllKinds()
        keybag.protectors[2].extensions.publicKeys = nil
        keybag.protectors[2].extensions.vouchBox = nil
        let before = keybag
        let opened = try ProtectorTests.protector(keybag, .loginPassword, Sample.password)
        #expect(throws: KeybagError.protectorOutOfReach(keybag.protectors[2].idText)) {
            _ = try keybag.beginEpoch(of: [.whenUnlocked], opened: opened).count
        }
        #expect(keybag == before)
        // Its secret, typed once, puts that right.
        let late = try ProtectorTests.protector(keybag, .passphrase, "one")
        let refreshed = [keybag.refresh(late), keybag.refresh(late)]
        #expect(refreshed == [true, false])
        let count = try keybag.beginEpoch(of: [.whenUnlocked], opened: opened).count
        #expect(count == 9)
    }

    @Test func aSealedKeyIsWrappedWhenTheSecretIsThere() throws {
        var keybag = try Self.rotated()
        let opened = try ProtectorTests.protector(keybag, .keyFile, "hash")
        let isRefreshed = keybag.refresh(opened)
        #expect(isRefreshed)
        let protector = try #require(keybag.protectors.first { $0.kind == .keyFile })
        #expect(protector.wraps.allSatisfy { $0.form == .wrapped })
        let isRefreshedAgain = keybag.refresh(opened)
        #expect(!isRefreshedAgain)
        #expect(try ProtectorTests.open(keybag, .keyFile, "hash").count == 16)
    }

    /// Somebody who can write the file, and knows the format and the public keys, seals a key of
    /// their own choice.
    @Test func aKeyThatNobodyVouchesForIsNotTaken() throws {
        var keybag = try Self.rotated([.whenUnlocked])
        guard let planted = ClassKey.random(.whenUnlocked, epoch: 2) else {
            Issue.record("no key")
            return
        }
        let entry = try #require(keybag.classEntries.firstIndex { $0.epoch == 2 })
        let index = try #require(keybag.protectors.firstIndex { $0.kind == .recoveryCode })
        let protector = keybag.protectors[index]
        let checkValue = planted.checkValue(in: keybag.storeID)
        let opened = try ProtectorTests.protector(keybag, .loginPassword, Sample.password)
        keybag.classEntries[entry] = Keybag.ClassEntry(planted, in: keybag.storeID)
        let wrap = opened.wrappingKeys.seal(
            planted, for: protector, vouchKey: SecretBytes.random(count: 32),
            in: keybag.place(of: planted.name, protector.id), checkValue: checkValue)
        keybag.protectors[index].set(try #require(wrap))
        let keys = try ProtectorTests.open(
            try Keybag(parsing: keybag.serialized()), .recoveryCode, "0123")
        #expect(keys.count == 8 && !keys.has(.whenUnlocked, epoch: 2))
    }

    @Test func aClassThatIsNotOpenBeginsNoEpoch() throws {
        var keybag = try Sample.valid()
        let opened = try ProtectorTests.protector(
            keybag, .loginPassword, Sample.password, deviceKey: ProtectorTests.other)
        #expect(throws: KeybagError.classNotOpen(.presenceThisDeviceOnly)) {
            _ = try keybag.beginEpoch(of: [.presenceThisDeviceOnly], opened: opened).count
        }
    }

    @Test func theThirtyThirdClassEntryIsRefused() throws {
        var keybag = try Sample.valid()
        for _ in 1...3 {
            let opened = try ProtectorTests.protector(keybag, .loginPassword, Sample.password)
            _ = try keybag.beginEpoch(of: KeyClass.allCases, opened: opened)
        }
        #expect(try Keybag(parsing: keybag.serialized()) == keybag)
        let opened = try ProtectorTests.protector(keybag, .loginPassword, Sample.password)
        let before = keybag
        #expect(throws: KeybagError.full) {
            _ = try keybag.beginEpoch(of: [.index], opened: opened).count
        }
        #expect(keybag == before)
    }

    struct Nonsense: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: @Sendable (inout Keybag) -> Void
    }

    static let nonsense = [
        Nonsense(testDescription: "a bridge to a key that is not there") {
            $0.bridges[0] = $0.bridges[0].changed(older: 5, newer: 6)
        },
        Nonsense(testDescription: "a bridge backwards") {
            $0.bridges[0] = $0.bridges[0].changed(older: 2, newer: 1)
        },
        Nonsense(testDescription: "a bridge to itself") {
            $0.bridges[0] = $0.bridges[0].changed(older: 1, newer: 1)
        },
        Nonsense(testDescription: "a bridge twice") { $0.bridges.append($0.bridges[0]) },
        Nonsense(testDescription: "bridges out of order") { $0.bridges.reverse() },
        Nonsense(testDescription: "a sealed wrap without public keys") {
            $0.protectors[1].extensions.publicKeys = nil
        },
        Nonsense(testDescription: "a sealed wrap without a vouch key") {
            $0.protectors[1].extensions.vouchBox = nil
        },
        Nonsense(testDescription: "wraps out of order") { $0.protectors[1].wraps.reverse() },
        Nonsense(testDescription: "a wrap twice") {
            $0.protectors[1].wraps[1] = $0.protectors[1].wraps[0]
        },
    ]

    @Test(arguments: nonsense) func rejects(_ nonsense: Nonsense) throws {
        var keybag = try Self.rotated([.index, .whenUnlocked])
        nonsense.change(&keybag)
        let error = #expect(throws: KeybagError.self) {
            try Keybag(parsing: keybag.serialized())
        }
        guard case .malformed = error else {
            Issue.record("\(String(describing: error)) instead of malformed")
            return
        }
    }

    // MARK: - Another machine

    @Test func anotherMachineGetsItsOwnThisDeviceOnlyKeys() throws {
        var keybag = try Sample.withAllKinds()
        let thisDeviceOnly = KeyClass.allCases.filter(\.isThisDeviceOnly)
        let opened = try ProtectorTests.protector(
            keybag, .loginPassword, Sample.password, deviceKey: ProtectorTests.other)
        #expect(keybag.classesOfAnotherMachine(opened.keys) == thisDeviceOnly)
        let keys = try keybag.adoptMachine(opened: opened)
        #expect(keybag.classesOfAnotherMachine(keys).isEmpty)
        try keybag.setLoginPassword(
            SecretBytes("new"), keys: keys, deviceKey: SecretBytes(ProtectorTests.other),
            replacing: .loginPassword, at: 0)
        keybag = try Keybag(parsing: keybag.serialized())
        #expect(keybag.bridges.isEmpty)
        #expect(
            try ProtectorTests.open(
                keybag, .loginPassword, "new", deviceKey: ProtectorTests.other
            ).count == 8)

        // On the old machine the old secrets open what is its own, and nothing of the new one's.
        for (kind, secret) in [
            (Protector.Kind.previousPassword, Sample.password), (.recoveryCode, "0123"),
        ] {
            let old = try ProtectorTests.open(keybag, kind, secret)
            for keyClass in thisDeviceOnly {
                #expect(old.has(keyClass, epoch: 1) && !old.has(keyClass, epoch: 2))
            }
        }
        // A login proves the new password: the old one has become a passphrase, since it has keys
        // that nothing else has, and no login tries it.
        keybag.protectors.removeAll { $0.kind == .passphrase || $0.kind == .keyFile }
        keybag.protectors.removeAll { $0.kind == .recoveryCode }
        let isDropped = keybag.dropPreviousPassword()
        #expect(isDropped)
        #expect(keybag.protectors.map(\.kind) == [.loginPassword, .passphrase])
        #expect(keybag.protectors[1].label == "old login password")
    }

    /// Back on the first machine, its new keys lead to its old ones, and not to the other machine's.
    @Test func theOldKeysAreFoundAgainAtHome() throws {
        var keybag = try Sample.valid()
        let away = try ProtectorTests.protector(
            keybag, .loginPassword, Sample.password, deviceKey: ProtectorTests.other)
        let awayKeys = try keybag.adoptMachine(opened: away)
        try keybag.setLoginPassword(
            SecretBytes("new"), keys: awayKeys, deviceKey: SecretBytes(ProtectorTests.other),
            replacing: .loginPassword, at: 0)

        let home = try ProtectorTests.protector(keybag, .previousPassword, Sample.password)
        let keys = try keybag.adoptMachine(opened: home)
        keybag = try Keybag(parsing: keybag.serialized())
        for keyClass in KeyClass.allCases where keyClass.isThisDeviceOnly {
            guard let newest = keys.key(keyClass, epoch: 3),
                let found = try keybag.openBridge(to: 1, with: newest)
            else {
                Issue.record("no way to the old key of \(keyClass)")
                continue
            }
            #expect(found.epoch == 1)
            #expect(!keybag.isOfAnotherMachine(keyClass, epoch: 1))
            #expect(keybag.isOfAnotherMachine(keyClass, epoch: 2))
            // A key that nobody has is not another machine's.
            #expect(!keybag.isOfAnotherMachine(keyClass, epoch: 9))
        }
    }

    @Test func aKeybagOfThisMachineIsNotAdopted() throws {
        var keybag = try Sample.valid()
        let before = keybag
        let opened = try ProtectorTests.protector(keybag, .loginPassword, Sample.password)
        let count = try keybag.adoptMachine(opened: opened).count
        #expect(count == 8)
        #expect(keybag == before)
    }

    /// A home that goes to and fro does not fill the keybag.
    @Test func manyMachinesLeaveRoom() throws {
        var keybag = try Sample.valid()
        var password = Sample.password
        for machine: UInt8 in 1...5 {
            let deviceKey = [UInt8](repeating: machine, count: 32)
            let opened = try ProtectorTests.protector(
                keybag, .loginPassword, password, deviceKey: deviceKey)
            let keys = try keybag.adoptMachine(opened: opened)
            password = "\(machine)"
            try keybag.setLoginPassword(
                SecretBytes(password), keys: keys, deviceKey: SecretBytes(deviceKey),
                replacing: .loginPassword, at: 0)
            for protector in keybag.protectors where protector.kind != .loginPassword {
                try keybag.removeProtector(protector.id)
            }
        }
        #expect(keybag.classEntries.count <= 16)
        #expect(try Keybag(parsing: keybag.serialized()) == keybag)
    }
}

extension Keybag.Bridge {
    fileprivate func changed(older: UInt32, newer: UInt32) -> Keybag.Bridge {
        Keybag.Bridge(keyClass: keyClass, older: older, newer: newer, box: box)
    }
}
