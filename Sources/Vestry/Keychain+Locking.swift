internal import CUnlockProtocol
internal import KernelKeyring
internal import Keybag
internal import KeyClasses
internal import LinuxSystem

extension KeyClass {
    /// The class in the words of the command line.
    fileprivate var word: String {
        if let accessibility = Accessibility.allCases.first(where: { $0.keyClass == self }) {
            return accessibility.rawValue
        }
        return switch self {
        case .presence: "presence"
        case .presenceThisDeviceOnly: "presence-this-device-only"
        default: "\(self)"
        }
    }
}

extension Keychain {
    /// Looks what can be read now, without reading an item.
    ///
    /// - Returns: The state at this moment; it can change at any time.
    public func status() -> KeychainStatus {
        if let processKeys { return processKeys.status() }
        var status = lockStatus()
        // A host can outlive the session that it opened, and the kernel knows better.
        if status.reason != .noSession { status.sessions = LoginSession.all(of: account.user) }
        if status.error == nil, let store = try? openStore() { add(store, to: &status) }
        return status
    }

    /// Looks as ``status()`` does, and asks the unlock service for what only root can look at.
    ///
    /// That is, where nothing is open, whether the account has a password at all, and where this-device-only
    /// items alone are locked, whether the device key is why. The service has a second for the first and
    /// eight for the second, which can take a TPM; where it does not answer, this is ``status()``.
    ///
    /// - Returns: The state at this moment, ``KeychainStatus/State/noPassword`` among them.
    public func statusOfAccount() -> KeychainStatus {
        var status = status()
        guard processKeys == nil else { return status }
        if [.noStore, .locked].contains(status.state) {
            if (try? Self.askUnlockService(timeoutSeconds: 1)) == .accountWithoutPassword {
                return status.ofAccountWithoutPassword()
            }
        } else if status.isOfAnotherMachine {
            switch try? Self.askForDeviceKey() {
            case .fits: status.deviceKeyFault = .missed
            case .shut: status.deviceKeyFault = .shut
            case .missing: status.deviceKeyFault = .missing
            case .ofAnother, nil: break
            }
            status.isOfAnotherMachine = status.deviceKeyFault == nil
        }
        return status
    }

    /// What the keybag says besides.
    private func add(_ store: borrowing OpenStore, to status: inout KeychainStatus) {
        status.hasLoginPassword = store.keybag.has(.loginPassword)
        let behind = status.hasLoginPassword ? store.keybag.classesWithoutLoginPassword : []
        if !behind.isEmpty {
            status.classesBehind = behind.map(\.word)
            let login = store.keybag.protectors.first { $0.kind == .loginPassword }
            status.behindSince = login.flatMap { $0.createdAt == 0 ? nil : Int64($0.createdAt) }
        }
        guard status.state == .unlocked || status.state == .afterFirstUnlock,
            !behind.contains(.afterFirstUnlockThisDeviceOnly)
        else { return }
        do throws(VestryError) {
            guard try store.key(.afterFirstUnlockThisDeviceOnly) == nil else { return }
        } catch {
            // The keyring's failure says nothing of the machine.
            return
        }
        // Or the device key's fault; a copied home is what there is most of.
        status.isOfAnotherMachine = true
    }

    /// A damaged item file is found here and not by the first program that needs a secret.
    private func itemFault(of store: borrowing OpenStore) throws(VestryError) -> KeychainStatus? {
        do throws(VestryError) {
            _ = try store.itemsForReading() == nil
            return nil
        } catch {
            var status = KeychainStatus(failure: error)
            status.isRepairLocked = error.code == .damaged ? try store.key(.index) == nil : false
            return status
        }
    }

    private func lockStatus() -> KeychainStatus {
        do {
            let store = try openStore()
            if let fault = try itemFault(of: store) { return fault }
            // A local, because a closure cannot capture a borrowed store.
            let keybag = store.keybag
            let note = try mappingErrors { () throws(KeyringError) in
                try store.keyring.loginNote()
            }
            let mismatch = note?.cause == .otherPassword ? note?.since : nil
            switch store.keyring.lockState(isGenuine: { keybag.accepts($0) }) {
            case .unavailable(let error):
                return KeychainStatus(failure: error.publicError)
            case .locked:
                let reason: KeychainStatus.Reason =
                    switch note?.cause {
                    case .otherPassword: .passwordMismatch
                    case .otherSecret: .otherSecret
                    case nil: .notUnlocked
                    }
                return KeychainStatus(.locked, reason, mismatchSince: mismatch)
            case .unlocked:
                return KeychainStatus(.unlocked, .sessionOpen, mismatchSince: mismatch)
            case .afterFirstUnlock:
                let hasSession = try mappingErrors { () throws(KeyringError) in
                    try store.keyring.hasPresence()
                }
                return KeychainStatus(
                    .afterFirstUnlock, hasSession ? .sessionLocked : .noSession,
                    mismatchSince: mismatch)
            }
        } catch .noSuchKeychain {
            return KeychainStatus(.noStore, .neverEnrolled)
        } catch {
            return KeychainStatus(failure: error)
        }
    }

    /// Drops the keys of the WhenUnlocked classes, as a screen lock does.
    ///
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/notAvailable`` or
    ///   ``VestryError/Code/denied`` when the kernel keyring cannot be used. Nothing to lock is not
    ///   an error.
    public func lock() throws(VestryError) {
        if let processKeys { return processKeys.lock() }
        try mappingErrors { () throws(KeyringError) in try KernelKeyring.dropHeldKeys() }
        try mappingErrors { () throws(KeyringError) in try KernelKeyring.lock() }
    }

    /// Drops every key: nothing can be read until the next unlock, cron jobs included.
    ///
    /// - Throws: ``VestryError`` as ``lock()``.
    public func lockAll() throws(VestryError) {
        if let processKeys { return processKeys.lockAll() }
        try mappingErrors { () throws(KeyringError) in try KernelKeyring.dropHeldKeys() }
        try mappingErrors { () throws(KeyringError) in try KernelKeyring.lockAll() }
    }

    /// Sleeps until items of a class can be read.
    ///
    /// It sleeps in the kernel until the session helper reports an unlock, and does nothing until
    /// then. Only where the folder of those reports is missing, as without the unlock service, does it
    /// look every two seconds. A keychain that is not there yet is waited for.
    ///
    /// - Parameters:
    ///   - accessibility: The class.
    ///   - timeout: How long to wait at most; nil for ever.
    /// - Returns: True as soon as the class is readable, false when the time was over first.
    /// - Throws: ``VestryError`` when waiting cannot help: the keychain is damaged or must not be
    ///   used, or the kernel keyring is not available.
    public func wait(
        for accessibility: Accessibility = .afterFirstUnlock, timeout: Duration? = nil
    ) throws(VestryError) -> Bool {
        let clock = ContinuousClock()
        let end = timeout.map { clock.now + $0 }
        // Before the first look, so that no unlock falls between look and watch.
        var watch = unlockWatch()
        // Nobody reports the unlock of a keychain for tests.
        let step = processKeys == nil ? Duration.seconds(2) : .milliseconds(10)
        while try !isReadable(accessibility) {
            let rest = end.map { $0 - clock.now } ?? .seconds(86_400)
            guard rest > .zero else { return false }
            if let changes = watch?.wait(atMost: rest) {
                if changes.isOver { watch = nil }
            } else {
                pause(min(rest, step))
                watch = unlockWatch()
            }
        }
        return true
    }

    private func unlockWatch() -> DirectoryWatch? {
        processKeys == nil ? DirectoryWatch(path: VESTRY_UNLOCK_EVENTS_DIRECTORY) : nil
    }

    /// Whether items of a class can be read at this moment.
    package func isReadable(_ accessibility: Accessibility) throws(VestryError) -> Bool {
        do throws(VestryError) {
            let store = try openStore()
            guard try store.key(.index) != nil else { return false }
            return try store.key(accessibility.keyClass) != nil
        } catch .noSuchKeychain {
            return false
        }
    }
}
