internal import CUnlockProtocol
internal import ItemStore
internal import Keybag
internal import KeyClasses
public import SecureMemory

/// Makes new class keys, and forgets old ones: the unlock service, or a test in its place.
struct RotationService: Sendable {
    /// Gives classes new keys, those whose rotation is not over excepted, and puts them into the kernel.
    let begin: @Sendable ([KeyClass]) throws(VestryError) -> Void
    /// Forgets the old keys of classes.
    let end: @Sendable ([KeyClass]) throws(VestryError) -> Void
    /// Gets the newest key of a class that is never in the kernel.
    let presenceKey: PresenceAuthorizer
}

extension Keychain {
    /// Changes the keys of classes, and seals everything anew that they sealed.
    ///
    /// Reads and writes go on meanwhile. When it is interrupted, everything can be read, and another call
    /// goes on where it was: a class whose rotation is not over gets no second new key. An old key is
    /// forgotten when nothing in the keychain needs it any more; snapshots that were made before open with
    /// it alone, and cannot be restored then.
    ///
    /// The key of the index, which finds items and opens nothing, stays.
    ///
    /// - Parameters:
    ///   - classes: Which classes; all of them unlocked.
    ///   - password: The login password.
    /// - Returns: What was done, and what keeps an old key.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/locked`` when one of the classes is or
    ///   becomes locked, and the codes of ``unlock(password:)`` and ``makeSnapshot(_:)``.
    public func rotate(
        _ classes: [RotationClass] = RotationClass.allCases, password: borrowing SecretBytes
    ) throws(VestryError) -> RotationReport {
        guard processKeys == nil else {
            throw VestryError(.unimplemented, detail: "a keychain for tests keeps its keys")
        }
        // Asked for once, and needed several times.
        let kept = KeptPassword(password)
        let service = RotationService(
            begin: { keyClasses throws(VestryError) in
                let request = UnlockRequest(
                    VESTRY_VERB_BEGIN_ROTATION, password: kept.password, classes: keyClasses)
                _ = try UnlockRequest.outcome(result: request.send(to: VESTRY_UNLOCK_SOCKET_PATH))
            },
            end: { keyClasses throws(VestryError) in
                let request = UnlockRequest(
                    VESTRY_VERB_END_ROTATION, password: SecretBytes(copying: [UInt8]().span),
                    classes: keyClasses)
                _ = try UnlockRequest.outcome(result: request.send(to: VESTRY_UNLOCK_SOCKET_PATH))
            },
            presenceKey: { keyClass throws(VestryError) in
                try UnlockRequest.authorize(keyClass, password: kept.password)
            })
        return try rotate(classes, by: service)
    }

    private final class KeptPassword: Sendable {
        let password: SecretBytes

        init(_ password: borrowing SecretBytes) {
            self.password = password.withBytes { SecretBytes(copying: $0) }
        }
    }

    func rotate(
        _ classes: [RotationClass], by service: RotationService
    ) throws(VestryError) -> RotationReport {
        let keyClasses = classes.map(\.keyClass)
        try checkUnlocked(keyClasses)
        let directory = try openDirectory()
        _ = try makeSnapshot(of: directory, .rotation)
        try service.begin(keyClasses)

        var presence: [KeyClass: PresenceKeys.Held] = [:]
        for keyClass in keyClasses where keyClass.residence == .nowhere {
            presence[keyClass] = PresenceKeys.Held(try service.presenceKey(keyClass))
        }
        var report = RotationReport()
        var left: [[UInt8]: String] = [:]
        for place in RowPlace.allCases {
            var last = Int64.min
            while let batch = try resealBatch(of: place, after: last, keyClasses, presence) {
                last = batch.last
                report.resealedCount += batch.resealedCount
                left.merge(batch.left) { first, _ in first }
            }
        }
        let finished = try finishEpochs(of: keyClasses)
        if !finished.isEmpty { try service.end(finished) }
        report.finished = classes.filter { finished.contains($0.keyClass) }
        report.unfinished = classes.filter { !finished.contains($0.keyClass) }
        report.leftItems = left.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { RotationReport.LeftItem(persistentReference: $0.key, reason: $0.value) }
        return report
    }

    /// Before anything is begun: a rotation that cannot go on would only leave two keys.
    private func checkUnlocked(_ keyClasses: [KeyClass]) throws(VestryError) {
        let store = try openStore()
        _ = try store.tags()
        for keyClass in keyClasses where keyClass.residence != .nowhere {
            guard try store.itemKey(keyClass) != nil else { throw VestryError(.locked) }
        }
    }

    private struct Batch {
        var last: Int64
        var resealedCount = 0
        var left: [[UInt8]: String] = [:]
    }

    /// Most rows that are looked at in one transaction, and most bytes that one seals anew: others
    /// write in between.
    private static let batchRowCount = 200
    private static let batchByteCount = 4 * 1024 * 1024

    /// Seals some rows anew, as one transaction.
    ///
    /// - Returns: Nil when there are no more.
    private func resealBatch(
        of place: RowPlace, after last: Int64, _ keyClasses: [KeyClass],
        _ presence: [KeyClass: PresenceKeys.Held]
    ) throws(VestryError) -> Batch? {
        let store = try openStore()
        let tags = try store.tags()
        guard let items = try itemsForWriting(in: store, creating: false) else { return nil }
        let transaction = ItemTransaction(store, tags, items)
        try transaction.sweep()
        let rows = try mappingErrors { () throws(ItemStoreError) in
            try transaction.items.sealings(of: place, after: last, limit: Self.batchRowCount)
        }
        guard let lastNumber = rows.last?.number else { return nil }
        var batch = Batch(last: lastNumber)
        var byteCount = 0
        for row in rows {
            guard byteCount < Self.batchByteCount else { break }
            batch.last = row.number
            guard try transaction.isOfThePast(row.sealing, keyClasses) else { continue }
            let found = try mappingErrors { () throws(ItemStoreError) in
                try transaction.items.sealedRow(row.number, of: place)
            }
            guard let found else { continue }
            byteCount += found.metadata.count + (found.value?.count ?? 0)
            do throws(VestryError) {
                let resealed = try transaction.resealed(found, place, keyClasses, presence)
                try mappingErrors { () throws(ItemStoreError) in
                    try transaction.items.replaceBoxes(of: row.number, in: place, with: resealed)
                }
                batch.resealedCount += 1
                if resealed.isOfThePast(keyClasses, in: transaction.store.keybag) {
                    batch.left[found.reference] =
                        "it takes an application password, which is not known here"
                }
            } catch  where error.isOfOneItem {
                batch.left[found.reference] = error.detail
            }
        }
        if batch.resealedCount > 0 { try transaction.commit() }
        return batch
    }

    /// Lets nobody seal with the old keys of classes any more, where nothing is sealed with them.
    ///
    /// - Returns: Those classes.
    private func finishEpochs(of keyClasses: [KeyClass]) throws(VestryError) -> [KeyClass] {
        let store = try openStore()
        guard let items = try itemsForWriting(in: store, creating: true) else { return [] }
        let sealings = try mappingErrors { () throws(ItemStoreError) in try items.sealings() }
        var finished: [KeyClass] = []
        for keyClass in keyClasses {
            guard let newest = store.keybag.epoch(of: keyClass) else { continue }
            var isNeeded = false
            for sealing in sealings where !isNeeded {
                // What a newer release has sealed keeps every key.
                isNeeded = (try? sealing.isOfThePast([keyClass.rawValue: newest])) ?? true
            }
            guard !isNeeded else { continue }
            finished.append(keyClass)
            try mappingErrors { () throws(ItemStoreError) in
                try items.setLeastEpoch(newest, ofClass: keyClass.rawValue)
            }
        }
        do throws(ItemStoreError) {
            try items.commit()
        } catch {
            throw error.publicError
        }
        return finished
    }
}

extension ItemRow {
    /// Whether a box is sealed with an older key of one of these classes.
    fileprivate func isOfThePast(_ keyClasses: [KeyClass], in keybag: Keybag) -> Bool {
        guard let protection = try? Protection(self) else { return true }
        func isOld(_ keyClass: KeyClass, _ epoch: UInt32) -> Bool {
            keyClasses.contains(keyClass) && epoch < keybag.epoch(of: keyClass) ?? 0
        }
        return isOld(protection.metadataClass, epoch) || isOld(protection.valueClass, valueEpoch)
    }
}
