import Foundation
import SecureMemory
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// A backup as the first release wrote it: format 1.
///
/// Every later release reads it: no secret is ever lost.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct GoldenBackupTests {
    let path: String

    init() throws {
        let place = Bundle.module.url(
            forResource: "backup-1", withExtension: nil, subdirectory: "Golden")
        path = try #require(place).path
    }

    @Test func itsItemsComeIntoANewStore() throws {
        let test = try TestKeychain()
        let backup = try Backup(file: path, secret: .passphrase(SecretBytes("correct horse")))
        let contents = try backup.contents()
        #expect(
            contents
                == Backup.Contents(
                    date: 1_796_047_529, itemCount: 4, left: LeftItems(thisDeviceOnly: 1)))
        let report = try test.keychain.restore(backup)
        #expect(report.count(of: .added) == 4)

        func record(_ itemClass: ItemClass, _ account: String) throws -> ItemRecord {
            let query = ItemQuery(itemClass, [.account: .string(account)])
            return try #require(try test.attended.find(query, wantingSecrets: true).records.first)
        }
        let alice = try record(.genericPassword, "alice")
        #expect(alice.string == "secret of the golden backup")
        #expect(alice[.service] == "golden service" && alice[.label] == "A label")
        #expect(alice[.comment] == "A comment" && alice[.expirationDate] == .date(4_102_444_800))
        #expect(alice.accessibility == .whenUnlocked)
        #expect(alice.persistentReference == bytes(hex: "ed694977d4ce40c4dd97bfe352d939d3"))
        #expect(try wholeSeconds(#require(alice[.creationDate]?.date)) == 1_796_047_528)
        let bob = try record(.internetPassword, "bob")
        #expect(bob.withSecret { $0.exposed } == [0, 255])
        #expect(bob[.server] == "golden.example.org" && bob[.networkProtocol] == "htps")
        #expect(bob[.port] == .number(8443) && bob[.path] == "/p")
        let carol = try record(.genericPassword, "carol")
        #expect(carol.string == "asks" && carol.accessControl == .userPresence)
        let dave = try record(.genericPassword, "dave")
        #expect(dave.string == String(repeating: "x", count: 70_000))
    }

    @Test func anotherPassphraseDoesNotOpenIt() {
        var found: VestryError.Code?
        do {
            _ = try Backup(file: path, secret: .passphrase(SecretBytes("battery staple")))
        } catch {
            found = error.code
        }
        #expect(found == .wrongPassword)
    }
}
