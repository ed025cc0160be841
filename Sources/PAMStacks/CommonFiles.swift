extension ServiceFiles {
    /// Whether `pam-auth-update` still writes Debian's common files, as with `--enable`.
    ///
    /// It keeps what it has written in /var/lib/pam, and looks line by line whether its two blocks of each file
    /// are still that: a line that is gone and other options are changes that it takes over, and what stands
    /// outside of the blocks is not its own. But where one file has a line more in a block, or the lines in
    /// another order, it changes none of the five, now and later; only `--force` writes them anew, and then
    /// without the changes. (pam-auth-update of libpam-runtime 1.5.2, `diff_profiles`.)
    public var followProfiles: Bool {
        ["auth", "account", "password", "session", "session-noninteractive"].allSatisfy { kind in
            guard let saved = read("/var/lib/pam/\(kind)")?.text,
                let current = read("common-\(kind)")?.text
            else { return false }
            return Self.follows(current, saved: saved, group: kind.prefix { $0 != "-" })
        }
    }

    private static func follows(_ current: String, saved: String, group: Substring) -> Bool {
        var saved = lines(of: saved).filter { !$0.hasPrefix("Module: ") }.map { line in
            withoutEnd(withoutJump(line))
        }[...]
        var block = Block.before
        for line in lines(of: current) {
            if let next = block.next, line.hasPrefix(next.marker) {
                if next.block == .after { return true }
                block = next.block
                continue
            }
            guard block == .primary || block == .additional else { continue }
            let content = withoutJump(withoutGroup(line, group))
            guard let found = saved.firstIndex(where: { content.hasPrefix(module(of: $0)) }) else {
                return false
            }
            saved = saved[(found + 1)...]
        }
        return block == .additional
    }

    /// What a line of a common file belongs to, and what it is that ends that.
    private enum Block {
        case before, primary, between, additional, after

        var next: (block: Block, marker: String)? {
            switch self {
            case .before: (.primary, "# here are the per-package modules (the \"Primary\" block)")
            case .primary: (.between, "# here's the fallback if no module succeeds")
            case .between:
                (.additional, "# and here are more per-package modules (the \"Additional\" block)")
            case .additional: (.after, "# end of pam-auth-update config")
            case .after: nil
            }
        }
    }

    private static func lines(of text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(
            text.hasSuffix("\n") || text.isEmpty ? 1 : 0)
    }

    private static func withoutGroup(_ line: Substring, _ group: Substring) -> Substring {
        guard line.hasPrefix(group), line.dropFirst(group.count).first?.isPAMSpace == true else {
            return line
        }
        return line.dropFirst(group.count).drop(while: \.isPAMSpace)
    }

    /// Control and module, with the blanks between them as they are.
    private static func module(of line: Substring) -> Substring {
        let control =
            line.first == "["
            ? line.firstIndex(of: "]").map { line[...$0] } : line.prefix { !$0.isPAMSpace }
        guard let control else { return line }
        let rest = line[control.endIndex...]
        let name = rest.drop(while: \.isPAMSpace).prefix { !$0.isPAMSpace }
        return line[..<name.endIndex]
    }

    /// The line without its first number in brackets: how far a jump goes is counted anew at each writing.
    private static func withoutJump(_ line: Substring) -> Substring {
        guard let bracket = line.firstIndex(of: "["),
            let begin = line[bracket...].firstIndex(where: { ("0"..."9").contains($0) })
        else { return line }
        let rest = line[begin...].drop { ("0"..."9").contains($0) }
        return rest.contains("]") ? line[..<begin] + rest : line
    }

    /// The same of the word that a profile has for it.
    private static func withoutEnd(_ line: Substring) -> Substring {
        guard let bracket = line.firstIndex(of: "["), let close = line.lastIndex(of: "]"),
            bracket < close
        else { return line }
        var index = close
        while index > bracket {
            line.formIndex(before: &index)
            if line[index..<close].hasPrefix("end") {
                return line[..<index] + line[line.index(index, offsetBy: 3)...]
            }
        }
        return line
    }
}
