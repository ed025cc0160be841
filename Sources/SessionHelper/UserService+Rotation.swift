internal import CUnlockProtocol
internal import KernelKeyring
internal import Keybag
internal import KeyClasses
internal import LinuxSystem
internal import SecureMemory

extension UserService {
    /// Gives classes new keys, each with a bridge to the one before, and puts them into the kernel.
    ///
    /// A class whose rotation is not over gets none: what is sealed with its older key waits for that.
    func beginRotation(
        of classes: [KeyClass], password: borrowing SecretBytes
    ) throws(Refusal) -> Outcome {
        // All of it under the lock: nobody puts older keys into the kernel meanwhile.
        try state.withUserLock(before: deadline) { () throws(Refusal) in
            guard let store = try existingStore() else { throw Refusal(VESTRY_NO_STORE) }
            guard password.count > 0 else { throw Refusal(VESTRY_NO_PASSWORD) }
            var keybag = store.keybag
            let opened = try derive(keybag, password: password)
            let fresh = classes.filter { !keybag.isRotating($0) }
            let keys = try refusing { () throws(KeybagError) in
                try keybag.beginEpoch(of: fresh, opened: opened)
            }
            if !fresh.isEmpty {
                try refusing { () throws(KeybagError) in try keybag.write(in: store.directory) }
            }
            try putNewest(keys, into: KernelKeyring(store: keybag.storeID))
            return Outcome(VESTRY_ROTATION_BEGUN)
        }
    }

    /// Forgets the older keys of classes, in the keybag and in the one that is kept beside it.
    ///
    /// It asks for no password: whoever runs as the user can remove the whole file.
    func endRotation(of classes: [KeyClass]) throws(Refusal) -> Outcome {
        try state.withUserLock(before: deadline) { () throws(Refusal) in
            guard let store = try existingStore() else { throw Refusal(VESTRY_NO_STORE) }
            var keybag = store.keybag
            keybag.dropOldEpochs(of: classes)
            let previous = try? Keybag.readPrevious(in: store.directory)
            let isKeptBeside = previous.map { $0.hasOlderKeys(than: keybag, of: classes) } ?? false
            guard keybag != store.keybag || isKeptBeside else {
                return Outcome(VESTRY_ROTATION_ENDED)
            }
            try refusing { () throws(KeybagError) in
                // The second time, so that the file that is kept has none of them either.
                if keybag != store.keybag { try keybag.write(in: store.directory) }
                try keybag.write(in: store.directory)
            }
            return Outcome(VESTRY_ROTATION_ENDED)
        }
    }
}

extension Keybag {
    fileprivate func hasOlderKeys(than newer: Keybag, of classes: [KeyClass]) -> Bool {
        classes.contains { epoch(of: $0) ?? 0 < newer.epoch(of: $0) ?? 0 || isRotating($0) }
    }
}
