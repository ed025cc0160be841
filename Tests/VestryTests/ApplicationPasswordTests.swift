import ItemStore
import Keybag
import KeyClasses
import Sealing
import SecureMemory
import Synchronization
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// Items whose secret takes a password of the program's own.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct ApplicationPasswordTests {
    let test: TestKeychain
    var keychain: Keychain { test.keychain }

    var attended: Keychain { test.attended }

    init() throws { test = try TestKeychain() }

    static func password(_ text: String) -> ApplicationPassword {
        ApplicationPassword(SecretBytes(text))
    }

    func query(_ password: String?, _ account: String = "a") -> ItemQuery {
        var query = ItemQuery(.genericPassword, [.account: .string(account)])
        query.applicationPassword = password.map { Self.password($0) }
        return query
    }

    static func control(
        _ accessibility: Accessibility, _ flags: AccessControl.Flags
    ) -> [ItemAttribute: AttributeValue] {
        [.accessControl: .data(AccessControl(accessibility, flags).encoded)]
    }

    func add(
        _ flags: AccessControl.Flags = .applicationPassword, password: String? = "own",
        account: String = "a", secret: String = "secret"
    ) throws(VestryError) {
        try keychain.add(
            .genericPassword,
            attributes: [.account: .string(account), .service: "s"].merging(
                Self.control(.whenUnlocked, flags)
            ) { $1 },
            secret: SecretBytes(secret), applicationPassword: password.map { Self.password($0) })
    }

    func secret(_ query: ItemQuery, _ keychain: Keychain? = nil) throws -> String? {
        try (keychain ?? self.keychain).find(query, wantingSecrets: true).records.first?
            .withSecret { text($0) }
    }

    func readCode(_ query: ItemQuery, _ keychain: Keychain? = nil) -> VestryError.Code? {
        code { () throws(VestryError) in
            _ = try (keychain ?? self.keychain).find(query, wantingSecrets: true)
        }
    }

    @Test func opensWithThePasswordAlone() throws {
        try add()
        #expect(try secret(query("own")) == "secret")
        #expect(readCode(query("other")) == .wrongPassword)
        #expect(readCode(query("")) == .wrongPassword)
        #expect(readCode(query(nil)) == .locked)
        let key = ItemKey(service: "s", account: "a")
        #expect(
            code { () throws(VestryError) in _ = try keychain.secret(for: key) } == .locked)
        let record = try #require(try keychain.find(query(nil)).records.first)
        #expect(record.accessControl == .applicationPassword)
    }

    @Test func theClassKeyIsNeededToo() throws {
        try add()
        try keychain.lock()
        #expect(readCode(query("own")) == .locked)
    }

    @Test(arguments: [nil, ""])
    func isNotAddedWithoutAPassword(_ password: String?) throws {
        #expect(
            code { () throws(VestryError) in try add(password: password) } == .parameter)
        #expect(readCode(query("own")) == .itemNotFound)
        let key = ItemKey(service: "s", account: "a")
        #expect(
            code { () throws(VestryError) in
                try keychain.set(
                    SecretBytes("x"), for: key, accessibility: .whenUnlocked,
                    accessControl: .applicationPassword)
            } == .parameter)
    }

    @Test func theUserAndThePasswordAreBothNeeded() throws {
        try add([.applicationPassword, .userPresence])
        #expect(readCode(query("own")) == .locked)
        #expect(readCode(query(nil), attended) == .locked)
        #expect(readCode(query("other"), attended) == .wrongPassword)
        #expect(try secret(query("own"), attended) == "secret")
        try keychain.update(query("own"), secret: SecretBytes("new"))
        #expect(try secret(query("own"), attended) == "new")
    }

    @Test func attributesChangeWithoutThePassword() throws {
        try add()
        try keychain.update(query(nil), set: [.label: "M"])
        #expect(try secret(query("own")) == "secret")
        #expect(try keychain.find(query(nil)).records.first?[.label] == "M")
    }

    /// What the password seals stays as it is where its class stays.
    @Test func theUserIsAddedWithoutThePassword() throws {
        try add()
        let both = Self.control(.whenUnlocked, [.applicationPassword, .userPresence])
        try keychain.update(query(nil), set: both)
        #expect(readCode(query("own")) == .locked)
        #expect(try secret(query("own"), attended) == "secret")
        try attended.update(
            query(nil), set: Self.control(.whenUnlocked, .applicationPassword))
        #expect(try secret(query("own")) == "secret")
        #expect(readCode(query(nil)) == .locked)
    }

    @Test func anotherAccessibilityTakesThePassword() throws {
        try add()
        let later: [ItemAttribute: AttributeValue] = [.accessible: "ck"]
        for (password, expected) in [(nil, .locked), ("other", .wrongPassword)]
            as [(String?, VestryError.Code)]
        {
            #expect(
                code { () throws(VestryError) in
                    try keychain.update(query(password), set: later)
                } == expected)
        }
        #expect(try secret(query("own")) == "secret")
        try keychain.update(query("own"), set: later)
        try keychain.lock()
        #expect(try secret(query("own")) == "secret")
        #expect(readCode(query("other")) == .wrongPassword)
    }

    @Test func thePasswordIsPutOnAndTakenOff() throws {
        try add()
        let plain = Self.control(.whenUnlocked, [])
        #expect(
            code { () throws(VestryError) in
                try keychain.update(query(nil), set: plain)
            } == .locked)
        try keychain.update(query("own"), set: plain)
        #expect(try secret(query(nil)) == "secret")
        let own = Self.control(.whenUnlocked, .applicationPassword)
        #expect(
            code { () throws(VestryError) in
                try keychain.update(query(nil), set: own)
            } == .parameter)
        try keychain.update(query("next"), set: own)
        #expect(readCode(query("own")) == .wrongPassword)
        #expect(try secret(query("next")) == "secret")
    }

    @Test func aNewSecretTakesThePasswordItIsGiven() throws {
        try add()
        #expect(
            code { () throws(VestryError) in
                try keychain.update(query(nil), secret: SecretBytes("new"))
            } == .parameter)
        let key = ItemKey(service: "s", account: "a")
        #expect(
            code { () throws(VestryError) in
                try keychain.set(SecretBytes("new"), for: key)
            } == .parameter)
        #expect(try secret(query("own")) == "secret")
        try keychain.update(query("next"), secret: SecretBytes("new"))
        #expect(try secret(query("next")) == "new")
        #expect(readCode(query("own")) == .wrongPassword)
    }

    @Test func theHandlerGivesThePassword() throws {
        try add()
        let asked = Asked()
        var keychain = keychain
        keychain.presenceHandler = { question in
            asked.kinds.withLock { $0.append(question.kind) }
            return SecretBytes(question.text)
        }
        let key = ItemKey(service: "s", account: "a")
        #expect(text(try keychain.secret(for: key, prompt: "own")) == "secret")
        #expect(
            code { () throws(VestryError) in
                _ = try keychain.secret(for: key, prompt: "other")
            } == .wrongPassword)
        #expect(asked.kinds.withLock { $0 } == [.applicationPassword, .applicationPassword])
        // What the program gives is not asked for.
        #expect(try secret(query("own"), keychain) == "secret")
        #expect(asked.kinds.withLock { $0.count } == 2)
        var query = query(nil)
        query.prompt = "own"
        try keychain.update(query, set: [.accessible: "ck"])
        #expect(try secret(query, keychain) == "secret")
        query.authenticationUI = .fail
        #expect(readCode(query, keychain) == .locked)
        query.authenticationUI = .skip
        #expect(readCode(query, keychain) == .itemNotFound)
        query.applicationPassword = Self.password("own")
        #expect(try secret(query, keychain) == "secret")
        keychain.presenceHandler = { _ in nil }
        #expect(readCode(self.query(nil), keychain) == .cancelled)
    }

    @Test func anotherItemsPasswordIsNoErrorOfAList() throws {
        try add()
        try add(password: "next", account: "b", secret: "other")
        var query = ItemQuery(.genericPassword)
        query.limit = .all
        query.applicationPassword = Self.password("own")
        #expect(readCode(query) == .wrongPassword)
        query.isOnlyReadable = true
        let matches = try keychain.find(query, wantingSecrets: true)
        #expect(matches.records.map { $0[.account] } == ["a"] && matches.lockedCount == 1)
    }

    /// Whoever has the class key can exchange what value boxes hold, and gains nothing by it.
    @Test func aBoxOfAnotherItemDoesNotOpen() throws {
        try add()
        try add(account: "b", secret: "other")
        let other = try opened("b")
        try put(other, into: "a")
        #expect(readCode(query("own")) == .wrongPassword)
        try put(opened("b"), into: "b")
        #expect(try secret(query("own", "b")) == "other")
        try test.tamper(
            "UPDATE item SET value = (SELECT value FROM item WHERE row = 1) WHERE row = 2")
        #expect(readCode(query("own", "b")) == .itemDamaged)
    }

    /// Made anew from the primitives, as the article on the format says.
    @Test(arguments: [
        AccessControl.Flags.applicationPassword, [.applicationPassword, .userPresence],
    ])
    func theBoxIsAsDocumented(_ flags: AccessControl.Flags) throws {
        try add(flags)
        let row = try row("a")
        let bytes: [UInt8]
        if flags.contains(.userPresence) {
            guard let key = SharedKeybag.shared?.key(.presence) else { throw VestryError(.locked) }
            let value = try #require(row.value)
            let digest = checksum(of: value.span)
            bytes = try row.openDeposit(with: key, digest: digest, in: test.keyring.store).exposed
        } else {
            bytes = try opened("a")
        }
        #expect(Array(bytes[..<13]) == [1, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 1, 0])
        let derivation = PasswordDerivation(
            passes: 3, memoryKiB: 65_536, salt: Array(bytes[13..<29]))
        guard let stretched = derivation.key(from: SecretBytes("own")),
            let classKey = try test.keyring.classKey(.whenUnlocked)
        else { throw TestKeychain.Unavailable() }
        let key = SealingKey(classKey.valueKey().keyedHashKey(of: stretched))
        var context = Array("VSTRYPWD".utf8) + test.keyring.store.bytes + row.reference
        context += [row.itemClass, row.accessibility] + bytes[..<29]
        #expect(context.count == 71)
        let box = Array(bytes[29...])
        #expect(text(try key.open(box.span, context: context)) == "secret")
    }

    @Test func everyTruncationIsRefused() throws {
        try add(secret: "")
        let whole = try opened("a")
        #expect(whole.count == PasswordBox.headerByteCount + SealingKey.overhead)
        for count in 0..<whole.count {
            try put(Array(whole[..<count]), into: "a")
            #expect(readCode(query("own")) == .itemDamaged)
        }
        try put(whole, into: "a")
        #expect(try secret(query("own"))?.isEmpty == true)
        try put(whole + [0], into: "a")
        #expect(readCode(query("own")) == .wrongPassword)
    }

    struct Change: Sendable {
        let offset: Int
        let number: UInt32
        let code: VestryError.Code
    }

    static let changes = [
        Change(offset: 1, number: 0, code: .itemDamaged),
        Change(offset: 1, number: 2, code: .itemDamaged),
        Change(offset: 5, number: 0, code: .itemDamaged),
        Change(offset: 5, number: 2, code: .itemDamaged),
        Change(offset: 5, number: 17, code: .itemDamaged),
        Change(offset: 5, number: .max, code: .itemDamaged),
        Change(offset: 9, number: 0, code: .itemDamaged),
        Change(offset: 9, number: 65_535, code: .itemDamaged),
        Change(offset: 9, number: 1_048_577, code: .itemDamaged),
        Change(offset: 9, number: .max, code: .itemDamaged),
        // Within the bounds, and not what it was sealed with.
        Change(offset: 5, number: 4, code: .wrongPassword),
        Change(offset: 13, number: 0, code: .wrongPassword),
        Change(offset: 29, number: 0, code: .wrongPassword),
    ]

    @Test(arguments: changes)
    func absurdParametersAreRefused(_ change: Change) throws {
        try add()
        var bytes = try opened("a")
        bytes.replaceSubrange(
            change.offset..<change.offset + 4, with: littleEndian(change.number))
        try put(bytes, into: "a")
        #expect(readCode(query("own")) == change.code)
    }

    @Test func aNewerVersionIsSaidToBeOne() throws {
        try add()
        var bytes = try opened("a")
        bytes[0] = 2
        try put(bytes, into: "a")
        #expect(readCode(query("own")) == .newerFormat)
    }

    // MARK: What a program with the class key can do

    private func row(_ account: String) throws -> ItemRow {
        let rows = try test.rows(.metadataAndValue)
        return try #require(account == "a" ? rows.first : rows.last)
    }

    private func key() throws -> OperationKey {
        guard let key = try test.keyring.classKey(.whenUnlocked) else {
            throw TestKeychain.Unavailable()
        }
        return OperationKey(key)
    }

    /// What the value box of an item holds.
    private func opened(_ account: String) throws -> [UInt8] {
        try row(account).openValue(with: key(), in: test.keyring.store).exposed
    }

    /// Seals bytes as the value of an item.
    private func put(_ bytes: [UInt8], into account: String) throws {
        let row = try row(account)
        let box = try key().valueKey.seal(
            SecretBytes(copying: bytes.span),
            context: BoxContext(storeID: test.keyring.store, row: row).bytes(of: .value))
        let hex = box.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try test.tamper(
            "UPDATE item SET value = x'\(hex)' WHERE row = \(account == "a" ? 1 : 2)")
    }

    private final class Asked: Sendable {
        let kinds = Mutex<[PresenceQuestion.Kind]>([])
    }
}
