import Glibc
import KernelKeyring
import KeyClasses
import Keybag
import LinuxSystem
import SecureMemory
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct KeychainStateTests {
    let test: TestKeychain
    var keychain: Keychain { test.keychain }
    let key = ItemKey(service: "s", account: "a")

    init() throws { test = try TestKeychain() }

    @Test func statusFollowsTheKeys() throws {
        #expect(keychain.status().state == .unlocked)
        try keychain.lock()
        #expect(keychain.status().state == .afterFirstUnlock)
        #expect(keychain.status().reason == .sessionLocked)
        try keychain.lockAll()
        #expect(keychain.status().state == .locked)
        #expect(keychain.status().reason == .notUnlocked)
    }

    @Test func aPlantedKeyReadsAsLocked() throws {
        try keychain.set(SecretBytes("x"), for: key)
        let planted = ClassKey(.afterFirstUnlock, epoch: 1, seed: SecretBytes.random(count: 32))
        guard let planted else { throw TestKeychain.Unavailable() }
        try test.keyring.put(planted)
        #expect(code { () throws(VestryError) in _ = try keychain.secret(for: key) } == .locked)
        #expect(keychain.status().state == .locked)
    }

    @Test func noFilesMeanNoKeychain() throws {
        unsafe unlink(test.home.storePath + "/keybag")
        #expect(keychain.status().state == .noStore)
        #expect(
            code { () throws(VestryError) in _ = try keychain.secret(for: key) } == .noSuchKeychain)
        #expect(
            code { () throws(VestryError) in try keychain.set(SecretBytes("x"), for: key) }
                == .noSuchKeychain)
        #expect(test.home.storeEntries() == [])
    }

    @Test func itemsWithoutAKeybagAreDamage() throws {
        try keychain.set(SecretBytes("x"), for: key)
        unsafe unlink(test.home.storePath + "/keybag")
        #expect(code { () throws(VestryError) in _ = try keychain.secret(for: key) } == .damaged)
        #expect(keychain.status().error?.code == .damaged)
    }

    @Test func anotherStoresItemsAreDamage() throws {
        try keychain.set(SecretBytes("x"), for: key)
        let other = try Keybag.create(
            password: SecretBytes("x"), deviceKey: SecretBytes.random(count: 32), at: 0)
        let directory = try test.home.storeDirectory()
        try other.keybag.write(in: directory)
        #expect(keychain.status().error?.code == .damaged)
    }

    @Test func aMissingHomeIsNotAMissingKeychain() {
        let account = Account(
            name: "x", user: geteuid(), group: getegid(), homeDirectory: "/nonexistent")
        let status = Keychain(account: account).status()
        #expect(status.error?.code == .notAvailable)
    }

    @Test func foreignOwnersAndOpenModesAreDenied() throws {
        unsafe chmod(test.home.storePath + "/keybag", 0o644)
        #expect(keychain.status().error?.code == .denied)
        unsafe chmod(test.home.storePath + "/keybag", 0o600)
        unsafe chmod(test.home.storePath, 0o755)
        #expect(keychain.status().error?.code == .denied)
    }

    @Test func lockingWorksWithADamagedKeybag() throws {
        try test.home.write([1, 2, 3], to: "keybag")
        #expect(keychain.status().error?.code == .damaged)
        try keychain.lockAll()
        #expect(try test.keyring.classKey(.index) == nil)
    }

    @Test func waitingEndsAtTheTimeOut() throws {
        try keychain.lockAll()
        let clock = ContinuousClock()
        var result = true
        let elapsed = try clock.measure {
            result = try keychain.wait(timeout: .milliseconds(50))
        }
        #expect(!result)
        #expect(elapsed >= .milliseconds(50))
        try test.unlock([.index, .afterFirstUnlock])
        #expect(try keychain.wait(timeout: .zero))
        #expect(try !keychain.wait(for: .whenUnlocked, timeout: .zero))
    }
}
