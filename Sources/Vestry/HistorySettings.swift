internal import Glibc
internal import ItemStore
internal import LinuxSystem

/// How much of the past a user's keychain keeps: `~/.config/vestry/history`.
///
///     # old values of each item
///     old-values = 5
///     # how long deleted items can be brought back
///     deleted-days = 30
///     # copies of the whole keychain
///     snapshots = 10
///
/// Zero keeps nothing of a kind. What is not named is as above, as everything is without the file.
struct HistorySettings: Equatable {
    static let path = ".config/vestry/history"

    /// Of each item.
    var oldValueCount = 5
    var deletedDays = 30
    var snapshotCount = 10

    /// Two values of the greatest size.
    static let oldValueByteLimit = 2 * ItemRow.maximumValueByteCount
    static let deletedLimit = DeletedLimit(itemCount: 500, byteCount: 32 * 1024 * 1024)
    /// Of all snapshots together; the newest stays in any case.
    static let snapshotByteLimit: Int64 = 256 * 1024 * 1024
    /// A larger item file gets no daily snapshot: the first write of a day would wait for it.
    static let dailySnapshotByteLimit: Int64 = 64 * 1024 * 1024

    /// The settings of a user.
    ///
    /// - Throws: `VestryError` with the code `parameter` for a file that is not understood: somebody
    ///   who wants nothing kept must not find it kept because of a typing error. With the code
    ///   `denied` for a file that others can write to.
    static func read(of account: Account) throws(VestryError) -> HistorySettings {
        guard let text = try UserFile.read(path, of: account) else { return HistorySettings() }
        return try HistorySettings(parsing: text)
    }

    init() {}

    /// - Throws: `VestryError` with the code `parameter`.
    init(parsing text: String) throws(VestryError) {
        // Not by "\n": an editor's CRLF is one Character, and no line would end.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let content = line.prefix { $0 != "#" }
            if content.allSatisfy(\.isWhitespace) { continue }
            func malformed(_ reason: String) -> VestryError {
                VestryError(.parameter, detail: "~/\(Self.path):\(index + 1): \(reason)")
            }
            let parts = content.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false
            ).map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            guard parts.count == 2 else { throw malformed("expected \"key = number\"") }
            let (key, limit): (WritableKeyPath<HistorySettings, Int>, Int)
            switch parts[0] {
            case "old-values": (key, limit) = (\.oldValueCount, 100)
            case "deleted-days": (key, limit) = (\.deletedDays, 3650)
            case "snapshots": (key, limit) = (\.snapshotCount, 1000)
            default: throw malformed("the keys are old-values, deleted-days and snapshots")
            }
            guard let number = Int(parts[1]), (0...limit).contains(number) else {
                throw malformed("\(parts[0]) is a number from 0 to \(limit)")
            }
            self[keyPath: key] = number
        }
    }
}
