internal import ItemStore
internal import Keybag
internal import KeyClasses
internal import LinuxSystem
public import SecureMemory

extension Keychain {
    /// Looks at every byte of the keychain that can be looked at now, and changes nothing.
    ///
    /// That is the keybag, the item file, and of each item its attributes, its secret and its tags.
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
                in: store.directory, storeID: store.storeID.bytes, isWriter: false)
        } catch .foreignStore {
            report.findings.append(.file(ItemStoreError.foreignStore.publicError.detail))
            return report
        } catch {
            throw error.publicError
        }
        guard let file else { return report }
        report.findings += file.faults.map(CheckReport.Finding.file)
        for verdict in try store.verdicts(on: file, presence: presence) {
            switch verdict.state {
            case .sound: report.soundCount += 1
            case .locked: report.lockedCount += 1
            default: break
            }
            if let finding = verdict.finding { report.findings.append(finding) }
        }
        return report
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

extension CheckReport.Finding {
    static func keybag(_ detail: String) -> Self {
        Self(kind: .keybag, detail: detail, record: nil, reference: nil)
    }

    static func file(_ detail: String) -> Self {
        Self(kind: .file, detail: detail, record: nil, reference: nil)
    }
}
