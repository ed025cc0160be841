import Foundation
import ItemStore
import KernelKeyring
import KeyClasses
import Keybag
import LinuxSystem
import SecureMemory
import Synchronization
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// New class keys, and everything sealed anew.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
final class RotationTests {
    static let password = SecretBytes("correct horse")
    static let deviceKey = SecretBytes([UInt8](repeating: 7, count: 32))

    let home: TemporaryHome
    let keyring: KernelKeyring
    var keychain: Keychain
    let key = ItemKey(service: "git.example.org", account: "alice")
    private let turn: KernelKeyringTurn

    init() throws {
        turn = try KernelKeyringTurn()
        home = try TemporaryHome()
        let created = try Keybag.create(
            password: Self.password, deviceKey: Self.deviceKey, at: 0)
        let directory = try home.storeDirectory()
        try created.keybag.write(in: directory)
        keyring = KernelKeyring(store: created.keybag.storeID)
        keychain = Keychain(account: home.account)
        _ = try keyring.linkPresence()
        try Self.put(created.keys, into: keyring)
        let service = service()
        keychain.presenceAuthorizer = service.presenceKey
    }

    deinit { try? KernelKeyring.lockAll() }

    private static func put(_ keys: borrowing ClassKeys, into keyring: KernelKeyring) throws {
        for index in 0..<keys.count {
            guard let key = keys.key(at: index), key.keyClass.residence != .nowhere else {
                continue
            }
            if let next = keys.key(at: index + 1), next.keyClass == key.keyClass { continue }
            try keyring.put(key)
        }
    }

    private struct Interruption: Error {}

    /// What other threads do meanwhile.
    private final class Others: Sendable {
        let areToEnd = Atomic(false)
        let rounds = Atomic(0)
        let errors = Mutex<[String]>([])
    }

    /// Does what the unlock service does, in this process.
    private func service(
        beforeEnd: @escaping @Sendable () throws -> Void = {}
    ) -> RotationService {
        let (home, keyring) = (home, keyring)
        @Sendable func reported(_ body: () throws -> Void) throws(VestryError) {
            do { try body() } catch { throw VestryError(.serviceNotAvailable, detail: "\(error)") }
        }
        return RotationService(
            begin: { classes throws(VestryError) in
                try reported {
                    let directory = try home.storeDirectory()
                    guard var keybag = try Keybag.read(in: directory) else { throw Interruption() }
                    let opened = try keybag.open(
                        .loginPassword, password: Self.password, deviceKey: Self.deviceKey)
                    let keys = try keybag.beginEpoch(
                        of: classes.filter { !keybag.isRotating($0) }, opened: opened)
                    try keybag.write(in: directory)
                    try Self.put(keys, into: keyring)
                }
            },
            end: { classes throws(VestryError) in
                try reported {
                    try beforeEnd()
                    let directory = try home.storeDirectory()
                    guard var keybag = try Keybag.read(in: directory) else { throw Interruption() }
                    keybag.dropOldEpochs(of: classes)
                    try keybag.write(in: directory)
                }
            },
            presenceKey: { keyClass throws(VestryError) in
                guard let directory = try? home.storeDirectory(),
                    let keybag = try? Keybag.read(in: directory),
                    let opened = try? keybag.open(
                        .loginPassword, password: Self.password, deviceKey: Self.deviceKey),
                    let epoch = keybag.epoch(of: keyClass),
                    let key = opened.keys.key(keyClass, epoch: epoch)
                else { throw VestryError(.locked) }
                return key
            })
    }

    private func keybag() throws -> Keybag {
        let directory = try home.storeDirectory()
        return try #require(try Keybag.read(in: directory))
    }

    private func sealings() throws -> Set<RowSealing> {
        let directory = try home.storeDirectory()
        let items = try ItemStore.openForReading(in: directory, storeID: keyring.store.bytes)
        guard let items else { return [] }
        return try items.sealings()
    }

    /// Items of several classes, with old secrets and a deleted one.
    private func fill() throws {
        for secret in ["one", "two"] {
            try keychain.set(SecretBytes(secret), for: key, accessibility: .afterFirstUnlock)
            try keychain.set(
                SecretBytes(secret), for: ItemKey(service: "session", account: ""),
                accessibility: .whenUnlocked)
            try keychain.set(
                SecretBytes(secret), for: ItemKey(service: "bank", account: ""),
                accessibility: .whenUnlockedThisDeviceOnly, accessControl: .userPresence)
            try keychain.set(SecretBytes(secret), for: ItemKey(service: "gone", account: ""))
        }
        try keychain.delete(ItemKey(service: "gone", account: ""))
    }

    private func expectEverything() throws {
        for service in ["git.example.org", "session", "bank"] {
            let item = ItemKey(
                service: service, account: service == "git.example.org" ? "alice" : "")
            #expect(text(try keychain.secret(for: item)) == "two")
            try keychain.undo(item)
            #expect(text(try keychain.secret(for: item)) == "one")
            try keychain.undo(item)
        }
        let gone = ItemKey(service: "gone", account: "")
        try keychain.undo(gone)
        #expect(text(try keychain.secret(for: gone)) == "two")
        try keychain.undo(gone)
        #expect(text(try keychain.secret(for: gone)) == "one")
    }

    @Test func everythingIsSealedAnewAndTheOldKeysAreGone() throws {
        try fill()
        let report = try keychain.rotate(RotationClass.allCases, by: service())
        // Three items and a deleted one, each with an old secret.
        #expect(report.resealedCount == 8)
        #expect(report.finished == RotationClass.allCases)
        #expect(report.unfinished.isEmpty && report.leftItems.isEmpty)
        #expect(try sealings().allSatisfy { $0.epoch == 2 && $0.valueEpoch == 2 })
        for named in RotationClass.allCases {
            #expect(try keybag().epoch(of: named.keyClass) == 2)
            #expect(try !keybag().isRotating(named.keyClass))
        }
        #expect(try keychain.snapshots().map(\.reason) == [.rotation])
        // Nothing opens it any more, which is no damage.
        let check = try keychain.check()
        #expect(!check.isDamaged && check.snapshots.outdated == 1)
        try expectEverything()
    }

    @Test func oneClassIsRotatedAndTheOthersStay() throws {
        try fill()
        let report = try keychain.rotate([.whenUnlocked], by: service())
        #expect(report.resealedCount == 2)
        #expect(try keybag().epoch(of: .whenUnlocked) == 2)
        #expect(try keybag().epoch(of: .afterFirstUnlock) == 1)
        try expectEverything()
    }

    @Test func betweenOldAndNewKeysEverythingIsReadAndWritten() throws {
        try fill()
        try service().begin(RotationClass.allCases.map(\.keyClass))
        #expect(text(try keychain.secret(for: key)) == "two")
        #expect(text(try keychain.secret(for: ItemKey(service: "bank", account: ""))) == "two")
        let other = ItemKey(service: "other", account: "")
        try keychain.set(SecretBytes("new"), for: other)
        #expect(text(try keychain.secret(for: other)) == "new")
        #expect(try sealings().contains { $0.epoch == 2 })
        // What was begun is finished, and not begun anew.
        let report = try keychain.rotate(RotationClass.allCases, by: service())
        #expect(report.finished == RotationClass.allCases)
        #expect(try keybag().epoch(of: .afterFirstUnlock) == 2)
        try expectEverything()
    }

    @Test func whatStopsBeforeItsLastStepGoesOn() throws {
        try fill()
        let interrupted = service { throw Interruption() }
        #expect(
            code { () throws(VestryError) in
                _ = try keychain.rotate(RotationClass.allCases, by: interrupted)
            } == .serviceNotAvailable)
        #expect(try keybag().isRotating(.afterFirstUnlock))
        let report = try keychain.rotate(RotationClass.allCases, by: service())
        #expect(report.resealedCount == 0)
        #expect(report.finished == RotationClass.allCases)
        #expect(try keybag().epoch(of: .afterFirstUnlock) == 2)
        #expect(try !keybag().isRotating(.afterFirstUnlock))
        try expectEverything()
    }

    @Test func aWriterFromBeforeARotationSealsWithTheNewKey() throws {
        try fill()
        let store = try keychain.openStore()
        let old = try store.unlockedItemKey(.afterFirstUnlock).epoch
        #expect(old == 1)
        _ = try keychain.rotate(RotationClass.allCases, by: service())
        let tags = try store.tags()
        let items = try keychain.itemsForWriting(in: store, creating: false)
        guard let items else { throw Interruption() }
        let transaction = ItemTransaction(store, tags, items)
        try transaction.sweep()
        var changes = ItemChanges()
        changes.accessibility = .afterFirstUnlock
        _ = try transaction.insert(
            .genericPassword, changes, group: "default", secret: SecretBytes("late"))
        try transaction.commit()
        #expect(try sealings().allSatisfy { $0.epoch == 2 && $0.valueEpoch == 2 })
    }

    @Test func aReaderFromBeforeARotationReads() throws {
        try fill()
        let store = try keychain.openStore()
        let tags = try store.tags()
        _ = try store.itemKey(.afterFirstUnlock)
        _ = try keychain.rotate(RotationClass.allCases, by: service())
        guard let items = try store.itemsForReading() else { throw Interruption() }
        let transaction = ItemTransaction(store, tags, items)
        let name = try SimpleName(key, in: keychain)
        let row = try #require(try transaction.row(name, boxes: .metadataAndValue))
        let (protection, metadata) = try transaction.open(row)
        let secret = try transaction.openSecret(
            of: row, protection, metadata, presence: PresenceKeys(prompt: nil))
        #expect(text(secret) == "two")
    }

    @Test func anOlderKeybagSealsNothing() throws {
        try fill()
        let bytes = try home.read("keybag")
        _ = try keychain.rotate([.afterFirstUnlock], by: service())
        try home.write(bytes, to: "keybag")
        #expect(
            code { () throws(VestryError) in
                try keychain.set(SecretBytes("x"), for: ItemKey(service: "session", account: ""))
            } == .damaged)
    }

    @Test func anItemWithItsOwnPasswordKeepsTheOldKey() throws {
        let own = ApplicationPassword(SecretBytes("own"))
        let reference = try keychain.add(
            .genericPassword,
            attributes: [
                .service: "own",
                .accessControl: .data(
                    AccessControl(.whenUnlocked, .applicationPassword).encoded),
            ], secret: SecretBytes("one"), applicationPassword: own)
        let report = try keychain.rotate([.whenUnlocked], by: service())
        #expect(report.unfinished == [.whenUnlocked])
        #expect(report.leftItems.map(\.persistentReference) == [reference])
        #expect(report.leftItems.first?.reason.contains("application password") == true)
        let check = try keychain.check()
        #expect(!check.isDamaged && check.soundCount == 1 && check.unopenedSecretCount == 1)
        var query = ItemQuery(persistentReference: reference)
        query.applicationPassword = own
        #expect(try keychain.find(query, wantingSecrets: true).records.first?.string == "one")
        keychain.keepsHistory = false
        try keychain.update(query, secret: SecretBytes("two"))
        #expect(try keychain.rotate([.whenUnlocked], by: service()).finished == [.whenUnlocked])
        #expect(try keychain.find(query, wantingSecrets: true).records.first?.string == "two")
    }

    @Test func aDamagedItemKeepsTheOldKeyAndNothingElse() throws {
        try fill()
        let directory = try home.storeDirectory()
        let items = try ItemStore.openForWriting(
            in: directory, storeID: keyring.store.bytes, creating: false)
        guard let items else { throw Interruption() }
        let row = try #require(try items.sealedRow(1, of: .item))
        var damaged = row
        damaged.value = [1, 2, 3]
        try items.replaceBoxes(of: 1, in: .item, with: damaged)
        try items.commit()
        let report = try keychain.rotate([.afterFirstUnlock, .whenUnlocked], by: service())
        #expect(report.leftItems.map(\.persistentReference) == [row.reference])
        #expect(report.unfinished == [.afterFirstUnlock])
        #expect(text(try keychain.secret(for: ItemKey(service: "session", account: ""))) == "two")
    }

    @Test func aLockedClassBeginsNothing() throws {
        try fill()
        try KernelKeyring.lock()
        let before = try home.read("keybag")
        #expect(
            code { () throws(VestryError) in
                _ = try keychain.rotate([.whenUnlocked], by: service())
            } == .locked)
        #expect(try home.read("keybag") == before)
        #expect(try keychain.snapshots().isEmpty)
    }

    @Test func othersReadAndWriteMeanwhile() throws {
        for index in 0..<60 {
            try keychain.set(
                SecretBytes("0"), for: ItemKey(service: "s", account: "\(index)"))
        }
        let (keychain, others) = (keychain, Others())
        let group = DispatchGroup()
        for account in ["1", "30", "59"] {
            group.enter()
            Thread.detachNewThread {
                let item = ItemKey(service: "s", account: account)
                do {
                    while !others.areToEnd.load(ordering: .relaxed) {
                        let round = others.rounds.add(1, ordering: .relaxed).newValue
                        try keychain.set(SecretBytes("\(round)"), for: item)
                        guard text(try keychain.secret(for: item)) == "\(round)" else {
                            throw Interruption()
                        }
                    }
                } catch {
                    others.errors.withLock { $0.append("\(error)") }
                }
                group.leave()
            }
        }
        defer {
            others.areToEnd.store(true, ordering: .relaxed)
            group.wait()
        }
        for _ in 0..<2 {
            let report = try keychain.rotate([.afterFirstUnlock], by: service())
            #expect(report.finished == [.afterFirstUnlock])
        }
        others.areToEnd.store(true, ordering: .relaxed)
        group.wait()
        #expect(others.errors.withLock { $0 } == [])
        #expect(others.rounds.load(ordering: .relaxed) > 3)
        #expect(try sealings().allSatisfy { $0.epoch == 3 && $0.valueEpoch == 3 })
        #expect(try keychain.items(service: "s").items.count == 60)
    }
}
