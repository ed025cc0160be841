internal import Glibc
internal import ItemStore
internal import Keybag
internal import KeyClasses
internal import LinuxSystem

extension Keychain {
    /// Puts a damaged keychain right, as far as it can be: saves what opens, and throws nothing away.
    ///
    /// A keybag that is damaged is replaced by the one before the last change, or else by that of a
    /// snapshot. An item file that is missing comes back as it was in the newest snapshot that is whole.
    /// Items that open go into a new item file, with new tags; what does not open goes into a quarantine
    /// file, and comes back as it was in that snapshot, where it has it. The same goes for old secrets and
    /// deleted items, which come back from no snapshot: an item stays when only its past is damaged. Each
    /// damaged file stays beside the new one, under a name with the time. The new item file takes its
    /// place in one step, while other writers are kept out.
    ///
    /// - Parameter isDryRun: Whether only to tell what would be done.
    /// - Returns: What was done; without a step when nothing is damaged.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/damaged`` when nothing can be saved,
    ///   and the codes of ``check()``. The damaged file is in its place then.
    public func repair(isDryRun: Bool = false) throws(VestryError) -> RepairReport {
        var report = RepairReport()
        let names = KeptNames()
        let directory = try openDirectory()
        guard isDryRun || directory.descriptor.tryDirectoryLock() else {
            throw VestryError(.busy, detail: "another repair is at work")
        }
        let store = try storeWithWholeKeybag(names, isDryRun: isDryRun, &report)
        let file: ItemFileExamination?
        do throws(ItemStoreError) {
            file = try ItemFileExamination.open(
                in: directory, storeID: store.storeID.bytes, isWriter: !isDryRun)
        } catch {
            throw error.publicError
        }
        guard let file else {
            if let missing = try store.missingItems() {
                try bringBackItems(missing, of: store, names, isDryRun: isDryRun, &report)
            }
            return report
        }
        let verdicts = try store.verdicts(on: file, presence: [:])
        let past = try store.pastVerdicts(on: file, items: verdicts, presence: [:])
        report.count(verdicts)
        guard !file.faults.isEmpty || (verdicts + past).contains(where: \.isDamage) else {
            return report
        }
        guard try store.key(.index) != nil else {
            report.isLocked = true
            return report
        }
        let isNothingLeft = report.savedCount + report.unknownCount == 0 && !file.isComplete
        let isLossless = !isNothingLeft && report.savedCount == verdicts.count
        let snapshot = isLossless ? nil : newestWholeSnapshot(of: store)
        guard !isNothingLeft || snapshot != nil else {
            throw VestryError(
                .damaged,
                detail: "nothing can be read of \(ItemStore.fileName), which stays as it is")
        }
        report.add(.file, ItemStore.fileName)
        do throws(ItemStoreError) {
            var rebuilt = try RebuiltItems(verdicts, of: file, in: store, &report)
            if let snapshot {
                try restore(
                    snapshot, into: &rebuilt, everything: isNothingLeft, of: store, &report)
            }
            try rebuilt.addPast(past, of: file, &report)
            if !isDryRun {
                try rebuilt.place(in: directory, insteadOf: file, names, &report)
            }
        } catch {
            throw error.publicError
        }
        return report
    }

    /// Makes an item file that is missing anew, as it was in the newest snapshot that is whole.
    private func bringBackItems(
        _ missing: VestryError, of store: borrowing OpenStore, _ names: KeptNames, isDryRun: Bool,
        _ report: inout RepairReport
    ) throws(VestryError) {
        guard try store.key(.index) != nil else {
            report.isLocked = true
            return
        }
        guard let snapshot = newestWholeSnapshot(of: store),
            let copy = try examination(of: snapshot, of: store)
        else { throw Self.nothingWhole(missing) }
        let verdicts = try store.verdicts(on: copy, presence: [:])
        // A keychain without items in the place of a damaged one would be no repair.
        guard !verdicts.isEmpty else { throw Self.nothingWhole(missing) }
        let past = try store.pastVerdicts(on: copy, items: verdicts, presence: [:])
        report.add(.file, ItemStore.fileName)
        do throws(ItemStoreError) {
            var rebuilt = try RebuiltItems([], of: copy, in: store, &report)
            try rebuilt.restore(
                verdicts, of: copy, named: snapshot.name, everything: true, in: store, &report)
            try rebuilt.addPast(past, of: copy, &report)
            if !isDryRun { try rebuilt.create(in: store.directory, names, &report) }
        } catch {
            throw error.publicError
        }
    }

    private static func nothingWhole(_ missing: VestryError) -> VestryError {
        VestryError(.damaged, detail: "\(missing.detail), and no snapshot is whole and has items")
    }

    /// The newest snapshot in which nothing is damaged, and nothing sealed with keys that a rotation has
    /// dropped; nil where there is none.
    private func newestWholeSnapshot(of store: borrowing OpenStore) -> Snapshot? {
        let snapshots = (try? snapshots()) ?? []
        return snapshots.first { snapshot in
            guard let copy = try? examination(of: snapshot, of: store),
                let verdicts = try? store.verdicts(on: copy, presence: [:])
            else { return false }
            return copy.faults.isEmpty
                && !verdicts.contains { $0.isDamage || $0.state == .outdated }
        }
    }

    private func examination(
        of snapshot: Snapshot, of store: borrowing OpenStore
    ) throws(VestryError) -> ItemFileExamination? {
        let folder = try directory(of: snapshot)
        let storeID = store.storeID.bytes
        return try mappingErrors { () throws(ItemStoreError) in
            try ItemFileExamination.open(in: folder, storeID: storeID, isWriter: false)
        }
    }

    /// Brings back what is lost, as it was in a snapshot.
    private func restore(
        _ snapshot: Snapshot, into rebuilt: inout RebuiltItems, everything: Bool,
        of store: borrowing OpenStore, _ report: inout RepairReport
    ) throws(ItemStoreError) {
        guard let copy = try? examination(of: snapshot, of: store),
            let verdicts = try? store.verdicts(on: copy, presence: [:])
        else { return }
        try rebuilt.restore(
            verdicts, of: copy, named: snapshot.name, everything: everything, in: store, &report)
    }

    /// Opens the store, after the keybag before the last change took the place of a damaged one.
    private func storeWithWholeKeybag(
        _ names: KeptNames, isDryRun: Bool, _ report: inout RepairReport
    ) throws(VestryError) -> OpenStore {
        let cause: VestryError
        do throws(VestryError) {
            return try openStore()
        } catch  where error.code == .damaged {
            cause = error
        }
        let directory = try openDirectory()
        let (keybag, snapshot) = try wholeKeybag(insteadOf: cause, in: directory)
        let place = snapshot.map { ": as it was in snapshot \($0.name)" } ?? ""
        report.add(.keybag, cause.detail + place)
        if !isDryRun {
            let name = names.free(Keybag.fileName, in: directory)
            let hadKeybag = Self.exists(Keybag.fileName, in: directory)
            try mappingErrors { () throws(KeybagError) in
                try keybag.write(in: directory, keepingPreviousAs: name)
            }
            if hadKeybag { report.add(.kept, name) }
        }
        return OpenStore(
            StoreFiles(
                directory: directory, keybag: keybag, keybagFile: nil, isKeptOpen: false))
    }

    /// The keybag before the last change, or that of the newest snapshot with a whole one.
    private func wholeKeybag(
        insteadOf cause: VestryError, in directory: borrowing StoreDirectory
    ) throws(VestryError) -> (keybag: Keybag, snapshot: Snapshot?) {
        var second = "there is no \(Keybag.previousFileName)"
        do throws(KeybagError) {
            if let previous = try Keybag.readPrevious(in: directory) {
                if Self.fits(previous, itemsIn: directory) { return (previous, nil) }
                second = "\(Keybag.previousFileName) is of another store, or of older keys"
            }
        } catch {
            second = error.publicError(of: Keybag.previousFileName).detail
        }
        for snapshot in (try? snapshots()) ?? [] {
            guard let folder = try? self.directory(of: snapshot),
                let keybag = try? Keybag.read(in: folder),
                Self.fits(keybag, itemsIn: directory)
            else { continue }
            return (keybag, snapshot)
        }
        throw VestryError(.damaged, detail: "\(cause.detail), and \(second)")
    }

    /// Whether a keybag is that of the items: keys that open nothing here would only look like a repair.
    private static func fits(
        _ keybag: Keybag, itemsIn directory: borrowing StoreDirectory
    ) -> Bool {
        do throws(ItemStoreError) {
            let items = try ItemStore.openForReading(
                in: directory, storeID: keybag.storeID.bytes)
            guard let items else { return true }
            return try items.leastEpochs().allSatisfy { number, least in
                KeyClass(rawValue: number).flatMap { keybag.epoch(of: $0) } ?? 0 >= least
            }
        } catch .foreignStore {
            return false
        } catch {
            // Its own faults come next.
            return true
        }
    }
}

/// Names for what is kept beside the store's files.
struct KeptNames {
    private let time: String

    /// With the time of this moment, in UTC.
    init() {
        var now = time_t(currentTime())
        var buffer = [CChar](repeating: 0, count: 32)
        var parts = unsafe tm()
        _ = unsafe gmtime_r(&now, &parts)
        _ = unsafe strftime(&buffer, buffer.count, "%Y%m%dT%H%M%SZ", &parts)
        let bytes = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        time = String(decoding: bytes, as: UTF8.self)
    }

    /// A name for the damaged `name` that nothing has yet.
    func free(
        _ name: String, _ what: String = "damaged", in directory: borrowing StoreDirectory
    ) -> String {
        let wanted = "\(name).\(what)-\(time)"
        var free = wanted
        var count = 1
        while Keychain.exists(free, in: directory) {
            count += 1
            free = "\(wanted)-\(count)"
        }
        return free
    }
}

extension RowVerdict {
    /// Whether the row cannot stay as it is.
    fileprivate var isDamage: Bool {
        switch state {
        case .sound, .locked, .outdated, .newer, .withoutKey: false
        case .tags, .damaged, .unreadable, .duplicate, .withoutItem: true
        }
    }
}

extension RepairReport {
    fileprivate mutating func count(_ verdicts: [RowVerdict]) {
        for verdict in verdicts {
            switch verdict.state {
            case .sound, .tags: savedCount += 1
            case .locked, .outdated, .newer, .withoutKey: unknownCount += 1
            case .damaged, .unreadable, .duplicate, .withoutItem: break
            }
        }
    }
}
