internal import Glibc
internal import LinuxSystem

/// `device-key status`: what there is, for root at a terminal.
enum DeviceKeyReport {
    typealias Failure = DeviceKeyCommand.Failure

    /// Prints everything that can be said, and then throws what is wrong with the present key.
    static func print() throws(Failure) {
        let folder = try DeviceKeyCommand.folder()
        DeviceKeyCommand.say("device key: \(DeviceKeyFolder.keyPath)")
        var present: String?
        var fault: DeviceKeyFault?
        do throws(DeviceKeyFault) {
            let stored = try folder.read()
            DeviceKeyCommand.say("owner: root, mode 0\(String(stored.mode, radix: 8))")
            if case .sealed(let sealed) = stored.file {
                present = sealed.id
                DeviceKeyCommand.say("id: \(sealed.id)")
                DeviceKeyCommand.say("made: \(text(of: sealed.madeAt))")
                DeviceKeyCommand.say("sealed: with \(sealed.sealing.rawValue)")
            }
            let key = try folder.load(before: Deadline(after: .seconds(30)))
            if key.sealing == nil {
                DeviceKeyCommand.say("id: \(key.id)")
                DeviceKeyCommand.say("made: \(text(of: key.madeAt))")
                DeviceKeyCommand.say("sealed: no")
            } else {
                DeviceKeyCommand.say("opens: yes")
            }
            present = key.id
        } catch {
            if present != nil { DeviceKeyCommand.say("opens: no") }
            fault = error
        }
        try printOlderKeys(in: folder, present: present)
        if let fault { throw Failure(fault) }
    }

    /// Prints the older keys, and who needs them.
    static func printOlderKeys(
        in folder: borrowing DeviceKeyFolder, present: String?
    ) throws(Failure) {
        let keys: [(id: String, users: [uid_t])]
        let notes: [uid_t: DeviceKeyNote]
        do throws(SystemCallError) {
            keys = try neededOlderKeys(in: folder).filter { $0.id != present }
            notes = try DeviceKeyNote.all(in: folder.descriptor)
        } catch {
            throw Failure(error)
        }
        if keys.isEmpty { DeviceKeyCommand.say("older device keys: none") }
        for key in keys {
            DeviceKeyCommand.say("older device key: \(key.id)")
            let known = key.users.filter { notes[$0] != .unknown }.map(name)
            let unknown = key.users.filter { notes[$0] == .unknown }.map(name)
            if !known.isEmpty {
                DeviceKeyCommand.say("  needed by: \(known.joined(separator: ", "))")
            }
            if !unknown.isEmpty {
                DeviceKeyCommand.say(
                    "  not known whether needed by: \(unknown.joined(separator: ", "))")
            }
            if key.users.isEmpty {
                DeviceKeyCommand.say("  needed by nobody: the next login or unlock forgets it")
            }
        }
        if keys.contains(where: { !$0.users.isEmpty }) {
            DeviceKeyCommand.say(
                "next: each of them logs in with the password, or runs 'vestry lock' and 'vestry unlock'"
            )
        }
    }

    /// The older keys, each with the users who need it as far as is known.
    static func neededOlderKeys(
        in folder: borrowing DeviceKeyFolder
    ) throws(SystemCallError) -> [(id: String, users: [uid_t])] {
        let notes = try DeviceKeyNote.all(in: folder.descriptor)
        return try folder.olderIDs().map { id in
            (id, notes.filter { $0.value.mayNeed(id) }.map(\.key).sorted())
        }
    }

    /// A user's name and number; the name comes from the account database.
    static func name(of user: uid_t) -> String {
        guard let account = try? Account.with(user: user) else { return "user \(user), no account" }
        let isPlain = account.name.unicodeScalars.allSatisfy {
            !$0.properties.isDefaultIgnorableCodePoint && $0.properties.generalCategory != .control
                && $0.properties.generalCategory != .format
        }
        return isPlain ? "\(account.name) (\(user))" : "user \(user)"
    }

    private static func text(of seconds: Int64) -> String {
        var seconds = time_t(seconds)
        var fields = unsafe tm()
        var text = [CChar](repeating: 0, count: 64)
        guard unsafe gmtime_r(&seconds, &fields) != nil,
            unsafe strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &fields) > 0
        else { return "at an unknown time" }
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
