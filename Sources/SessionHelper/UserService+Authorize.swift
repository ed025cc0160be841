internal import CUnlockProtocol
internal import Keybag
internal import KeyClasses
internal import SecureMemory

extension UserService {
    /// Gives the key of a class that lives nowhere, to whoever proves the password.
    ///
    /// It goes into the reply alone: no keyring gets it, and what was unlocked stays as it is.
    func authorize(
        _ keyClass: KeyClass, password: borrowing SecretBytes
    ) throws(Refusal) -> Outcome {
        guard let store = try existingStore() else { throw Refusal(VESTRY_NO_STORE) }
        guard password.count > 0 else { throw Refusal(VESTRY_NO_PASSWORD) }
        let keybag = store.keybag
        let opened = try state.attempts.pace(before: deadline) { () throws(Refusal) in
            try derive(keybag, password: password)
        }
        guard let (_, epoch) = keybag.depositKey(of: keyClass) else {
            throw Refusal(VESTRY_DAMAGED)
        }
        guard let key = opened.keys.key(keyClass, epoch: epoch) else {
            // Right for this store, which is another machine's.
            throw deviceKeys.refusal ?? Refusal(VESTRY_NO_DEVICE_KEY)
        }
        return Outcome(
            opened.kind == .loginPassword ? VESTRY_OPENED : VESTRY_OPENED_BY_PREVIOUS,
            key: key, of: keybag.storeID)
    }
}
