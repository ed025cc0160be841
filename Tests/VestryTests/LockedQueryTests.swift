import KeyClasses
import SecureMemory
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// Queries while part of the items is locked: locked is never "not found", and a list never silently
/// shorter.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct LockedQueryTests {
    let test: TestKeychain
    var keychain: Keychain { test.keychain }

    /// One item that stays readable, and one that is locked, in this order.
    init() throws {
        test = try TestKeychain()
        try keychain.add(
            .genericPassword, attributes: [.service: "s", .account: "open", .accessible: "ck"],
            secret: SecretBytes("1"))
        try keychain.add(
            .genericPassword, attributes: [.service: "s", .account: "shut", .accessible: "ak"],
            secret: SecretBytes("2"))
        try keychain.lock()
    }

    func findCode(_ query: ItemQuery) -> VestryError.Code? {
        code { () throws(VestryError) in _ = try keychain.find(query, wantingSecrets: true) }
    }

    @Test func whatIsReadableIsRead() {
        #expect(findCode(ItemQuery(.genericPassword, [.account: "open"])) == nil)
        // One is enough, and it comes first.
        #expect(findCode(ItemQuery(.genericPassword, [.service: "s"])) == nil)
    }

    @Test func whatIsLockedIsNotAbsent() {
        #expect(findCode(ItemQuery(.genericPassword, [.account: "shut"])) == .locked)
        #expect(findCode(ItemQuery(.genericPassword, [.account: "none"])) == .itemNotFound)
        #expect(findCode(ItemQuery(.genericPassword, [.accessible: "ak"])) == .locked)
        #expect(findCode(ItemQuery(.internetPassword)) == .itemNotFound)
    }

    @Test func aListIsNotSilentlyShorter() throws {
        var query = ItemQuery(.genericPassword)
        query.limit = .all
        #expect(findCode(query) == .locked)
        query.isOnlyReadable = true
        let matches = try keychain.find(query)
        #expect(matches.records.map { $0[.account] } == ["open"])
        #expect(matches.lockedCount == 1)
        query.attributes = [.account: "shut"]
        #expect(try keychain.find(query).records.isEmpty)
        #expect(try keychain.find(query).lockedCount == 1)
    }

    /// Whether a locked item has a label like this, nobody can tell.
    @Test func whatMayMatchIsLocked() {
        var query = ItemQuery(.genericPassword, [.account: "shut"])
        query.label = .contains("x")
        #expect(findCode(query) == .locked)
        #expect(code { () throws(VestryError) in try keychain.delete(query) } == .locked)
        query.attributes = [.account: "open"]
        #expect(findCode(query) == .itemNotFound)
    }

    @Test func anUpdateOfALockedItemChangesNothing() throws {
        let all = ItemQuery(.genericPassword, [.service: "s"])
        #expect(
            code { () throws(VestryError) in try keychain.update(all, set: [.label: "L"]) }
                == .locked)
        #expect(try test.rows().map(\.version) == [1, 1])
        // Neither may an item move to a locked class.
        let open = ItemQuery(.genericPassword, [.account: "open"])
        #expect(
            code { () throws(VestryError) in try keychain.update(open, set: [.accessible: "ak"]) }
                == .locked)
        #expect(try keychain.update(open, set: [.label: "L"]) == 1)
    }

    @Test func addingUnderALockedClassIsLocked() {
        #expect(
            code { () throws(VestryError) in
                try keychain.add(.genericPassword, attributes: [.account: "new"])
            } == .locked)
        // A locked duplicate is a duplicate.
        #expect(
            code { () throws(VestryError) in
                try keychain.add(
                    .genericPassword,
                    attributes: [.service: "s", .account: "shut", .accessible: "ck"])
            } == .duplicateItem)
    }

    @Test func lockedItemsCanBeDeleted() throws {
        #expect(try keychain.delete(ItemQuery(.genericPassword, [.service: "s"])) == 2)
        #expect(try test.rows().isEmpty)
    }

    @Test func withoutTheIndexKeyEverythingIsLocked() throws {
        try keychain.lockAll()
        let query = ItemQuery(.genericPassword, [.account: "none"])
        #expect(findCode(query) == .locked)
        #expect(code { () throws(VestryError) in try keychain.delete(query) } == .locked)
        #expect(
            code { () throws(VestryError) in try keychain.update(query, set: [:]) } == .locked)
        #expect(
            code { () throws(VestryError) in
                try keychain.add(.genericPassword, attributes: [.accessible: "ck"])
            } == .locked)
    }

    /// An unlocked keychain without the key of that class belongs to an account without a password.
    @Test func withoutALoginPasswordItsClassRefusesNewItems() throws {
        func add() -> VestryError.Code? {
            code { () throws(VestryError) in
                try keychain.add(.key, attributes: [.accessible: "akpu"])
            }
        }
        #expect(add() == .locked)
        try test.unlock(KeyClass.allCases.filter { $0 != .whenPasscodeSetThisDeviceOnly })
        #expect(add() == .wrongPassword)
        #expect(
            code { () throws(VestryError) in
                try keychain.update(ItemQuery(.genericPassword), set: [.accessible: "akpu"])
            } == .wrongPassword)
        try test.unlock()
        #expect(add() == nil)
    }
}
