import CKeyutils
import Foundation
import Glibc
import KeyClasses
import SecureMemory
import TestSupport
import Testing

@testable import KernelKeyring

/// Presence keys that a process keeps for itself.
@Suite(
    .serialized,
    .enabled(if: (try? Key.user.resolved()) != nil, "keyctl is not to be had here"))
final class HeldKeyTests {
    let keyring = KernelKeyring(store: StoreID.random())
    private let turn: KernelKeyringTurn

    init() throws { turn = try KernelKeyringTurn() }

    deinit { try? KernelKeyring.dropHeldKeys() }

    func seed(_ keyClass: KeyClass, _ seconds: UInt32) throws -> [UInt8]? {
        withValue(of: try keyring.heldKey(keyClass, seconds: seconds)) { $0.seed.exposed }
    }

    /// The line of a key in /proc/keys: serial, flags, count, rest of its time, permissions.
    func line(of text: String) -> [Substring] {
        guard let file = unsafe fopen("/proc/keys", "r") else { return [] }
        defer { unsafe fclose(file) }
        var buffer = [CChar](repeating: 0, count: 1024)
        while unsafe fgets(&buffer, 1024, file) != nil {
            let line = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
            if line.contains(text) { return line.split(separator: " ") }
        }
        return []
    }

    @Test func whatIsHeldIsReadWithTheSameTimeAlone() throws {
        #expect(try seed(.presence, 60) == nil)
        #expect(try keyring.hold(try KernelKeyringTests.key(.presence, byte: 7), seconds: 60))
        #expect(try seed(.presence, 60) == [UInt8](repeating: 7, count: 32))
        #expect(try seed(.presence, 5) == nil)
        #expect(try seed(.presenceThisDeviceOnly, 60) == nil)
        let other = KernelKeyring(store: StoreID.random())
        #expect(try other.heldKey(.presence, seconds: 60) == nil)
    }

    @Test func onlyPresenceKeysAreHeldAndNoneWithoutATime() throws {
        for keyClass in KeyClass.allCases where keyClass.residence != .nowhere {
            #expect(try !keyring.hold(try KernelKeyringTests.key(keyClass), seconds: 60))
        }
        #expect(try !keyring.hold(try KernelKeyringTests.key(.presence), seconds: 0))
        #expect(line(of: "vestry:held") == [])
    }

    @Test func theKernelEndsIt() throws {
        try keyring.hold(try KernelKeyringTests.key(.presence), seconds: 1)
        #expect(try seed(.presence, 1) != nil)
        let start = ContinuousClock.now
        while try seed(.presence, 1) != nil, ContinuousClock.now - start < .seconds(10) {
            usleep(50_000)
        }
        #expect(try seed(.presence, 1) == nil)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    /// Possession alone gives anything: no permission for the owner, whose other processes have none.
    @Test func otherProcessesOfTheUserHaveNoPermission() throws {
        try keyring.hold(try KernelKeyringTests.key(.presence), seconds: 60)
        for description in ["vestry:held", "vestry:presence:60"] {
            let fields = line(of: description)
            try #require(fields.count > 4)
            #expect(fields[4].hasSuffix("000000") && fields[4] != "00000000")
        }
        #expect(try Key.user.search(.user, "vestry:presence:60") == nil)
        #expect(try Key.session.search(.user, "vestry:presence:60") == nil)
    }

    @Test func lockingDropsIt() throws {
        try keyring.hold(try KernelKeyringTests.key(.presence), seconds: 60)
        try keyring.hold(try KernelKeyringTests.key(.presenceThisDeviceOnly), seconds: 60)
        try KernelKeyring.dropHeldKeys()
        #expect(try seed(.presence, 60) == nil)
        #expect(try seed(.presenceThisDeviceOnly, 60) == nil)
        try KernelKeyring.dropHeldKeys()
        try keyring.hold(try KernelKeyringTests.key(.presence), seconds: 60)
        #expect(try seed(.presence, 60) != nil)
    }

    /// The kernel gives a child no process keyring; by its number the key cannot be read either.
    @Test(.enabled(if: access("/usr/bin/keyctl", X_OK) == 0, "needs keyctl"))
    func aChildDoesNotHaveIt() throws {
        try keyring.hold(try KernelKeyringTests.key(.presence), seconds: 60)
        let ring = try #require(try Key.process.search(.keyring, "vestry:held"))
        let key = try #require(try ring.search(.user, "vestry:presence:60"))
        // The instrument: the child can read what is the user's own.
        let status = { (arguments: [String]) throws -> Int32 in
            let child = Foundation.Process()
            child.executableURL = URL(filePath: "/usr/bin/keyctl")
            child.arguments = arguments
            child.standardOutput = FileHandle.nullDevice
            child.standardError = FileHandle.nullDevice
            try child.run()
            child.waitUntilExit()
            return child.terminationStatus
        }
        #expect(try status(["show", "@u"]) == 0)
        #expect(try status(["read", "\(key.serial)"]) != 0)
        #expect(try status(["describe", "\(ring.serial)"]) != 0)
        #expect(try status(["search", "@p", "user", "vestry:presence:60"]) != 0)
    }
}
