internal import CUnlockProtocol
internal import Glibc
internal import KernelKeyring
internal import KeyClasses
internal import Keybag
internal import LinuxSystem
internal import Sealing
internal import SecureMemory
internal import VestryConfiguration

// When a login's password is another one than the store's, and when the one before it is forgotten.
extension UserService {
    /// How long a directory's password goes on opening the store after the next one: a machine that
    /// was off the network lets people in with the one that it has kept.
    static let previousPasswordSeconds: Int64 = 30 * 86_400

    /// Why no store is made with what a login has given; nil where one is.
    func refusalToEnroll(_ token: borrowing SecretBytes) -> vestry_result? {
        // Nothing is ever derived from an empty password.
        if accountPassword.isAbsent { return VESTRY_ACCOUNT_WITHOUT_PASSWORD }
        guard token.count > 0 else { return VESTRY_NO_STORE }
        return switch accountPassword.judge(token) {
        case .proved, .unknown: nil
        case .refuted: VESTRY_NOT_THE_PASSWORD
        case .none: VESTRY_ACCOUNT_WITHOUT_PASSWORD
        }
    }

    /// At a login whose token opens no protector.
    ///
    /// The store follows the account's password alone: what fits its record in the shadow database,
    /// or, where that has none, what two logins in a row have given, which no one-time code does.
    ///
    /// - Throws: `VESTRY_BUSY` when it is nobody's turn in time.
    func answerToUnknown(
        _ token: borrowing SecretBytes, with keyring: KernelKeyring, in store: borrowing Store
    ) throws(Refusal) -> vestry_result {
        let verdict = accountPassword.judge(token)
        var mark: [UInt8]?
        var wasSeen = false
        switch verdict {
        case .none: return VESTRY_ACCOUNT_WITHOUT_PASSWORD
        case .refuted:
            note(.otherSecret, with: keyring)
            return VESTRY_NOT_THE_PASSWORD
        case .proved: break
        case .unknown:
            let last = (try? keyring.loginNote())?.mark
            mark = self.mark(of: token, like: last)
            wasSeen = mark != nil && mark == last
        }
        if verdict == .proved || wasSeen, try follow(token, with: keyring, in: store) {
            return VESTRY_FOLLOWED
        }
        note(.otherPassword, with: keyring, mark: mark)
        let followsNext = mark != nil && !wasSeen && followableKeys(keyring, store.keybag) != nil
        return followsNext ? VESTRY_FOLLOWS_NEXT : VESTRY_WRONG_PASSWORD
    }

    private func note(
        _ cause: LoginNote.Cause, with keyring: KernelKeyring, mark: [UInt8]? = nil
    ) {
        try? state.withUserLock(before: deadline) { () throws(Refusal) in
            try? keyring.note(cause, at: Int64(time(nil)), mark: mark)
        }
    }

    /// By which the next login's token is known to be the same.
    ///
    /// It stands in the user's own keyring, and is made with the device key, so that the user's
    /// programs cannot try passwords against it.
    ///
    /// - Parameters:
    ///   - token: What a login has given.
    ///   - last: An earlier mark; equal tokens have equal ones.
    /// - Returns: 16 bytes of salt and 16 of hash; nil where none can be made in time.
    private func mark(of token: borrowing SecretBytes, like last: [UInt8]?) -> [UInt8]? {
        guard configuration.followsNewPassword, deviceKeys.fault == nil else { return nil }
        let fresh = PasswordDerivation.recommended()
        let salt = last.map { Array($0.prefix(PasswordDerivation.saltByteCount)) } ?? fresh.salt
        let derivation = PasswordDerivation(
            passes: fresh.passes, memoryKiB: fresh.memoryKiB, salt: salt)
        let key = deviceKeys.present.keyedHashKey(of: Array("vestry login mark 1".utf8))
        let hash: [UInt8]? = try? state.withDerivationTurn(
            memoryKiB: derivation.memoryKiB, before: deadline
        ) { () throws(Refusal) in
            guard let derived = derivation.key(from: token) else {
                throw Refusal(VESTRY_NO_MEMORY)
            }
            let hash = key.keyedHashKey(of: derived)
            return hash.withBytes { bytes in (0..<16).map { bytes[$0] } }
        }
        return hash.map { salt + $0 }
    }

    /// The keys of this boot that a store can follow a new password with.
    ///
    /// By their check values they are the store's own. Without them no password replaces a protector
    /// that it does not open.
    private func followableKeys(_ keyring: KernelKeyring, _ keybag: Keybag) -> ClassKeys? {
        let keys = keybag.genuineKeys { try? keyring.classKey($0) }
        for keyClass in [KeyClass.index, .afterFirstUnlock] {
            guard let epoch = keybag.epoch(of: keyClass), keys.has(keyClass, epoch: epoch) else {
                return nil
            }
        }
        return keys
    }

    /// Makes what is open since this boot open with the account's new password too.
    ///
    /// The password before stays for the classes that are not open.
    ///
    /// - Returns: False where it cannot be, or the configuration forbids it.
    /// - Throws: `VESTRY_BUSY` when it is nobody's turn in time.
    private func follow(
        _ password: borrowing SecretBytes, with keyring: KernelKeyring, in store: borrowing Store
    ) throws(Refusal) -> Bool {
        guard configuration.followsNewPassword, deviceKeys.fault == nil else { return false }
        return try state.withUserLock(before: deadline) { () throws(Refusal) in
            guard var keybag = try? Keybag.read(in: store.directory), keybag == store.keybag,
                let keys = followableKeys(keyring, keybag)
            else { return false }
            do throws(Refusal) {
                try derivingNew { () throws(KeybagError) in
                    try keybag.setLoginPassword(
                        password, keys: keys, deviceKey: deviceKeys.present, replacing: nil,
                        at: now())
                }
                try refusing { () throws(KeybagError) in try keybag.write(in: store.directory) }
            } catch {
                if error.result == VESTRY_BUSY { throw error }
                SystemLog.write(
                    .warning,
                    "the keychain of \(account.user) cannot follow a new password: it "
                        + "stays with the old one (\(error.result.rawValue))")
                return false
            }
            try? keyring.clearMismatch()
            return true
        }
    }

    /// A login has proved the password: the one before it shall not open the store any more, and the
    /// protector is brought up to date.
    ///
    /// No failure here is one of the login: on a read-only or full disk everything stays as it is until
    /// the next one.
    func tidy(_ store: borrowing Store, _ opened: borrowing OpenedProtector) {
        guard var keybag = try? Keybag.read(in: store.directory), keybag == store.keybag else {
            return
        }
        let isRefreshed = refresh(&keybag, opened, in: store)
        let isDropped = isPreviousOver(keybag) && keybag.dropPreviousPassword()
        guard isRefreshed || isDropped else { return }
        writeRenewed(keybag, in: store)
        // Once more, so that the file that is kept does not open with the old password either.
        if isDropped { try? keybag.write(in: store.directory) }
    }

    /// Whether the password before is to be forgotten, now that a login has proved the new one.
    ///
    /// Where the shadow database has the password, at once: a login takes no other. A directory's stays
    /// valid elsewhere for a while.
    private func isPreviousOver(_ keybag: Keybag) -> Bool {
        guard accountPassword.isElsewhere,
            let login = keybag.protectors.first(where: { $0.kind == .loginPassword }),
            login.createdAt > 0
        else { return true }
        // Also while the clock is behind.
        return Int64(now()) - Int64(clamping: login.createdAt) >= Self.previousPasswordSeconds
    }
}
