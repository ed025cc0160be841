import KernelKeyring
import KeyClasses
import SecureMemory
import Synchronization
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// Items that ask for the user at each read.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct PresenceTests {
    let test: TestKeychain
    var keychain: Keychain { test.keychain }
    let query = ItemQuery(.genericPassword, [.account: "a"])

    var attended: Keychain { test.attended }

    init() throws { test = try TestKeychain() }

    func add(
        _ accessibility: Accessibility = .whenUnlocked,
        _ flags: AccessControl.Flags = .userPresence
    ) throws {
        try keychain.add(
            .genericPassword,
            attributes: [
                .account: "a", .label: "L",
                .accessControl: .data(AccessControl(accessibility, flags).encoded),
            ], secret: SecretBytes("secret"))
    }

    func secret(_ keychain: Keychain) throws -> String? {
        try keychain.find(query, wantingSecrets: true).records.first?.withSecret { text($0) }
    }

    func readCode(_ keychain: Keychain, _ query: ItemQuery? = nil) -> VestryError.Code? {
        code { () throws(VestryError) in
            _ = try keychain.find(query ?? self.query, wantingSecrets: true)
        }
    }

    static let controls: [(Accessibility, AccessControl.Flags)] = [
        (.whenUnlocked, .userPresence), (.afterFirstUnlock, .devicePasscode),
        (.whenUnlockedThisDeviceOnly, [.biometryAny, .or, .devicePasscode]),
        (.whenPasscodeSetThisDeviceOnly, .userPresence),
    ]

    @Test(arguments: controls)
    func asksForTheUserAtEachRead(
        _ accessibility: Accessibility, _ flags: AccessControl.Flags
    ) throws {
        try add(accessibility, flags)
        #expect(readCode(keychain) == .locked)
        #expect(try secret(attended) == "secret")
        #expect(readCode(keychain) == .locked)
        let record = try #require(try keychain.find(query).records.first)
        #expect(record.accessControl == flags)
        #expect(record.accessibility == accessibility)
        #expect(
            record[.accessControl] == .data(AccessControl(accessibility, flags).encoded))
    }

    @Test func theKernelNeverHasItsKey() throws {
        try test.unlock()
        try add()
        #expect(try test.keyring.classKey(.presence) == nil)
        #expect(try test.keyring.classKey(.presenceThisDeviceOnly) == nil)
    }

    @Test func theInterfaceCanBeForbiddenOrSkipped() throws {
        try add()
        var query = query
        query.authenticationUI = .fail
        #expect(readCode(attended, query) == .locked)
        query.authenticationUI = .skip
        #expect(readCode(attended, query) == .itemNotFound)
        query.limit = .all
        query.attributes = [:]
        try keychain.add(.genericPassword, attributes: [.account: "b"])
        #expect(
            try attended.find(query, wantingSecrets: true).records.map { $0[.account] } == ["b"])
        // Attributes ask for nobody.
        #expect(try keychain.find(query).records.count == 2)
    }

    @Test func attributesAndSecretChangeWithoutTheUser() throws {
        try add()
        try keychain.update(query, set: [.label: "M"])
        #expect(try secret(attended) == "secret")
        try keychain.update(query, secret: SecretBytes("new"))
        #expect(try secret(attended) == "new")
        #expect(try keychain.delete(query) == 1)
    }

    @Test func lessProtectionTakesTheUser() throws {
        try add()
        let plain: [ItemAttribute: AttributeValue] = [
            .accessControl: .data(AccessControl(.whenUnlocked, []).encoded)
        ]
        #expect(
            code { () throws(VestryError) in try keychain.update(query, set: plain) } == .locked)
        try attended.update(query, set: plain)
        #expect(try secret(keychain) == "secret")
        #expect(try keychain.find(query).records.first?[.accessControl] == nil)
    }

    /// A plain change of accessibility must not drop the question silently.
    @Test func aNewAccessibilityKeepsTheAccessControl() throws {
        try add()
        try attended.update(query, set: [.accessible: "ck"])
        #expect(readCode(keychain) == .locked)
        #expect(try secret(attended) == "secret")
        #expect(try keychain.find(query).records.first?.accessibility == .afterFirstUnlock)
    }

    @Test func aWrongKeyOpensNothing() throws {
        try add()
        var keychain = keychain
        keychain.presenceAuthorizer = { keyClass throws(VestryError) in
            guard let key = ClassKey(keyClass, epoch: 1, seed: SecretBytes.random(count: 32)) else {
                throw VestryError(.locked)
            }
            return key
        }
        #expect(readCode(keychain) == .locked)
        keychain.presenceAuthorizer = { _ throws(VestryError) in throw VestryError(.cancelled) }
        #expect(readCode(keychain) == .cancelled)
    }

    /// Anybody can make a box for the public key: one that this item did not get is refused.
    @Test func aForgedSecretDoesNotOpen() throws {
        try add()
        let row = try #require(try test.rows().first)
        var forged = row
        _ = try forged.deposit(
            value: SecretBytes("forged"), under: .presence,
            of: try #require(SharedKeybag.shared).keybag)
        let hex = try #require(forged.value).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        try test.tamper("UPDATE item SET value = x'\(hex)'")
        #expect(readCode(attended) == .itemDamaged)
    }

    @Test func aLockedScreenHidesItAltogether() throws {
        try add()
        try keychain.lock()
        #expect(readCode(attended) == .locked)
        #expect(code { () throws(VestryError) in _ = try keychain.find(query) } == .locked)
    }

    /// The process keyring is that of this process; a kept key opens without a question.
    @Test func aKeptKeyOpensWithoutAQuestionUntilItIsLocked() throws {
        try add(.afterFirstUnlock)
        var keychain = keychain
        keychain.presenceReuseDuration = .seconds(60)
        guard let key = SharedKeybag.shared?.key(.presence) else { throw VestryError(.locked) }
        try test.keyring.hold(key, seconds: 60)
        #expect(try secret(keychain) == "secret")
        var query = query
        query.authenticationUI = .fail
        #expect(readCode(keychain, query) == nil)
        #expect(readCode(self.keychain) == .locked)
        keychain.presenceReuseDuration = .seconds(30)
        #expect(readCode(keychain) == .locked)
        keychain.presenceReuseDuration = .seconds(60)
        try keychain.lock()
        #expect(readCode(keychain) == .locked)
    }

    /// The person may take long: the item file is not locked meanwhile, and what counts is what
    /// stands there after the answer.
    @Test func nothingIsHeldWhileTheUserIsAsked() throws {
        try add()
        var keychain = keychain
        let unattended = self.keychain
        let query = query
        keychain.presenceAuthorizer = { keyClass throws(VestryError) in
            try unattended.update(query, secret: SecretBytes("newer"))
            guard let key = SharedKeybag.shared?.key(keyClass) else { throw VestryError(.locked) }
            return key
        }
        #expect(try secret(keychain) == "newer")
        try keychain.update(query, set: [.accessible: "ck"])
        #expect(try secret(attended) == "newer")
    }

    @Test func anAnswerCountsForTheNextReadsWhereThatIsWanted() throws {
        try add(.afterFirstUnlock)
        let counter = Counter()
        var keychain = keychain
        keychain.presenceAuthorizer = { keyClass throws(VestryError) in
            counter.count.withLock { $0 += 1 }
            guard let key = SharedKeybag.shared?.key(keyClass) else { throw VestryError(.locked) }
            return key
        }
        for asked in [1, 2] {
            #expect(try secret(keychain) == "secret")
            #expect(counter.count.withLock { $0 } == asked)
        }
        keychain.presenceReuseDuration = .seconds(1000)
        for _ in 1...3 {
            #expect(try secret(keychain) == "secret")
            #expect(counter.count.withLock { $0 } == 3)
        }
        let longest = try test.keyring.heldKey(.presence, seconds: 300) != nil
        #expect(longest)
        try keychain.lock()
        #expect(try secret(keychain) == "secret")
        #expect(counter.count.withLock { $0 } == 4)
    }

    @Test func oneOperationAsksOnceForEachClass() throws {
        try add()
        for account in ["b", "c"] {
            try keychain.add(
                .genericPassword,
                attributes: [
                    .account: .string(account),
                    .accessControl: .data(AccessControl(.whenUnlocked, .userPresence).encoded),
                ])
        }
        let counter = Counter()
        var keychain = keychain
        keychain.presenceAuthorizer = { keyClass throws(VestryError) in
            counter.count.withLock { $0 += 1 }
            guard let key = SharedKeybag.shared?.key(keyClass) else { throw VestryError(.locked) }
            return key
        }
        var query = ItemQuery(.genericPassword)
        query.limit = .all
        #expect(try keychain.find(query, wantingSecrets: true).records.count == 3)
        #expect(counter.count.withLock { $0 } == 1)
        query.isOnlyReadable = true
        let matches = try self.keychain.find(query, wantingSecrets: true)
        #expect(matches.records.isEmpty && matches.lockedCount == 3)
    }

    private final class Counter: Sendable {
        let count = Mutex(0)
    }
}
