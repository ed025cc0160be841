internal import ItemStore
internal import Keybag
internal import KeyClasses
internal import LinuxSystem
public import SecureMemory

extension Keychain {
    /// Looks at every byte of the keychain that can be looked at now, and changes nothing.
    ///
    /// That is the keybag, the item file, of each item its attributes, its secret and its tags, the
    /// secrets that items had before, the deleted items, and the same of each snapshot.
    ///
    /// Secrets that ask for the user are compared with the digests that their attributes hold.
    ///
    /// - Returns: What is damaged, and how many items are whole, or locked.
    /// - Throws: ``VestryError`` when nothing can be said: with the code
    ///   ``VestryError/Code/noSuchKeychain``, ``VestryError/Code/denied``,
    ///   ``VestryError/Code/newerFormat``, ``VestryError/Code/notAvailable`` or
    ///   ``VestryError/Code/busy``.
    public func check() throws(VestryError) -> CheckReport {
        try check(presence: [:])
    }

    /// Looks at the keychain as ``check()`` does, and opens secrets that ask for the user.
    ///
    /// - Parameter password: The login password.
    /// - Returns: What is damaged, and how many items are whole, or locked.
    /// - Throws: ``VestryError`` as ``check()`` and ``unlock(password:)``.
    public func check(
        password: borrowing SecretBytes
    ) throws(VestryError) -> CheckReport {
        try check(presence: presenceKeys(password: password))
    }

    private func check(presence: PresenceKeyTable) throws(VestryError) -> CheckReport {
        var report = CheckReport()
        let store: OpenStore
        do throws(VestryError) {
            store = try openStore()
        } catch  where error.code == .damaged {
            report.findings.append(.keybag(error.detail))
            report.isWithoutKeybag = true
            let directory = try openDirectory()
            let file = try mappingErrors { () throws(ItemStoreError) in
                try ItemFileExamination.open(in: directory, storeID: nil, isWriter: false)
            }
            if let file { report.findings += file.faults.map(CheckReport.Finding.file) }
            return report
        }
        let file: ItemFileExamination?
        do throws(ItemStoreError) {
            file = try ItemFileExamination.open(
                in: store.files.directory, storeID: store.storeID.bytes, isWriter: false)
        } catch .foreignStore {
            report.findings.append(.file(ItemStoreError.foreignStore.publicError.detail))
            return report
        } catch {
            throw error.publicError
        }
        if let file {
            report.findings += file.faults.map(CheckReport.Finding.file)
            let items = try store.verdicts(on: file, presence: presence)
            report.add(items: items)
            report.add(past: try store.pastVerdicts(on: file, items: items, presence: presence))
        } else if let missing = try store.missingItems() {
            report.findings.append(.file(missing.detail))
        }
        for snapshot in (try? snapshots()) ?? [] {
            try check(snapshot, of: store, presence: presence, &report)
        }
        return report
    }

    /// Looks at a snapshot as at the keychain itself.
    private func check(
        _ snapshot: Snapshot, of store: borrowing OpenStore, presence: PresenceKeyTable,
        _ report: inout CheckReport
    ) throws(VestryError) {
        var findings: [CheckReport.Finding] = []
        var verdicts: [RowVerdict] = []
        do throws(VestryError) {
            let folder = try directory(of: snapshot)
            do throws(KeybagError) {
                let keybag = try Keybag.read(in: folder)
                if keybag == nil && processKeys == nil {
                    findings.append(.keybag("its keybag is missing"))
                }
            } catch {
                findings.append(.keybag(error.publicError(of: Keybag.fileName).detail))
            }
            let file = try mappingErrors { () throws(ItemStoreError) in
                try ItemFileExamination.open(
                    in: folder, storeID: store.storeID.bytes, isWriter: false)
            }
            if let file {
                findings += file.faults.map(CheckReport.Finding.file)
                verdicts = try store.verdicts(on: file, presence: presence, isSnapshot: true)
                verdicts += try store.pastVerdicts(
                    on: file, items: verdicts, presence: presence, isSnapshot: true)
            }
        } catch .itemNotFound {
            // Another program has removed it meanwhile.
            return
        } catch  where Self.saysNothingOfSnapshots(error) {
            throw error
        } catch {
            findings.append(.file(error.detail))
        }
        findings += verdicts.compactMap(\.finding)
        report.add(snapshot, findings, verdicts)
    }

    private static func saysNothingOfSnapshots(_ error: VestryError) -> Bool {
        switch error.code {
        case .notAvailable, .busy: true
        default: false
        }
    }

    /// The keys of the presence classes, from the unlock service.
    func presenceKeys(
        password: borrowing SecretBytes
    ) throws(VestryError) -> PresenceKeyTable {
        var keys: PresenceKeyTable = [:]
        for keyClass in KeyClass.allCases where keyClass.residence == .nowhere {
            do throws(VestryError) {
                let key =
                    if let processKeys {
                        try processKeys.presenceKey(keyClass, password: password)
                    } else {
                        try UnlockRequest.authorize(keyClass, password: password)
                    }
                keys[keyClass] = PresenceKeys.Held(key)
            } catch .notAvailable {
                // Another machine's: their values are compared with their digests.
            }
        }
        return keys
    }
}

extension CheckReport {
    fileprivate mutating func add(items verdicts: [RowVerdict]) {
        for verdict in verdicts {
            switch verdict.state {
            case .sound: soundCount += 1
            case .locked: lockedCount += 1
            default: break
            }
            if verdict.hasUnopenedSecret { unopenedSecretCount += 1 }
            if let finding = verdict.finding { findings.append(finding) }
        }
    }

    fileprivate mutating func add(past verdicts: [RowVerdict]) {
        for verdict in verdicts {
            switch verdict.state {
            case .sound: past.sound += 1
            case .locked: past.locked += 1
            default: break
            }
            if verdict.hasUnopenedSecret { unopenedSecretCount += 1 }
            guard let finding = verdict.finding else { continue }
            if finding.kind != .newer { past.damaged += 1 }
            findings.append(finding)
        }
    }

    /// Counts a snapshot once, by the worst of what it holds.
    fileprivate mutating func add(
        _ snapshot: Snapshot, _ found: [Finding], _ verdicts: [RowVerdict]
    ) {
        if found.contains(where: { $0.kind != .newer }) {
            snapshots.damaged += 1
        } else if verdicts.contains(where: { $0.state == .outdated }) {
            snapshots.outdated += 1
        } else if verdicts.contains(where: { $0.state == .locked }) {
            snapshots.locked += 1
        } else {
            snapshots.sound += 1
        }
        for finding in found {
            findings.append(finding.found(in: snapshot))
        }
    }
}

extension CheckReport.Finding {
    fileprivate func found(in snapshot: Snapshot) -> Self {
        var finding = Self(
            kind: kind == .newer ? .newer : .snapshot, detail: detail, record: record,
            reference: reference)
        finding.oldSecretNumber = oldSecretNumber
        finding.snapshot = snapshot.name
        return finding
    }

    static func keybag(_ detail: String) -> Self {
        Self(kind: .keybag, detail: detail, record: nil, reference: nil)
    }

    static func file(_ detail: String) -> Self {
        Self(kind: .file, detail: detail, record: nil, reference: nil)
    }
}
