internal import CUnlockProtocol
internal import Keybag
internal import KeyClasses
internal import LinuxSystem
internal import SecureMemory

extension UserService {
    /// Wraps anew what an older device key wraps, and brings the protector up to date, when somebody
    /// has typed its secret.
    ///
    /// Nothing here is a failure of the unlock: what cannot be written waits for the next one.
    func renew(_ store: borrowing Store, _ opened: borrowing OpenedProtector) {
        guard var keybag = try? Keybag.read(in: store.directory), keybag == store.keybag,
            refresh(&keybag, opened, in: store)
        else { return }
        writeRenewed(keybag, in: store)
    }

    /// Brings an opened protector up to date.
    ///
    /// - Returns: Whether the keybag is to be written.
    func refresh(
        _ keybag: inout Keybag, _ opened: borrowing OpenedProtector, in store: borrowing Store
    ) -> Bool {
        guard deviceKeys.fault == nil else { return false }
        return keybag.refresh(opened) || isPreviousBehind(keybag, in: store)
    }

    /// Whether the file that is kept beside the keybag needs an older device key that the keybag itself
    /// does not need: a disk was full in between.
    func isPreviousBehind(_ keybag: Keybag, in store: borrowing Store) -> Bool {
        let older = deviceKeys.older
        guard !older.isEmpty, let previous = try? Keybag.readPrevious(in: store.directory)
        else { return false }
        let needed = keybag.needed(of: older)
        return previous.storeID == keybag.storeID
            && !previous.needed(of: older).allSatisfy(needed.contains)
    }

    /// Writes a keybag whose protectors were brought up to date.
    ///
    /// Where an older device key has become needless, once more: before it goes, the file that is kept
    /// must not need it either. At any moment one of the two files is whole.
    func writeRenewed(_ keybag: Keybag, in store: borrowing Store) {
        guard (try? keybag.write(in: store.directory)) != nil else { return }
        if isPreviousBehind(keybag, in: store) { try? keybag.write(in: store.directory) }
    }

    /// Says whether the device key opens the ThisDeviceOnly classes, for `vestry status`; without a
    /// store, whether it is at hand.
    func answerForDeviceKey() throws(Refusal) -> Outcome {
        guard let store = try existingStore() else { return Outcome(deviceKeys.answer(for: nil)) }
        return Outcome(deviceKeys.answer(for: store.keybag))
    }

    /// Notes which device keys the user's keybag needs now.
    ///
    /// Where there is no keybag nothing is noted: the home may be one that is mounted later.
    func noteDeviceKeys() {
        guard let store = try? existingStore(),
            // The file beside it takes its place when it is damaged.
            !isPreviousBehind(store.keybag, in: store)
        else { return }
        deviceKeys.note(store.keybag)
    }
}
