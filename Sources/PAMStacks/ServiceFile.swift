/// One line of a service file that names a module.
public struct StackLine: Equatable, Sendable {
    /// The four management groups (pam.conf(5), section "type").
    public enum Group: String, CaseIterable, Sendable {
        case auth, account, password, session
    }

    public let group: Group
    public let control: Control
    /// As it is written, for messages.
    public let controlText: String
    /// Such as `pam_unix.so`, or a path.
    public let module: String
    public let arguments: [String]
    public let place: Place

    /// The module's name without folder and ending, such as `pam_unix`.
    public var name: String {
        let file = module.split(separator: "/").last ?? ""
        return String(file.hasSuffix(".so") ? file.dropLast(3) : file)
    }

    /// The module with its arguments, as the line has them.
    public var text: String { ([module] + arguments).joined(separator: " ") }
}

/// Where a line stands.
public struct Place: Equatable, Hashable, Sendable, CustomStringConvertible {
    public let path: String
    /// From 1 on; the first one of a line that goes on over several.
    public let line: Int

    public var description: String { "\(path):\(line)" }
}

/// What stands in one file below /etc/pam.d.
///
/// Fields are separated by blanks, a field between brackets may contain some; `#` begins a comment;
/// a backslash at the end of a line joins it with the next one that is not empty. A dash before the
/// group keeps libpam from complaining about a module that is not installed, and changes nothing else.
struct ServiceFile: Equatable, Sendable {
    enum Statement: Equatable, Sendable {
        case module(StackLine)
        /// Another file's lines of one group, in place of this line.
        case include(String, StackLine.Group, Place)
        /// The same as a stack of its own, in which an end ends no more than that stack.
        case substack(String, StackLine.Group, Place)
        /// `@include`, a Debian extension: all groups.
        case includeAll(String, Place)
        /// What libpam complains about, and takes as a module that fails.
        case malformed(StackLine.Group, Place)
    }

    let statements: [Statement]

    init(parsing text: String, path: String) {
        statements = Self.logicalLines(of: text).map { line, fields in
            Self.statement(fields, at: Place(path: path, line: line))
        }
    }

    /// The lines with their first numbers, without comments and empty ones.
    private static func logicalLines(of text: String) -> [(Int, [String])] {
        var lines: [(Int, [String])] = []
        var joined = ""
        var first = 0
        func finish() {
            let fields = fields(of: joined)
            if !fields.isEmpty { lines.append((first, fields)) }
            joined = ""
        }
        let physical = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in physical.enumerated() {
            if joined.isEmpty { first = index + 1 }
            var content = line.prefix { $0 != "#" }
            while let last = content.last, last.isPAMSpace { content.removeLast() }
            if content.last == "\\" {
                joined += content.dropLast() + " "
            } else if !content.isEmpty || joined.isEmpty {
                joined += content
                finish()
            }
        }
        finish()
        return lines
    }

    private static func fields(of line: String) -> [String] {
        var fields: [String] = []
        var rest = line[...]
        while true {
            rest = rest.drop(while: \.isPAMSpace)
            guard let start = rest.first else { return fields }
            let field: Substring
            if start == "[", let end = rest.firstIndex(of: "]") {
                field = rest[...end]
            } else {
                field = rest.prefix { !$0.isPAMSpace }
            }
            fields.append(String(field))
            rest = rest[field.endIndex...]
        }
    }

    private static func statement(_ fields: [String], at place: Place) -> Statement {
        let first = fields[0].lowercased()
        if first == "@include" {
            return fields.count >= 2 ? .includeAll(fields[1], place) : .malformed(.auth, place)
        }
        // Of a group that libpam does not know, it takes the first.
        guard
            let group = StackLine.Group(
                rawValue: first.hasPrefix("-") ? String(first.dropFirst()) : first)
        else { return .malformed(.auth, place) }
        guard fields.count >= 3 else { return .malformed(group, place) }
        switch fields[1].lowercased() {
        case "include": return .include(fields[2], group, place)
        case "substack": return .substack(fields[2], group, place)
        default:
            let control = Control(parsing: fields[1])
            return .module(
                StackLine(
                    group: group, control: control ?? .malformed, controlText: fields[1],
                    module: fields[2], arguments: Array(fields[3...]), place: place))
        }
    }
}
