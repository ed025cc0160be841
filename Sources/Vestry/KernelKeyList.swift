internal import Glibc
internal import KernelKeyring
internal import KeyClasses
internal import LinuxSystem

/// Vestry's keys of the calling user, as the kernel lists them: names and times, never contents.
package struct KernelKeyList: Equatable {
    /// A line of `/proc/keys`.
    package struct Entry: Equatable {
        package let serial: Int32
        package let owner: UInt32
        package let isKeyring: Bool
        package let name: String
        /// Such as "42s" or "3m", rounded down by the kernel; nil for a key without an end.
        package let timeLeft: String?

        /// What a key of Vestry's is for.
        package enum Purpose: Sendable {
            /// Opens items while a session counts.
            case openSessions
            /// Leads to the keys of the open sessions.
            case pointer
            /// Notes that the login password does not open the store.
            case mismatch
            /// Opens items since the first unlock.
            case firstUnlock
        }

        package var purpose: Purpose {
            switch name {
            case KernelKeyring.presenceDescription: .pointer
            case KernelKeyring.mismatchDescription: .mismatch
            default:
                KeyClass.allCases.contains {
                    $0.residence == .presence && KernelKeyring.description(of: $0) == name
                } ? .openSessions : .firstUnlock
            }
        }
    }

    /// The keys and keyrings that Vestry has made, in the kernel's order.
    package let keys: [Entry]
    /// The session keyrings that link the presence keyring: the login sessions that count.
    package let sessions: [Entry]

    /// Looks into the calling user's keyring, and reads nothing.
    ///
    /// - Throws: ``VestryError`` when the kernel keyring cannot be used.
    package static func tryKeyrings() throws(VestryError) {
        _ = try mappingErrors { () throws(KeyringError) in try KernelKeyring.presenceSerial() }
    }

    /// Asks the kernel.
    ///
    /// - Returns: Nil where there is no `/proc/keys`.
    /// - Throws: ``VestryError`` when the kernel keyring cannot be used.
    package static func current() throws(VestryError) -> KernelKeyList? {
        let presence = try mappingErrors { () throws(KeyringError) in
            try KernelKeyring.presenceSerial()
        }
        guard
            let file = try? FileDescriptor(opening: "/proc/keys", in: AT_FDCWD, flags: O_RDONLY),
            let contents = try? file.readAll(limit: 4 << 20)
        else { return nil }
        let user = geteuid()
        let own = entries(in: String(decoding: contents, as: UTF8.self)).filter {
            $0.owner == user
        }
        let sessions = own.filter { entry in
            guard let presence, entry.isKeyring, !entry.isOfVestry else { return false }
            return KernelKeyring.links(entry.serial, to: presence)
        }
        return KernelKeyList(keys: own.filter(\.isOfVestry), sessions: sessions)
    }

    /// Reads `/proc/keys`, as proc(5) describes it, without keys that are revoked or expired.
    ///
    ///     ID flags usage timeout permissions UID GID type description: summary
    static func entries(in text: String) -> [Entry] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(maxSplits: 8, whereSeparator: \.isWhitespace)
            guard fields.count == 9, let serial = Int32(fields[0], radix: 16),
                let owner = UInt32(fields[5]),
                // "I" is instantiated, "R" revoked, "D" dead.
                fields[1].contains("I"), !fields[1].contains("R"), !fields[1].contains("D"),
                fields[3] != "expd"
            else { return nil }
            // The summary is a number, or "empty" for a keyring; a name can hold colons itself.
            let description = fields[8].drop(while: \.isWhitespace)
            let name = description.lastIndex(of: ":").map { description[..<$0] } ?? description
            return Entry(
                serial: serial, owner: owner, isKeyring: fields[7] == "keyring",
                name: String(name), timeLeft: fields[3] == "perm" ? nil : String(fields[3]))
        }
    }
}

extension KernelKeyList.Entry {
    fileprivate var isOfVestry: Bool { name == "vestry" || name.hasPrefix("vestry:") }
}
