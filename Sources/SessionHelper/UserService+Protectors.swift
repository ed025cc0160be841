internal import CUnlockProtocol
internal import Glibc
internal import KernelKeyring
internal import Keybag
internal import KeyClasses
internal import LinuxSystem
internal import Sealing
internal import SecureMemory
internal import VestryConfiguration

// What changes the protectors of a keybag.
extension UserService {
    /// At a password change, and after one that was not seen: wraps the class keys under the new
    /// password.
    ///
    /// Keys that belong to another machine stay under the protectors that have them, and this machine
    /// gets its own for those classes.
    func rewrap(
        from old: borrowing SecretBytes, of kinds: [Protector.Kind], to new: borrowing SecretBytes
    ) throws(Refusal) -> Outcome {
        try state.withUserLock(before: deadline) { () throws(Refusal) in
            guard let store = try existingStore() else { throw Refusal(VESTRY_NO_STORE) }
            guard old.count > 0, new.count > 0 else { throw Refusal(VESTRY_NO_PASSWORD) }
            if let refusal = deviceKeys.refusal { throw refusal }
            var keybag = store.keybag
            let opened = try derive(keybag, password: old, of: kinds)
            // An older device key of this machine's that does not open now may do so again: its
            // classes are not another machine's.
            let isForeign = !keybag.classesOfAnotherMachine(opened.keys).isEmpty
            guard !(isForeign && deviceKeys.isOlderShut) else {
                throw Refusal(VESTRY_DEVICE_KEY_SHUT)
            }
            // First, because a machine is told by its present device key.
            _ = keybag.refresh(opened)
            let keys = try refusing { () throws(KeybagError) in
                try keybag.adoptMachine(opened: opened)
            }
            try derivingNew { () throws(KeybagError) in
                try keybag.setLoginPassword(
                    new, keys: keys, deviceKey: deviceKeys.present, replacing: opened.kind,
                    at: now())
            }
            try write(keybag, inPlaceOf: store)
            // Whoever has proved the old password may read, and the mismatch that a login with the
            // new one has found is healed.
            // A keyring that takes no key is no reason to call the change failed.
            let keyring = KernelKeyring(store: keybag.storeID)
            try? putNewest(keys, into: keyring)
            try? keyring.clearMismatch()
            state.announceUnlock()
            return Outcome(VESTRY_REWRAPPED)
        }
    }

    func addProtector(
        _ kind: Protector.Kind, label: String?, secret: borrowing SecretBytes,
        openedBy password: borrowing SecretBytes, of kinds: [Protector.Kind]
    ) throws(Refusal) -> Outcome {
        if password.count == 0, accountPassword.isAbsent, secret.count > 0,
            let outcome = try enroll(kind, label: label, secret: secret)
        {
            return outcome
        }
        return try changingKeybag(password, of: kinds) { (keybag, opened) throws(Refusal) in
            guard secret.count > 0 else { throw Refusal(VESTRY_NO_PASSWORD) }
            if let refusal = deviceKeys.refusal { throw refusal }
            try derivingNew { () throws(KeybagError) in
                _ = try keybag.add(
                    kind, secret: secret, label: label, opened: opened,
                    deviceKey: deviceKeys.present, at: now())
            }
        }
    }

    /// For an account without a password, which has no other way to a store: makes one that this
    /// secret opens.
    ///
    /// - Returns: Nil where a store is there.
    private func enroll(
        _ kind: Protector.Kind, label: String?, secret: borrowing SecretBytes
    ) throws(Refusal) -> Outcome? {
        let isFirst = try makeStore { () throws(KeybagError) in
            try Keybag.create(
                kind, secret: secret, label: label, deviceKey: deviceKeys.present, at: now())
        } opened: { (created, keyring) in
            try? keyring.revokeForeignKeys()
            // The store is there, whatever the kernel says of its keys.
            try? putNewest(created.keys, into: keyring)
        }
        return isFirst ? Outcome(VESTRY_ENROLLED) : nil
    }

    func removeProtector(
        _ id: [UInt8], openedBy password: borrowing SecretBytes, of kinds: [Protector.Kind]
    ) throws(Refusal) -> Outcome {
        try changingKeybag(password, of: kinds) { (keybag, _) throws(Refusal) in
            try refusing { () throws(KeybagError) in try keybag.removeProtector(id) }
        }
    }

    /// Changes the keybag for somebody who has proved a secret of it.
    private func changingKeybag(
        _ password: borrowing SecretBytes, of kinds: [Protector.Kind],
        _ change: (inout Keybag, borrowing OpenedProtector) throws(Refusal) -> Void
    ) throws(Refusal) -> Outcome {
        try state.withUserLock(before: deadline) { () throws(Refusal) in
            guard let store = try existingStore() else { throw Refusal(VESTRY_NO_STORE) }
            guard password.count > 0 else { throw Refusal(VESTRY_NO_PASSWORD) }
            var keybag = store.keybag
            let opened = try derive(keybag, password: password, of: kinds)
            if deviceKeys.fault == nil { _ = keybag.refresh(opened) }
            try change(&keybag, opened)
            try write(keybag, inPlaceOf: store)
            return Outcome(VESTRY_REWRAPPED)
        }
    }

    /// Writes a changed keybag.
    ///
    /// Where a protector is gone, or an older device key has become needless, once more, so that the
    /// file that is kept does not open with them either.
    private func write(
        _ keybag: Keybag, inPlaceOf store: borrowing Store
    ) throws(Refusal) {
        try refusing { () throws(KeybagError) in try keybag.write(in: store.directory) }
        let isSmaller = store.keybag.protectors.contains { old in
            !keybag.protectors.contains { $0.id == old.id }
        }
        if isSmaller || isPreviousBehind(keybag, in: store) {
            try? keybag.write(in: store.directory)
        }
    }

    /// Runs `body`, which derives the key of a new protector, when it is this process's turn.
    func derivingNew<Value: ~Copyable>(
        _ body: () throws(KeybagError) -> Value
    ) throws(Refusal) -> Value {
        try state.withDerivationTurn(
            memoryKiB: PasswordDerivation.recommended().memoryKiB, before: deadline
        ) { () throws(Refusal) in
            try refusing(body)
        }
    }
}
