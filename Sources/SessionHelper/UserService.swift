internal import CUnlockProtocol
internal import Glibc
internal import KernelKeyring
internal import Keybag
internal import KeyClasses
internal import LinuxSystem
internal import Sealing
internal import SecureMemory
internal import VestryConfiguration

/// The verbs, as they run with the user's own rights.
struct UserService: ~Copyable {
    let account: Account
    let deviceKeys: UserDeviceKeys
    let accountPassword: AccountPassword
    let configuration: Configuration
    let state: RuntimeState
    let deadline: Deadline

    init(
        account: Account, deviceKeys: consuming UserDeviceKeys,
        accountPassword: consuming AccountPassword, configuration: Configuration,
        state: consuming RuntimeState, deadline: Deadline
    ) {
        self.account = account
        self.accountPassword = accountPassword
        self.configuration = configuration
        self.deviceKeys = deviceKeys
        self.state = state
        self.deadline = deadline
    }

    func serve(_ request: borrowing Request) throws(Refusal) -> Outcome {
        switch request.verb {
        case .open: try open(password: request.password)
        case .unlock: try unlock(password: request.password, of: request.openers)
        case .rewrap, .recover:
            try rewrap(
                from: request.password, of: request.openers, to: request.newPassword)
        case .addProtector(let kind, let label):
            try addProtector(
                kind, label: label, secret: request.newPassword, openedBy: request.password,
                of: request.openers)
        case .removeProtector(let id):
            try removeProtector(id, openedBy: request.password, of: request.openers)
        case .authorize(let keyClass): try authorize(keyClass, password: request.password)
        case .close: try close()
        case .beginRotation(let classes):
            try beginRotation(of: classes, password: request.password)
        case .endRotation(let classes): try endRotation(of: classes)
        case .deviceKey: try answerForDeviceKey()
        }
    }

    // MARK: - open

    /// At a login: opens the store when there is a password, and lets the session count.
    private func open(password: borrowing SecretBytes) throws(Refusal) -> Outcome {
        guard let store = try existingStore() else {
            if let refusal = refusalToEnroll(password) {
                // Keys without a store are those of somebody who had this uid before.
                try? KernelKeyring.lockAll()
                return Outcome(refusal)
            }
            return try enroll(password: password)
        }
        let keyring = KernelKeyring(store: store.keybag.storeID)
        var outcome = Outcome(VESTRY_NO_PASSWORD)
        // First, because the session counts whether or not its password opens anything, and because
        // the keys of open sessions need their place.
        try state.withUserLock(before: deadline) { () throws(Refusal) in
            try refusing { () throws(KeyringError) in try keyring.revokeForeignKeys() }
            outcome.session(keyring.linkPresence)
            if accountPassword.isAbsent { try? KernelKeyring.drop(.whenPasscodeSetThisDeviceOnly) }
        }
        guard password.count > 0 else { return outcome }
        do throws(Refusal) {
            outcome.result = try openAtLogin(store, keyring, password: password)
        } catch {
            outcome.result = error.result
        }
        return outcome
    }

    private func openAtLogin(
        _ store: borrowing Store, _ keyring: KernelKeyring, password: borrowing SecretBytes
    ) throws(Refusal) -> vestry_result {
        let keybag = store.keybag
        let wasLocked = lockState(keybag, keyring) == .locked
        let wasOpen = try isOpen(keybag, keyring)
        let opened: OpenedProtector?
        do throws(Refusal) {
            // An open store needs no key; that the password still fits it is only worth a look when
            // nobody is waiting for a turn.
            opened = try state.withDerivationTurn(
                memoryKiB: keybag.largestDerivationKiB(of: Keybag.loginKinds),
                before: wasOpen ? Deadline(after: .zero) : deadline
            ) { () throws(Refusal) -> OpenedProtector? in
                // Of many logins at once the first does the work: the others find the keys when
                // their turn comes.
                if !wasOpen, try isOpen(keybag, keyring) { return nil }
                return try keybag.open(
                    anyOf: Keybag.loginKinds, password: password, deviceKeys: deviceKeys)
            }
        } catch {
            if wasOpen && error.result == VESTRY_BUSY { return VESTRY_ALREADY_OPEN }
            guard error.result == VESTRY_WRONG_PASSWORD else { throw error }
            return try answerToUnknown(password, with: keyring, in: store)
        }
        guard let opened else { return VESTRY_ALREADY_OPEN }
        try putUnderLock(opened, password, into: keyring, wasOpen: wasOpen, of: store)
        if wasOpen { return VESTRY_ALREADY_OPEN }
        if !wasLocked { return VESTRY_REOPENED }
        return opened.kind == .loginPassword ? VESTRY_OPENED : VESTRY_OPENED_BY_PREVIOUS
    }

    private func putUnderLock(
        _ opened: borrowing OpenedProtector, _ password: borrowing SecretBytes,
        into keyring: KernelKeyring, wasOpen: Bool, of store: borrowing Store
    ) throws(Refusal) {
        try state.withUserLock(before: deadline) { () throws(Refusal) in
            do throws(Refusal) {
                try put(opened, password, into: keyring, of: store)
            } catch  where !wasOpen {
                throw error
            } catch {
                // A used-up quota closes nothing that is open.
            }
            try? keyring.clearMismatch()
            if opened.kind == .loginPassword {
                tidy(store, opened)
            } else {
                renew(store, opened)
            }
        }
        state.announceUnlock()
    }

    /// The first password login of this person: makes the store.
    private func enroll(password: borrowing SecretBytes) throws(Refusal) -> Outcome {
        var outcome = Outcome(VESTRY_ENROLLED)
        let isFirst = try makeStore { () throws(KeybagError) in
            try Keybag.create(password: password, deviceKey: deviceKeys.present, at: now())
        } opened: { (created, keyring) throws(Refusal) in
            try refusing { () throws(KeyringError) in try keyring.revokeForeignKeys() }
            outcome.session(keyring.linkPresence)
            // The store is there, and the session counts, whatever the kernel says of the keys.
            do throws(Refusal) {
                try putNewest(created.keys, into: keyring)
            } catch {
                outcome.result = error.result
            }
        }
        return isFirst ? outcome : try open(password: password)
    }

    /// Makes the store of somebody who has none.
    ///
    /// The whole of it under the lock: of many first logins at once, one makes the store.
    ///
    /// - Parameters:
    ///   - create: Makes its keybag; when it is this process's turn to derive a key.
    ///   - opened: Gets what was made, once it is in its file.
    /// - Returns: False where a store is there by now.
    /// - Throws: `Refusal`, also of `opened`.
    func makeStore(
        _ create: () throws(KeybagError) -> CreatedKeybag,
        opened: (borrowing CreatedKeybag, KernelKeyring) throws(Refusal) -> Void
    ) throws(Refusal) -> Bool {
        if let refusal = deviceKeys.refusal { throw refusal }
        let isFirst = try state.withUserLock(before: deadline) { () throws(Refusal) -> Bool in
            guard try existingStore() == nil else { return false }
            let created = try derivingNew(create)
            let directory = try refusing { () throws(PrivateFileError) in
                try StoreDirectory.create(for: account)
            }
            let isNew = try refusing { () throws(KeybagError) in
                try created.keybag.create(in: directory)
            }
            guard isNew else { return false }
            try opened(created, KernelKeyring(store: created.keybag.storeID))
            return true
        }
        if isFirst { state.announceUnlock() }
        return isFirst
    }

    // MARK: - close

    /// After a session that was opened and then refused: nothing stays open that was not open before,
    /// unless another session of the user is, which has come to rely on it.
    private func close() throws(Refusal) -> Outcome {
        guard let store = try existingStore() else { throw Refusal(VESTRY_NO_STORE) }
        let keyring = KernelKeyring(store: store.keybag.storeID)
        return try state.withUserLock(before: deadline) { () throws(Refusal) in
            try refusing { () throws(KeyringError) in
                // The kernel lets go of a keyring a moment after its last link is gone.
                let isGone: Bool? = try Deadline(after: .seconds(1)).retry {
                    () throws(KeyringError) in try keyring.hasPresence() ? nil : true
                }
                guard isGone != nil else { return Outcome(VESTRY_ALREADY_OPEN) }
                try KernelKeyring.lockAll()
                return Outcome(VESTRY_CLOSED)
            }
        }
    }

    // MARK: - unlock

    /// Opens an existing store with a password, or another secret, that somebody typed at a prompt.
    private func unlock(
        password: borrowing SecretBytes, of kinds: [Protector.Kind]
    ) throws(Refusal) -> Outcome {
        let found = try existingStore()
        // What `vestry status` asks, which cannot look itself.
        if password.count == 0, accountPassword.isAbsent {
            throw Refusal(VESTRY_ACCOUNT_WITHOUT_PASSWORD)
        }
        guard let store = found else { throw Refusal(VESTRY_NO_STORE) }
        guard password.count > 0 else { throw Refusal(VESTRY_NO_PASSWORD) }
        let keyring = KernelKeyring(store: store.keybag.storeID)
        let opened = try derive(store.keybag, password: password, of: kinds)
        try state.withUserLock(before: deadline) { () throws(Refusal) in
            try refusing { () throws(KeyringError) in try keyring.revokeForeignKeys() }
            try put(opened, password, into: keyring, of: store)
            renew(store, opened)
        }
        state.announceUnlock()
        return Outcome(
            opened.kind == .previousPassword ? VESTRY_OPENED_BY_PREVIOUS : VESTRY_OPENED)
    }

    // MARK: - Parts

    /// Whether the store is as open as it can be at this moment, told by the keys that
    /// `KernelKeyring.lockState` looks at.
    private func isOpen(_ keybag: Keybag, _ keyring: KernelKeyring) throws(Refusal) -> Bool {
        switch lockState(keybag, keyring) {
        case .unlocked: true
        case .afterFirstUnlock:
            try !refusing { () throws(KeyringError) in try keyring.hasPresence() }
        case .locked, .unavailable: false
        }
    }

    func lockState(_ keybag: Keybag, _ keyring: KernelKeyring) -> LockState {
        keyring.lockState(isGenuine: { keybag.accepts($0) })
    }

    func derive(
        _ keybag: Keybag, password: borrowing SecretBytes,
        of kinds: [Protector.Kind] = Keybag.loginKinds
    ) throws(Refusal) -> OpenedProtector {
        try state.withDerivationTurn(
            memoryKiB: keybag.largestDerivationKiB(of: kinds), before: deadline
        ) { () throws(Refusal) in
            try keybag.open(anyOf: kinds, password: password, deviceKeys: deviceKeys)
        }
    }

    /// Puts the keys into the kernel that a secret has opened, under the user's lock.
    private func put(
        _ opened: borrowing OpenedProtector, _ secret: borrowing SecretBytes,
        into keyring: KernelKeyring, of store: borrowing Store
    ) throws(Refusal) {
        if let present = try existingStore(),
            KeyClass.allCases.contains(where: {
                present.keybag.epoch(of: $0) != store.keybag.epoch(of: $0)
            })
        {
            // A rotation has made newer keys while the secret was tried.
            let again = try derive(present.keybag, password: secret, of: [opened.kind])
            return try putNewest(again.keys, into: keyring)
        }
        try putNewest(opened.keys, into: keyring)
    }

    /// Puts the newest key of each class into the kernel: it leads to the others.
    func putNewest(
        _ keys: borrowing ClassKeys, into keyring: KernelKeyring
    ) throws(Refusal) {
        for index in 0..<keys.count {
            guard let key = keys.key(at: index) else { continue }
            if let next = keys.key(at: index + 1), next.keyClass == key.keyClass { continue }
            // What opens with the login password does so only as long as there is one.
            if key.keyClass == .whenPasscodeSetThisDeviceOnly && accountPassword.isAbsent {
                continue
            }
            try refusing { () throws(KeyringError) in _ = try keyring.put(key) }
        }
    }

    /// The store of this user, or nil when there never was one.
    ///
    /// - Throws: `VESTRY_DAMAGED` when the keybag is gone and other parts of a store are there: a new
    ///   keybag would make every item unreadable for ever.
    func existingStore() throws(Refusal) -> Store? {
        let directory = try refusing { () throws(PrivateFileError) in
            try StoreDirectory.open(of: account)
        }
        guard let directory else { return nil }
        let keybag = try refusing { () throws(KeybagError) in try Keybag.read(in: directory) }
        guard let keybag else {
            let isEmpty = try refusing { () throws(PrivateFileError) in try directory.isEmpty() }
            guard isEmpty else { throw Refusal(VESTRY_DAMAGED) }
            return nil
        }
        return Store(directory: directory, keybag: keybag)
    }
}

/// A store's folder and its keybag.
struct Store: ~Copyable {
    let directory: StoreDirectory
    let keybag: Keybag
}

extension Keybag {
    /// What a password that was typed at a login is tried against, in this order.
    static let loginKinds: [Protector.Kind] = [.loginPassword, .previousPassword]

    /// Opens with a secret by the protectors of these kinds, in this order.
    func open(
        anyOf kinds: [Protector.Kind], password: borrowing SecretBytes,
        deviceKeys: borrowing UserDeviceKeys
    ) throws(Refusal) -> OpenedProtector {
        for kind in kinds {
            do throws(KeybagError) {
                return try open(
                    kind, password: password, deviceKey: deviceKeys.present,
                    olderDeviceKeys: deviceKeys.older)
            } catch .wrongPassword {
                continue
            } catch {
                throw error.refusal
            }
        }
        throw Refusal(VESTRY_WRONG_PASSWORD)
    }
}

/// The time of the wall clock, in seconds since 1970.
func now() -> UInt64 { UInt64(max(0, time(nil))) }
