public import Glibc

/// Root's note of which device keys one user's keybag needs: a file for each user, whose name is the
/// number, in the folder ``folder``.
///
/// Contents are one of
///
///     lines of 16 hexadecimal digits, the ids of device keys
///     "none\n"
///     "unknown\n"
///
/// Anything else counts as unknown too, such as an empty file: no device key is forgotten because of a
/// note that is not whole.
public enum DeviceKeyNote: Equatable, Sendable {
    /// Something of the user's is wrapped with these, and with no other device key.
    case needs(Set<String>)
    /// The account is there, and the helper has not seen its keybag since device keys are noted.
    case unknown

    public static let folder = "users"
    /// The prefix of the files of older device keys; their ids follow.
    public static let olderKeyPrefix = "device.key.old-"
    private static let none = "none\n"
    static let idLength = 16
    /// Far more device keys than anybody keeps.
    public static let byteLimit = 32 * (idLength + 1)

    /// What the bytes of a file say.
    public init(parsing bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // Every line has an end.
        let ids = lines.dropLast()
        if text == Self.none {
            self = .needs([])
        } else if lines.last == "", !ids.isEmpty, ids.allSatisfy(Self.isID) {
            self = .needs(Set(ids))
        } else {
            self = .unknown
        }
    }

    /// The bytes of the file.
    public var contents: [UInt8] {
        switch self {
        case .needs([]): Array(Self.none.utf8)
        case .needs(let ids): Array(ids.sorted().map { $0 + "\n" }.joined().utf8)
        case .unknown: Array("unknown\n".utf8)
        }
    }

    /// Whether the user needs this device key, as far as is known.
    public func mayNeed(_ id: String) -> Bool {
        switch self {
        case .needs(let ids): ids.contains(id)
        case .unknown: true
        }
    }

    /// Whether these are 16 hexadecimal digits, without capitals.
    public static func isID(_ text: String) -> Bool {
        text.utf8.count == idLength
            && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    /// The notes of all users.
    ///
    /// - Parameter keys: The folder with the device keys.
    /// - Returns: By user; none where there is no folder of notes.
    /// - Throws: `SystemCallError`, of a folder or file that cannot be read.
    public static func all(
        in keys: borrowing FileDescriptor
    ) throws(SystemCallError) -> [uid_t: DeviceKeyNote] {
        let notes: FileDescriptor
        do throws(SystemCallError) {
            notes = try FileDescriptor(
                opening: folder, in: keys.rawValue, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        } catch {
            if error.errno == ENOENT { return [:] }
            throw error
        }
        var found: [uid_t: DeviceKeyNote] = [:]
        for name in try notes.entryNames() {
            guard let user = uid_t(name), String(user) == name else { continue }
            let file = try FileDescriptor(
                opening: name, in: notes.rawValue, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            let bytes = try file.readAll(limit: byteLimit)
            found[user] = bytes.map(DeviceKeyNote.init(parsing:)) ?? .unknown
        }
        return found
    }

    /// The ids of the older device keys.
    ///
    /// - Parameter keys: The folder with the device keys.
    /// - Returns: The ids, in ascending order.
    /// - Throws: `SystemCallError`.
    public static func olderKeyIDs(
        in keys: borrowing FileDescriptor
    ) throws(SystemCallError) -> [String] {
        try keys.entryNames().compactMap { name in
            guard name.hasPrefix(olderKeyPrefix) else { return nil }
            let id = String(name.dropFirst(olderKeyPrefix.count))
            return isID(id) ? id : nil
        }.sorted()
    }
}
