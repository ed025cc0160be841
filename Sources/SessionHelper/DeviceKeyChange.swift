internal import CUnlockProtocol
internal import Glibc
internal import LinuxSystem
internal import SecureMemory
internal import VestryConfiguration

/// The commands that change device keys, one at a time.
struct DeviceKeyChange: ~Copyable {
    typealias Failure = DeviceKeyCommand.Failure

    private let folder: DeviceKeyFolder

    /// How long sealing may take, with somebody waiting at a terminal.
    private static let patience: Duration = .seconds(30)

    /// Takes the lock, and clears away what a command has left that was killed.
    static func open() throws(Failure) -> DeviceKeyChange {
        let folder = try DeviceKeyCommand.folder()
        let hasLock = Deadline(after: .seconds(10)).retry { () -> Bool? in
            folder.descriptor.tryDirectoryLock() ? true : nil
        }
        guard hasLock != nil else {
            throw Failure(
                .timedOut, "another command is at work with the device key",
                hint: "wait until it has ended, and run this one again")
        }
        do throws(SystemCallError) {
            // Under the lock no file of these names is in use.
            for name in try folder.descriptor.entryNames() where name.hasPrefix(".device.key.") {
                try folder.descriptor.eraseFile(name)
            }
        } catch {
            throw Failure(error)
        }
        return DeviceKeyChange(folder: folder)
    }

    // MARK: - replace

    /// Makes a new device key, sealed as the one before, which stays as an older one.
    func replace(isForced: Bool) throws(Failure) {
        let old = try present(isForced: isForced)
        guard let new = DeviceKey.random(at: Int64(time(nil)), sealing: old.sealing) else {
            throw Failure(.damaged("its size"))
        }
        do throws(SystemCallError) {
            try noteAccounts()
            // Of a command that was killed between its two renames: the same key under two names.
            _ = unsafe unlinkat(
                folder.descriptor.rawValue, DeviceKeyFolder.olderName(old.id), 0)
        } catch {
            throw Failure(error)
        }
        try place(
            new, as: DeviceKeyFolder.keyName, keepingPreviousAs: DeviceKeyFolder.olderName(old.id))
        DeviceKeyCommand.say("this machine has a new device key, \(new.id)")
        try DeviceKeyReport.printOlderKeys(in: folder, present: new.id)
    }

    private func present(
        isForced: Bool
    ) throws(Failure) -> (id: String, sealing: DeviceKeySealing?) {
        do throws(DeviceKeyFault) {
            let key = try folder.load(before: Deadline(after: Self.patience))
            return (key.id, key.sealing)
        } catch {
            // What seals the one before does not work any more.
            guard isForced, case .shut = error, let stored = try? folder.read(),
                case .sealed(let sealed) = stored.file
            else { throw Failure(error) }
            return (sealed.id, nil)
        }
    }

    /// Notes of the accounts of which nothing is noted that they may need the key before.
    ///
    /// Whoever had a keychain before there were notes, or on the machine that this one replaces with
    /// its device key, would else lose their items without ever being named.
    private func noteAccounts() throws(SystemCallError) {
        let notes = try folder.notes()
        for user in Account.listed(Configuration.load().0.users) {
            _ = try notes.createFile("\(user)", with: DeviceKeyNote.unknown.contents)
        }
    }

    // MARK: - seal

    func seal(with wanted: DeviceKeySealing?) throws(Failure) {
        let hasTPM2 = SystemdCredential.hasTPM2(before: Deadline(after: Self.patience))
        let sealing = wanted ?? (hasTPM2 ? .both : .host)
        guard sealing == .host || hasTPM2 else {
            throw Failure(
                .unavailable, "this machine has no TPM2 that systemd can use",
                hint: "'systemd-creds has-tpm2' says what is missing; '--with host' needs none")
        }
        try reseal(to: sealing)
        DeviceKeyCommand.say("the device key is sealed with \(sealing.rawValue)")
    }

    func unseal() throws(Failure) {
        try reseal(to: nil)
        DeviceKeyCommand.say("the device key is not sealed")
    }

    /// The present key first, each key by itself.
    private func reseal(to sealing: DeviceKeySealing?) throws(Failure) {
        var names = [DeviceKeyFolder.keyName]
        do throws(SystemCallError) {
            names += try folder.olderIDs().map(DeviceKeyFolder.olderName)
        } catch {
            throw Failure(error)
        }
        for name in names {
            let key: DeviceKey
            do throws(DeviceKeyFault) {
                key = try folder.load(name, before: Deadline(after: Self.patience))
            } catch {
                throw Failure(error, of: "\(DeviceKeyFolder.path)/\(name)")
            }
            if key.sealing == sealing { continue }
            guard let changed = key.sealed(with: sealing) else { continue }
            try place(changed, as: name, keepingPreviousAs: nil)
        }
    }

    // MARK: - forget-old

    func forgetOld(isForced: Bool) throws(Failure) {
        let needed: [(id: String, users: [uid_t])]
        let isDone: Bool?
        do throws(SystemCallError) {
            needed = try DeviceKeyReport.neededOlderKeys(in: folder)
            isDone = try Deadline(after: .seconds(20)).retry { () throws(SystemCallError) in
                try folder.forgetOlderKeys { id, notes in
                    !isForced && (notes.isEmpty || notes.values.contains { $0.mayNeed(id) })
                } ? true : nil
            }
        } catch {
            throw Failure(error)
        }
        guard isDone != nil else {
            throw Failure(
                .timedOut, "a login or unlock is at work with the device keys",
                hint: "nothing was forgotten; run the command again")
        }
        for key in needed { DeviceKeyCommand.say(Self.line(key.id, key.users, isForced)) }
        if needed.isEmpty { DeviceKeyCommand.say("there is no older device key") }
        guard !isForced, needed.contains(where: { !$0.users.isEmpty }) else { return }
        throw Failure(
            .failure, "older device keys are still needed",
            hint:
                "let these users log in with the password, or run 'vestry lock' and 'vestry unlock';"
                + " '\(VESTRY_HELPER_PATH) device-key forget-old --yes' gives their this-device-only items up"
        )
    }

    private static func line(_ id: String, _ users: [uid_t], _ isForced: Bool) -> String {
        guard !users.isEmpty else { return "\(id) is forgotten; nobody needed it" }
        let names = users.map(DeviceKeyReport.name).joined(separator: ", ")
        return isForced
            ? "\(id) is forgotten; this-device-only items that need it stay shut, of: \(names)"
            : "\(id) is kept; this-device-only items may need it, of: \(names)"
    }

    // MARK: - Parts

    /// Puts a key into its file in one step.
    ///
    /// A sealed one is opened once before: what does not open must never replace what does. Bytes of a
    /// file that goes for good are overwritten; file systems and disks may keep copies.
    private func place(
        _ key: borrowing DeviceKey, as name: String, keepingPreviousAs previous: String?
    ) throws(Failure) {
        let deadline = Deadline(after: Self.patience)
        var sealedContents: [UInt8]?
        if let sealing = key.sealing {
            do throws(DeviceKeyFault) {
                let credential = try SystemdCredential.seal(
                    key.key, with: sealing, before: deadline)
                let opened = try SystemdCredential.open(credential, before: deadline)
                guard opened.constantTimeEquals(key.key) else {
                    throw .damaged("systemd-creds(1) gives another key back")
                }
                sealedContents =
                    SealedDeviceKey(
                        id: key.id, madeAt: key.madeAt, sealing: sealing, credential: credential
                    ).contents
            } catch {
                throw Failure(
                    .unavailable,
                    "the device key cannot be sealed with \(sealing.rawValue): "
                        + error.text, hint: "nothing was changed; see systemd-creds(1)")
            }
        }
        do throws(SystemCallError) {
            let old = try? FileDescriptor(
                opening: name, in: folder.descriptor.rawValue, flags: O_WRONLY | O_NOFOLLOW)
            if let sealedContents {
                try folder.descriptor.replaceFile(
                    name, with: sealedContents.span, keepingPreviousAs: previous)
            } else {
                try key.key.withBytes { bytes throws(SystemCallError) in
                    try folder.descriptor.replaceFile(
                        name, with: bytes, keepingPreviousAs: previous)
                }
                // Its time is when the key was made.
                var times = [timespec(tv_sec: Int(key.madeAt), tv_nsec: 0)]
                times.append(times[0])
                _ = unsafe utimensat(folder.descriptor.rawValue, name, times, AT_SYMLINK_NOFOLLOW)
            }
            if let old { try Self.wipe(old) }
        } catch {
            throw Failure(error)
        }
    }

    /// Overwrites a file that has no name any more.
    private static func wipe(_ file: borrowing FileDescriptor) throws(SystemCallError) {
        let status = try file.status()
        guard status.st_nlink == 0, status.st_size <= DeviceKeyFile.byteLimit else { return }
        try file.write([UInt8](repeating: 0, count: Int(status.st_size)))
        try file.synchronize()
    }
}

extension DeviceKey {
    /// The same key, to stand in its file in another way.
    func sealed(with sealing: DeviceKeySealing?) -> DeviceKey? {
        guard let copy = key.slice(from: 0, count: Self.byteCount) else { return nil }
        return DeviceKey(copy, madeAt: madeAt, sealing: sealing)
    }
}
