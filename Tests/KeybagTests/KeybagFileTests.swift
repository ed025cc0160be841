import Foundation
import KeyClasses
import LinuxSystem
import SecureMemory
import TestSupport
import Testing

@testable import Keybag

@Suite struct KeybagFileTests {
    /// Runs `body` with a store directory in a home of its own.
    static func withStore(
        _ body: (borrowing StoreDirectory) throws -> Void
    ) throws {
        let home = FileManager.default.temporaryDirectory
            .appendingPathComponent("vestry-keybag-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let account = Account(
            name: "x", user: geteuid(), group: getegid(), homeDirectory: home.path)
        try body(try StoreDirectory.create(for: account))
    }

    @Test func anAbsentKeybagIsNoError() throws {
        try Self.withStore { directory in
            let read = try Keybag.read(in: directory)
            #expect(read == nil)
        }
    }

    @Test func writingKeepsThePreviousKeybag() throws {
        try Self.withStore { directory in
            var keybag = try Sample.valid()
            try keybag.write(in: directory)
            let first = try Data(contentsOf: URL(filePath: directory.path + "/keybag"))
            let keys = try ProtectorTests.open(keybag, .loginPassword, Sample.password)
            try keybag.setLoginPassword(
                SecretBytes("new"), keys: keys, deviceKey: SecretBytes(Sample.deviceKey),
                replacing: .loginPassword, at: 0)
            try keybag.write(in: directory)
            let read = try Keybag.read(in: directory)
            #expect(read == keybag)
            let previous = try Data(contentsOf: URL(filePath: directory.path + "/keybag.previous"))
            #expect(previous == first)
        }
    }

    /// Two machines with one home: the locks of the one say nothing to the other.
    @Test func aNewKeybagReplacesNone() throws {
        try Self.withStore { directory in
            let first = try Sample.valid()
            #expect(try first.create(in: directory))
            let second = try Keybag.create(
                password: SecretBytes("other"), deviceKey: SecretBytes(Sample.deviceKey), at: 0
            ).keybag
            #expect(try !second.create(in: directory))
            let read = try Keybag.read(in: directory)
            #expect(read == first)
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(names.sorted() == ["keybag", "keybag.previous"])
            let copy = try Keybag.readPrevious(in: directory)
            #expect(copy == first)
        }
    }

    @Test(arguments: [0, 18, 71, 1000]) func aCutFileIsDamaged(byteCount: Int) throws {
        try Self.withStore { directory in
            try Sample.valid().write(in: directory)
            _ = unsafe truncate(directory.path + "/keybag", byteCount)
            let error = #expect(throws: KeybagError.self) { try Keybag.read(in: directory) }
            #expect(error?.isDamage == true)
        }
    }

    @Test func aHugeFileIsNotRead() throws {
        try Self.withStore { directory in
            try Sample.valid().write(in: directory)
            _ = unsafe truncate(directory.path + "/keybag", 2 << 30)
            #expect(throws: KeybagError.file(.tooLarge(limit: 65_536))) {
                try Keybag.read(in: directory)
            }
        }
    }

    /// With all that version 1 can hold: protectors of all kinds and one of a later release, two epochs
    /// of two classes with their bridges, and keys that were sealed to public keys.
    @Test func theGoldenKeybagWithEverythingOpens() throws {
        let file = try #require(
            Bundle.module.url(
                forResource: "keybag-1-all", withExtension: nil, subdirectory: "Golden"))
        let bytes = Array(try Data(contentsOf: file))
        let keybag = try Keybag(parsing: bytes)
        #expect(keybag.serialized() == bytes)
        #expect(keybag.protectors.map(\.kind.rawValue) == [1, 2, 3, 4, 4, 200])
        #expect(
            keybag.protectors.map(\.label) == [nil, nil, nil, "on paper", nil, "Stick \u{1F511}"])
        let seeds = ProtectorTests.seeds(try ProtectorTests.open(keybag, .loginPassword, "new"))
        #expect(seeds.count == 10)
        for (kind, secret) in [
            (Protector.Kind.previousPassword, Sample.password), (.recoveryCode, "0123"),
            (.passphrase, "one"), (.passphrase, "two"),
        ] {
            #expect(ProtectorTests.seeds(try ProtectorTests.open(keybag, kind, secret)) == seeds)
        }
        let keys = try ProtectorTests.open(keybag, .recoveryCode, "0123")
        for keyClass in [KeyClass.index, .whenUnlocked] {
            let older = try withValue(of: keys.key(keyClass, epoch: 2)) { newer in
                withValue(of: try keybag.openBridge(to: 1, with: newer)) { $0.seed.exposed }
            }
            #expect(older == withValue(of: keys.key(keyClass, epoch: 1)) { $0.seed.exposed })
        }
    }

    /// Written by the first release.
    ///
    /// Every later release opens it: no secret is ever lost.
    @Test func theGoldenKeybagOpens() throws {
        let file = try #require(
            Bundle.module.url(forResource: "keybag-1", withExtension: nil, subdirectory: "Golden"))
        let keybag = try Keybag(parsing: Array(try Data(contentsOf: file)))
        let keys = try ProtectorTests.open(keybag, .loginPassword, Sample.password)
        #expect(keys.count == 8)
        #expect(
            keybag.storeID.bytes == bytes(hex: "fe922fc39897b48259c71da80304a352"))
        #expect(
            withValue(of: keys.key(.afterFirstUnlock, epoch: 1)) { $0.seed.exposed }
                == bytes(hex: "ab404f5d0b0a16cd6cf0a32d9673fd47db01f32322336ffee0628f42dfba5432"))
        #expect(keybag.serialized() == Array(try Data(contentsOf: file)))
    }
}
