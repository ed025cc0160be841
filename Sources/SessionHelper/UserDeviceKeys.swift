internal import CUnlockProtocol
internal import Glibc
internal import KeyClasses
internal import Keybag
internal import LinuxSystem
internal import SecureMemory

/// One user's parts of this machine's device keys, read as root.
struct UserDeviceKeys: ~Copyable {
    /// Wraps; a random one that opens nothing where there is a fault.
    let present: SecretBytes
    /// Open what they have wrapped before.
    let older: OlderDeviceKeys
    /// Why the present one is not at hand; nil where it is.
    let fault: DeviceKeyFault?
    /// Whether one of the older ones is there and does not open.
    let isOlderShut: Bool
    private let presentID: String
    /// Root's note of which keys this user needs, to write to when that is known.
    private let note: DeviceKeyNoteFile?
    /// The share of the lock, held until this process ends.
    private let share: FileDescriptor?

    /// What sealed keys may take of the time that the asker waits.
    private static let longestUnsealing: Duration = .seconds(4)

    /// Reads the device keys and derives the parts of one user; the keys themselves are wiped when this
    /// returns.
    ///
    /// No device key is ever made here: a new one in place of one that is only out of reach would shut
    /// the ThisDeviceOnly items of every user. Older ones that nobody needs any more are forgotten here,
    /// because here is root, and the helper that finds out runs as its user by then.
    ///
    /// - Parameters:
    ///   - user: Whose parts.
    ///   - deadline: Until when the asker waits.
    /// - Returns: The parts, and in any case something that can be used.
    static func load(for user: uid_t, before deadline: Deadline) -> UserDeviceKeys {
        let deadline = Deadline(after: min(longestUnsealing, deadline.remaining / 2))
        do throws(DeviceKeyFault) {
            let folder = try DeviceKeyFolder.open()
            let isForgotten = try? folder.forgetOlderKeys { id, notes in
                notes.isEmpty || notes.values.contains { $0.mayNeed(id) }
            }
            // Nobody, or somebody who is at work: another time.
            _ = isForgotten
            return try load(for: user, from: folder, before: deadline)
        } catch {
            return UserDeviceKeys(fault: error)
        }
    }

    private static func load(
        for user: uid_t, from folder: borrowing DeviceKeyFolder, before deadline: Deadline
    ) throws(DeviceKeyFault) -> UserDeviceKeys {
        let share = try share(of: folder)
        let present = try folder.load(before: deadline)
        let presentID = present.id
        var older = OlderDeviceKeys()
        var isShut = false
        for id in (try? folder.olderIDs()) ?? [] where id != presentID {
            do throws(DeviceKeyFault) {
                let key = try folder.load(DeviceKeyFolder.olderName(id), before: deadline)
                older.append(key.part(of: user), name: id)
            } catch {
                isShut = true
                log("the older device key \(id): \(error.text)")
            }
        }
        return UserDeviceKeys(
            present: present.part(of: user), presentID: presentID, older: older,
            isOlderShut: isShut, user: user, notes: share)
    }

    /// The folder of the notes with a share of its lock, without which no key is used: it might be one
    /// that is just being forgotten.
    ///
    /// - Returns: Nil on a file system that is mounted read-only: nothing is forgotten there.
    private static func share(
        of folder: borrowing DeviceKeyFolder
    ) throws(DeviceKeyFault) -> FileDescriptor? {
        do throws(SystemCallError) {
            let notes = try folder.notes()
            try notes.shareDirectoryLock()
            return notes
        } catch {
            if error.errno == EROFS { return nil }
            throw .unreadable(error)
        }
    }

    private init(
        present: consuming SecretBytes, presentID: String, older: OlderDeviceKeys,
        isOlderShut: Bool, user: uid_t, notes: consuming FileDescriptor?
    ) {
        self.present = present
        self.presentID = presentID
        self.older = older
        self.isOlderShut = isOlderShut
        switch consume notes {
        case .some(let folder):
            // Root has no keychain, and asks for the machine alone.
            note = user == 0 ? nil : DeviceKeyNoteFile(of: user, in: folder)
            share = consume folder
        case .none:
            note = nil
            share = nil
        }
        fault = nil
    }

    private init(fault: DeviceKeyFault) {
        Self.log("the device key: \(fault.text)")
        present = SecretBytes.random(count: DeviceKey.byteCount)
        older = OlderDeviceKeys()
        isOlderShut = false
        presentID = ""
        note = nil
        share = nil
        self.fault = fault
    }

    private static func log(_ line: String) {
        SystemLog.write(
            .warning,
            "\(line); this-device-only items stay shut: see "
                + "\"\(VESTRY_HELPER_PATH) device-key status\"")
    }

    /// Notes which device keys a keybag needs, when nothing of it is changed any more.
    ///
    /// The keybag is the user's own, who can write anything there, and with it into the note of their
    /// own: that a key is needed which is not, or not needed although it is. The first keeps a key
    /// until root forgets it by hand; the second shuts nobody's items but the user's.
    ///
    /// - Parameter keybag: As it stands in its file.
    func note(_ keybag: Keybag) {
        guard note != nil, fault == nil else { return }
        var ids = Set(keybag.needed(of: older))
        if keybag.needs(present) { ids.insert(presentID) }
        guard isOlderShut else {
            note?.write(.needs(ids))
            return
        }
        // What is shut may be needed by what opens with none of the others.
        if case .needs(let before) = note?.noted { note?.write(.needs(ids.union(before))) }
    }

    // MARK: - Answers

    /// What a change that wraps something is refused with; nil where it can be made.
    var refusal: Refusal? {
        switch fault {
        case nil: nil
        case .shut: Refusal(VESTRY_DEVICE_KEY_SHUT)
        default: Refusal(VESTRY_NO_DEVICE_KEY)
        }
    }

    /// What the device key says of a keybag's ThisDeviceOnly classes.
    func answer(for keybag: Keybag?) -> vestry_result {
        if let refusal { return refusal.result }
        guard let keybag else { return VESTRY_DEVICE_KEY_FITS }
        if keybag.needs(present) || !keybag.needed(of: older).isEmpty {
            return VESTRY_DEVICE_KEY_FITS
        }
        return isOlderShut ? VESTRY_DEVICE_KEY_SHUT : VESTRY_DEVICE_KEY_OF_ANOTHER
    }
}
