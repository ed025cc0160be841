import Foundation
import Testing
import VestryTestSupport

@testable import KeychainAccess

/// Items that are locked, and items that ask for the user.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct LockedTests {
    let test: TestKeychain
    let keychain: Keychain

    init() throws {
        let test = try TestKeychain()
        self.test = test
        keychain = test.use { Keychain(service: "s") }
    }

    func addBoth() throws {
        try keychain.set("one", key: "always there")
        try keychain.accessibility(.whenUnlocked).set("two", key: "locked")
        try test.store.lock()
    }

    @Test func aLockedItemIsNotAbsent() throws {
        try addBoth()
        #expect(try keychain.get("always there") == "one")
        #expect(status { _ = try keychain.get("locked") } == .interactionNotAllowed)
        #expect(status { _ = try keychain.getData("locked") } == .interactionNotAllowed)
        #expect(status { _ = try keychain.get("locked") { $0 } } == .interactionNotAllowed)
        #expect(try keychain.get("absent") == nil)
        #expect(keychain["locked"] == nil)
    }

    /// A class named for writing must hide no item from reading.
    @Test(arguments: [Accessibility.whenUnlocked, .afterFirstUnlock, .alwaysThisDeviceOnly])
    func theClassIsNoConditionOfReading(_ accessibility: Accessibility) throws {
        try addBoth()
        let keychain = keychain.accessibility(accessibility)
        #expect(try keychain.get("always there") == "one")
        #expect(status { _ = try keychain.get("locked") } == .interactionNotAllowed)
    }

    @Test(arguments: [true, false])
    func aKeychainContainsItsLockedItems(_ withoutAuthenticationUI: Bool) throws {
        func contains(_ key: String) throws -> Bool {
            try keychain.contains(key, withoutAuthenticationUI: withoutAuthenticationUI)
        }
        try addBoth()
        #expect(try contains("locked"))
        #expect(try contains("always there"))
        #expect(try contains("absent") == false)
        try test.store.lockAll()
        #expect(status { _ = try contains("locked") } == .interactionNotAllowed)
        #expect(status { _ = try contains("absent") } == .interactionNotAllowed)
    }

    @Test func listsWhatCanBeReadAndCountsTheRest() throws {
        try addBoth()
        #expect(keychain.allKeys() == ["always there"])
        #expect(keychain.allItems().count == 1)
        #expect(test.use { Keychain.allKeys(.genericPassword).count } == 1)
        #expect(try keychain.lockedItemCount() == 1)
        try test.unlock()
        #expect(keychain.allKeys() == ["always there", "locked"])
        #expect(try keychain.lockedItemCount() == 0)
    }

    @Test func lockedItemsAreNotOverwrittenAndCanBeRemoved() throws {
        try addBoth()
        #expect(status { try keychain.set("x", key: "locked") } == .interactionNotAllowed)
        #expect(
            status {
                try keychain.set("x", key: "locked", ignoringAttributeSynchronizable: false)
            } == .interactionNotAllowed)
        try test.unlock()
        #expect(try keychain.get("locked") == "two")
        try test.store.lock()
        try keychain.removeAll()
        #expect(try keychain.contains("locked", withoutAuthenticationUI: true) == false)
    }

    @Test func everythingLockedIsAnErrorEverywhere() throws {
        try addBoth()
        try test.store.lockAll()
        #expect(status { _ = try keychain.get("always there") } == .interactionNotAllowed)
        #expect(status { try keychain.set("x", key: "new") } == .interactionNotAllowed)
        #expect(status { try keychain.remove("always there") } == .interactionNotAllowed)
        #expect(status { _ = try keychain.lockedItemCount() } == .interactionNotAllowed)
        #expect(keychain.allKeys() == [])
    }

    @Test func anItemThatAsksForTheUserCanBeListedAndNotRead() throws {
        let asking = keychain.accessibility(.whenUnlocked, authenticationPolicy: .userPresence)
        try asking.set("one", key: "a")
        for keychain in [
            keychain, keychain.authenticationUI(.fail),
            keychain.authenticationContext(LAContext()), keychain.authenticationPrompt("Who?"),
        ] {
            #expect(status { _ = try keychain.get("a") } == .interactionNotAllowed)
        }
        #expect(try keychain.authenticationUI(.skip).get("a") == nil)
        #expect(try keychain.contains("a", withoutAuthenticationUI: true))
        #expect(keychain.allKeys() == ["a"])
        let entry = try #require(keychain.allItems().first)
        #expect(entry["value"] == nil)
        #expect(entry["accessibility"] as? String == "WhenUnlocked")
        // Writing and removing ask for nobody.
        try asking.set("two", key: "a")
        try keychain.remove("a")
        #expect(keychain.allKeys() == [])
    }

    @Test func aPolicyThatNothingHereCanMeetIsRefused() {
        let biometry = keychain.accessibility(.whenUnlocked, authenticationPolicy: .biometryAny)
        #expect(status { try biometry.set("x", key: "a") } == .notAvailable)
        let unknown = AuthenticationPolicy(rawValue: 1 << 40)
        let other = keychain.accessibility(.whenUnlocked, authenticationPolicy: unknown)
        #expect(status { try other.set("x", key: "a") } == .param)
        let synced = keychain.synchronizable(true)
            .accessibility(.whenUnlocked, authenticationPolicy: .userPresence)
        #expect(status { try synced.set("x", key: "a") } == .param)
        #expect(keychain.allKeys() == [])
    }

    @Test func theContextCarriesTheApplicationPassword() throws {
        let application = keychain.accessibility(
            .whenUnlocked, authenticationPolicy: .applicationPassword)
        #expect(status { try application.set("x", key: "a") } == .param)
        let context = LAContext()
        context.setCredential(Data("own".utf8), type: .applicationPassword)
        try application.authenticationContext(context).set("one", key: "a")
        #expect(try keychain.authenticationContext(context).get("a") == "one")
        try application.authenticationContext(context).set("two", key: "a")
        #expect(try keychain.authenticationContext(context).get("a") == "two")
        #expect(
            keychain.authenticationContext(context).allItems().first?["value"] as? String == "two")

        #expect(status { _ = try keychain.get("a") } == .interactionNotAllowed)
        #expect(keychain.allItems().first?["value"] == nil)
        #expect(keychain.allKeys() == ["a"])
        let other = LAContext()
        other.setCredential(Data("other".utf8), type: .applicationPassword)
        #expect(
            status { _ = try keychain.authenticationContext(other).get("a") } == .authFailed)
        #expect(keychain.authenticationContext(other).allItems().first?["value"] == nil)
        try keychain.remove("a")
        #expect(keychain.allKeys() == [])
    }

    @Test func aContextThatForbidsQuestionsCountsAsFail() {
        let context = LAContext()
        #expect(KeychainOptions().effectiveUI == .allow)
        #expect(keychain.authenticationContext(context).options.effectiveUI == .allow)
        context.interactionNotAllowed = true
        #expect(keychain.authenticationContext(context).options.effectiveUI == .fail)
        context.interactionNotAllowed = false
        context.invalidate()
        #expect(keychain.authenticationContext(context).options.effectiveUI == .fail)
        let skipping = keychain.authenticationContext(context).authenticationUI(.skip)
        #expect(skipping.options.effectiveUI == .skip)
    }

    @Test func promptAndReuseOfTheContextGoIntoEachQuery() throws {
        let context = LAContext()
        context.localizedReason = "the reason"
        context.touchIDAuthenticationAllowableReuseDuration = 10
        let asking = keychain.authenticationContext(context)
        var query = try asking.options.query(key: "a")
        #expect(query.prompt == "the reason")
        #expect(query.presenceReuseDuration == .seconds(10))
        query = try asking.authenticationPrompt("Who?").options.changeQuery(key: "a")
        #expect(query.prompt == "Who?")
        #expect(query.presenceReuseDuration == .seconds(10))
        query = try keychain.options.query(key: "a")
        #expect(query.prompt == nil && query.presenceReuseDuration == nil)
    }

    @Test(
        arguments: [
            (0, 0), (0.9, 0), (1, 1), (59.5, 59), (300, 300), (301, 300), (1e300, 300), (-1, 0),
            (.infinity, 300), (-.infinity, 0), (.nan, 0),
        ] as [(TimeInterval, Int)])
    func aReuseDurationIsBounded(_ seconds: TimeInterval, _ counts: Int) throws {
        let context = LAContext()
        context.touchIDAuthenticationAllowableReuseDuration = seconds
        let query = try keychain.authenticationContext(context).options.query(key: "a")
        #expect(query.presenceReuseDuration == .seconds(counts))
        context.invalidate()
        #expect(
            try keychain.authenticationContext(context).options.query(key: "a")
                .presenceReuseDuration == .zero)
    }
}
