import KeyClasses
import SecureMemory
import TestSupport
import Testing

@Suite struct ClassKeyTests {
    static let store = StoreID(Array(repeating: 1, count: 16))

    static func key(
        _ keyClass: KeyClass = .index, epoch: UInt32 = 1, seed: [UInt8] = Array(0..<32)
    ) -> ClassKey? {
        ClassKey(keyClass, epoch: epoch, seed: SecretBytes(seed))
    }

    /// The numbers stand in keybags and item rows: changing one loses secrets.
    @Test(
        arguments: [
            (KeyClass.index, 1, "index"), (.afterFirstUnlock, 2, "afterFirstUnlock"),
            (.afterFirstUnlockThisDeviceOnly, 3, "afterFirstUnlockThisDeviceOnly"),
            (.whenUnlocked, 4, "whenUnlocked"),
            (.whenUnlockedThisDeviceOnly, 5, "whenUnlockedThisDeviceOnly"),
            (.whenPasscodeSetThisDeviceOnly, 6, "whenPasscodeSetThisDeviceOnly"),
            (.presence, 7, "presence"), (.presenceThisDeviceOnly, 8, "presenceThisDeviceOnly"),
        ] as [(KeyClass, UInt8, String)])
    func classesKeepTheirNumbers(keyClass: KeyClass, number: UInt8, name: String) {
        #expect(keyClass.rawValue == number)
        #expect("\(keyClass)" == name)
        #expect(keyClass.isThisDeviceOnly == name.hasSuffix("ThisDeviceOnly"))
    }

    @Test(arguments: [0, 31, 33])
    func refusesASeedOfAnotherSize(count: Int) {
        let key = Self.key(seed: [UInt8](repeating: 0, count: count))
        let isNil = key == nil
        #expect(isNil)
    }

    @Test func subkeysAreAllDifferent() throws {
        let key = try #require(
            withValue(of: Self.key()) { [$0.valueKey().exposed, $0.metadataKey().exposed] })
        #expect(Set(key + [Array(0..<32)]).count == 3)
    }

    /// Any of these in common would let a key of one place pass in another.
    @Test func checkValuesDependOnEverything() throws {
        let store = try #require(Self.store)
        let other = try #require(StoreID(Array(repeating: 2, count: 16)))
        let values = [
            withValue(of: Self.key()) { $0.checkValue(in: store) },
            withValue(of: Self.key()) { $0.checkValue(in: other) },
            withValue(of: Self.key(.whenUnlocked)) { $0.checkValue(in: store) },
            withValue(of: Self.key(epoch: 2)) { $0.checkValue(in: store) },
            withValue(of: Self.key(seed: Array(1...32))) { $0.checkValue(in: store) },
        ].compactMap { $0 }
        #expect(Set(values).count == 5)
        #expect(values.allSatisfy { $0.count == ClassKey.checkValueByteCount })
    }

    // X25519 by RFC 7748's ladder in Python, of the seed bytes(range(32)).
    @Test func theDepositKeyIsTheDocumentedOne() {
        #expect(
            withValue(of: Self.key()) { $0.depositPublicKey() }
                == bytes(hex: "08784c0b0f5668dfd2a6423c98a088d6cf03877fc44e56e3ed13deb38fe5554e"))
    }

    @Test(arguments: [0, 15, 17])
    func aStoreIDHasSixteenBytes(count: Int) {
        #expect(StoreID([UInt8](repeating: 0, count: count)) == nil)
    }
}
