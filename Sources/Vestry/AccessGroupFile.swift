internal import Glibc
internal import LinuxSystem

/// The access groups of the user's programs: `~/.config/vestry/access-groups`.
///
///     # which program    its groups; new items go to the first
///     /usr/bin/mailer = org.example.mail default
///     *               = default
///
/// Each line names a program by the path of its executable, links resolved, or all others by an
/// asterisk. The first line that fits counts. A program without a line, as without the file, has the
/// group `default` alone.
enum AccessGroupFile {
    static let path = ".config/vestry/access-groups"

    /// The groups of this program.
    ///
    /// - Parameter account: The user who runs it.
    /// - Returns: At least one group, the first for new items.
    /// - Throws: `VestryError` with the code `missingEntitlement` for a file that is not understood:
    ///   with other groups than those that were meant, items would end up elsewhere. With the code
    ///   `denied` for a file that others can write to.
    static func groups(of account: Account) throws(VestryError) -> [String] {
        guard let text = try UserFile.read(path, of: account) else {
            return [Keychain.defaultAccessGroup]
        }
        return try parse(text, program: currentProgram())
    }

    /// Picks a program's line.
    ///
    /// - Parameters:
    ///   - text: What stands in the file.
    ///   - program: The path of its executable; nil for one that is not known.
    /// - Returns: At least one group.
    /// - Throws: `VestryError` with the code `missingEntitlement` for a line that is not understood,
    ///   wherever it stands.
    static func parse(_ text: String, program: String?) throws(VestryError) -> [String] {
        var found: [String]?
        // Not by "\n": an editor's CRLF is one Character, and no line would end.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            guard line.contains(where: { !$0.isWhitespace }),
                line.first(where: { !$0.isWhitespace }) != "#"
            else { continue }
            func malformed(_ reason: String) -> VestryError {
                VestryError(.missingEntitlement, detail: "~/\(path):\(index + 1): \(reason)")
            }
            // The last one: a path may have that character, and a group has none.
            guard let separator = line.lastIndex(of: "=") else {
                throw malformed("expected \"program = groups\"")
            }
            let name = trimmed(line[..<separator])
            let groups = line[line.index(after: separator)...].split(whereSeparator: \.isWhitespace)
                .map(String.init)
            guard name == "*" || name.first == "/" else {
                throw malformed("a program is an absolute path or \"*\"")
            }
            guard !groups.isEmpty else { throw malformed("no groups") }
            let isThisProgram = name == "*" || program?.utf8.elementsEqual(name.utf8) == true
            if found == nil, isThisProgram { found = groups }
        }
        return found ?? [Keychain.defaultAccessGroup]
    }

    /// What the kernel says about an executable that was replaced while it runs, as by an upgrade,
    /// without that.
    static func program(link: String) -> String {
        let mark = " (deleted)"
        return link.hasSuffix(mark) ? String(link.dropLast(mark.count)) : link
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) }
        return text[..<(end ?? text.startIndex)].drop(while: \.isWhitespace)
    }

    private static func currentProgram() -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0, count < buffer.count else { return nil }
        return program(
            link: String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        )
    }
}
