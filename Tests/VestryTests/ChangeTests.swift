import KeyClasses
import SecureMemory
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// What adding, updating and deleting do to items.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct ChangeTests {
    let test: TestKeychain
    var keychain: Keychain { test.keychain }

    init() throws { test = try TestKeychain() }

    func addCode(
        _ itemClass: ItemClass, _ attributes: [ItemAttribute: AttributeValue]
    ) -> VestryError.Code? {
        code { () throws(VestryError) in try keychain.add(itemClass, attributes: attributes) }
    }

    func updateCode(
        _ query: ItemQuery, _ attributes: [ItemAttribute: AttributeValue]
    ) -> VestryError.Code? {
        code { () throws(VestryError) in try keychain.update(query, set: attributes) }
    }

    func secret(_ query: ItemQuery) throws -> String? {
        try keychain.find(query, wantingSecrets: true).records.first?.withSecret { text($0) }
    }

    /// Two items that differ in one attribute alone can stand side by side exactly when that
    /// attribute is part of the primary key.
    @Test(arguments: QueryTests.settable)
    func duplicatesGoByThePrimaryKeyAlone(
        _ itemClass: ItemClass, _ attribute: ItemAttribute
    ) throws {
        try keychain.add(itemClass, attributes: [:])
        #expect(addCode(itemClass, [:]) == .duplicateItem)
        let isPrimary = attribute.isPrimary(in: itemClass)
        #expect(
            addCode(itemClass, [attribute: attribute.kind.sample])
                == (isPrimary ? nil : .duplicateItem))
    }

    @Test func aSynchronizedAndAnotherItemCanStandSideBySide() {
        #expect(addCode(.genericPassword, [.account: "a"]) == nil)
        #expect(addCode(.genericPassword, [.account: "a", .synchronizable: true]) == nil)
        #expect(addCode(.genericPassword, [.account: "a", .synchronizable: 1]) == .duplicateItem)
        #expect(addCode(.internetPassword, [.account: "a"]) == nil)
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let itemClass: ItemClass
        let attributes: [ItemAttribute: AttributeValue]
        let code: VestryError.Code

        init(
            _ name: String, _ attributes: [ItemAttribute: AttributeValue],
            _ code: VestryError.Code = .parameter, of itemClass: ItemClass = .genericPassword
        ) {
            testDescription = name
            self.itemClass = itemClass
            self.attributes = attributes
            self.code = code
        }
    }

    static func accessControl(
        _ accessibility: Accessibility, _ flags: AccessControl.Flags
    ) -> AttributeValue {
        .data(AccessControl(accessibility, flags).encoded)
    }

    static let refusals = [
        Refusal("another class's attribute", [.server: "x"]),
        Refusal("a key's attribute", [.keyClass: 1], of: .certificate),
        Refusal("a text for a number", [.port: "http"], of: .internetPassword),
        Refusal("a number for a text", [.label: 1]),
        Refusal("a date that is none", [.startDate: .date(.nan)], of: .key),
        Refusal("a text too long", [.comment: .string(String(repeating: "x", count: 65_537))]),
        Refusal("the creation date", [.creationDate: .date(0)], .readOnlyAttribute),
        Refusal("the modification date", [.modificationDate: .date(0)], .readOnlyAttribute),
        Refusal("the reference", [.persistentReference: .data([])], .readOnlyAttribute),
        Refusal("a tombstone", [.tombstone: true], .readOnlyAttribute),
        Refusal("an unknown accessibility", [.accessible: "zz"]),
        Refusal("bytes that are no access control", [.accessControl: .data([1])]),
        Refusal(
            "access control for another accessibility",
            [.accessible: "ak", .accessControl: accessControl(.afterFirstUnlock, .userPresence)]),
        Refusal(
            "synchronizable and of this device: aku", [.synchronizable: true, .accessible: "aku"]),
        Refusal(
            "synchronizable and of this device: cku", [.synchronizable: true, .accessible: "cku"]),
        Refusal(
            "synchronizable and of this device: akpu", [.synchronizable: true, .accessible: "akpu"]),
        Refusal(
            "synchronizable with access control",
            [.synchronizable: true, .accessControl: accessControl(.whenUnlocked, .userPresence)]),
        Refusal(
            "biometry", [.accessControl: accessControl(.whenUnlocked, .biometryAny)], .notAvailable),
        Refusal("a group of others", [.accessGroup: "other"], .missingEntitlement),
        Refusal("an identity", [:], of: .identity),
    ]

    @Test(arguments: refusals)
    func refusesToAdd(_ refusal: Refusal) {
        #expect(addCode(refusal.itemClass, refusal.attributes) == refusal.code)
        #expect(test.home.storeEntries() == ["keybag"])
    }

    /// What cannot be added cannot be reached by an update either.
    @Test(arguments: refusals.filter { $0.itemClass == .genericPassword })
    func refusesToUpdate(_ refusal: Refusal) throws {
        try keychain.add(.genericPassword, attributes: [:], secret: SecretBytes("old"))
        let query = ItemQuery(.genericPassword)
        #expect(updateCode(query, refusal.attributes) == refusal.code)
        #expect(try secret(query) == "old")
        #expect(try test.rows().map(\.version) == [1])
    }

    @Test func anUpdateChangesWhatItNamesAndAllThatMatch() throws {
        for account in ["a", "b"] {
            try keychain.add(
                .genericPassword,
                attributes: [.service: "s", .account: .string(account), .comment: "c"],
                secret: SecretBytes(account))
        }
        try keychain.add(.genericPassword, attributes: [.service: "t"])
        let query = ItemQuery(.genericPassword, [.service: "s"])
        #expect(try keychain.update(query, set: [.label: "L", .isInvisible: true]) == 2)
        let records = try keychain.find(
            {
                var all = query
                all.limit = .all
                return all
            }(), wantingSecrets: true
        ).records
        #expect(records.map { $0[.label] } == ["L", "L"])
        #expect(records.map { $0[.comment] } == ["c", "c"])
        #expect(records.map { $0[.isInvisible] } == [true, true])
        #expect(records.map { record in record.withSecret { text($0) } } == ["a", "b"])
        // Found by the new values, and no longer by the old ones.
        #expect(try keychain.find(ItemQuery(.genericPassword, [.label: "L"])).records.count == 1)
        #expect(try keychain.update(query, secret: SecretBytes("new")) == 2)
        #expect(try secret(query) == "new")
        #expect(updateCode(ItemQuery(.genericPassword, [.service: "u"]), [:]) == .itemNotFound)
    }

    @Test func anUpdateOfAttributesLeavesTheSealedSecret() throws {
        try keychain.add(.genericPassword, attributes: [:], secret: SecretBytes("s"))
        try keychain.update(ItemQuery(.genericPassword), set: [.label: "L"])
        let row = try #require(try test.rows().first)
        #expect((row.version, row.valueVersion) == (2, 1))
        try keychain.update(ItemQuery(.genericPassword), set: [.accessible: "ck"])
        #expect(try secret(ItemQuery(.genericPassword)) == "s")
        #expect(try test.rows().map(\.valueVersion) == [3])
    }

    @Test func anUpdateToAnExistingPrimaryKeyIsADuplicateAndChangesNothing() throws {
        for account in ["a", "b"] {
            try keychain.add(.genericPassword, attributes: [.account: .string(account)])
        }
        #expect(
            updateCode(ItemQuery(.genericPassword, [.account: "a"]), [.account: "b"])
                == .duplicateItem)
        // Both to one.
        #expect(updateCode(ItemQuery(.genericPassword), [.account: "c"]) == .duplicateItem)
        #expect(
            try test.rows().map(\.version) == [1, 1])
        #expect(updateCode(ItemQuery(.genericPassword, [.account: "a"]), [.account: "a"]) == nil)
        #expect(updateCode(ItemQuery(.genericPassword, [.account: "a"]), [.account: "c"]) == nil)
        #expect(
            code { () throws(VestryError) in
                _ = try keychain.find(ItemQuery(.genericPassword, [.account: "a"]))
            } == .itemNotFound)
    }

    @Test func theUserInsideOfTheAccountCannotBeChanged() throws {
        try keychain.add(.genericPassword, attributes: [.multiUser: .data([1])])
        #expect(updateCode(ItemQuery(.genericPassword), [.multiUser: .data([2])]) == nil)
        #expect(
            try keychain.find(ItemQuery(.genericPassword)).records.map { $0[.multiUser] }
                == [.data([1])])
    }

    @Test func anUpdateCanMakeAnItemSynchronizable() throws {
        try keychain.add(
            .genericPassword, attributes: [.accessible: "aku"], secret: SecretBytes("s"))
        let query = ItemQuery(.genericPassword)
        #expect(updateCode(query, [.synchronizable: true]) == .parameter)
        #expect(updateCode(query, [.synchronizable: true, .accessible: "ak"]) == nil)
        #expect(updateCode(query, [.label: "x"]) == .itemNotFound)
        var any = query
        any.synchronizable = .any
        #expect(try secret(any) == "s")
    }

    @Test func aDeletionTakesAllThatMatchAndNothingElse() throws {
        for account in ["a", "b", "c"] {
            try keychain.add(
                .genericPassword,
                attributes: [.account: .string(account), .service: account == "c" ? "t" : "s"])
        }
        let query = ItemQuery(.genericPassword, [.service: "s"])
        #expect(try keychain.delete(query) == 2)
        #expect(code { () throws(VestryError) in try keychain.delete(query) } == .itemNotFound)
        #expect(try test.rows().count == 1)
        var labelled = ItemQuery(.genericPassword)
        labelled.label = .contains("x")
        #expect(code { () throws(VestryError) in try keychain.delete(labelled) } == .itemNotFound)
    }

    @Test func onlyASearchCanSkip() throws {
        try keychain.add(.genericPassword, attributes: [:])
        var skipping = ItemQuery(.genericPassword)
        skipping.authenticationUI = .skip
        var readable = ItemQuery(.genericPassword)
        readable.isOnlyReadable = true
        for query in [skipping, readable] {
            #expect(updateCode(query, [:]) == .parameter)
            #expect(code { () throws(VestryError) in try keychain.delete(query) } == .parameter)
        }
    }

    @Test func anExpiredItemIsNotFoundAndTheNextWriteRemovesIt() throws {
        let past = currentTime() - 10
        let query = ItemQuery(.genericPassword, [.service: "s"])
        try keychain.add(
            .genericPassword, attributes: [.service: "s", .expirationDate: .date(past + 3600)])
        #expect(
            try keychain.find(query).records.map { $0[.expirationDate] }
                == [.date((past + 3600).rounded(.up))])
        try keychain.update(query, set: [.expirationDate: .date(past)])
        #expect(code { () throws(VestryError) in _ = try keychain.find(query) } == .itemNotFound)
        let key = ItemKey(service: "s", account: "")
        #expect(
            code { () throws(VestryError) in _ = try keychain.secret(for: key) } == .itemNotFound)
        #expect(try keychain.items().items == [])
        #expect(try test.rows().count == 1)
        // Also while its class is locked.
        try keychain.lock()
        try keychain.add(.genericPassword, attributes: [.service: "t", .accessible: "ck"])
        #expect(try test.rows().count == 1)
        try test.unlock()
        try keychain.add(.genericPassword, attributes: [.service: "s"])
    }

    @Test func anEndCanBeTakenBack() throws {
        let query = ItemQuery(.genericPassword)
        try keychain.add(
            .genericPassword, attributes: [.expirationDate: .date(currentTime() + 1000)])
        try keychain.update(query, set: [.expirationDate: .date(.infinity)])
        #expect(try keychain.find(query).records.map { $0[.expirationDate] } == [nil])
    }
}
