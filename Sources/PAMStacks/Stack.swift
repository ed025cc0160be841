/// The lines that libpam runs for one service and one group, with all includes in place.
public struct Stack: Equatable, Sendable {
    /// A line, or the head of a substack.
    public struct Entry: Equatable, Sendable {
        /// Nil for the head of a substack and for a line that libpam does not understand.
        public let line: StackLine?
        /// How many substacks are around it.
        public let level: Int
        public let place: Place
        let isMalformed: Bool

        init(_ line: StackLine, level: Int) {
            (self.line, self.level, place, isMalformed) = (line, level, line.place, false)
        }

        init(headAt place: Place, level: Int, isMalformed: Bool) {
            (line, self.level, self.place, self.isMalformed) = (nil, level, place, isMalformed)
        }
    }

    public let group: StackLine.Group
    public var entries: [Entry]

    /// The lines of a module, such as `pam_vestry`.
    public func lines(of name: String) -> [StackLine] {
        entries.compactMap(\.line).filter { $0.name == name }
    }
}

/// Why libpam refuses a whole service.
public enum StackError: Error, Equatable, Sendable {
    /// A file that is included at this place, and is not there or cannot be read.
    case missingFile(String, at: Place)
    /// Includes go round in a circle, or deeper than libpam follows them.
    case tooDeep(at: Place)
}

/// The service files of a machine.
public struct ServiceFiles: Sendable {
    /// A file that was found.
    public struct Found: Sendable {
        public let path: String
        public let text: String

        public init(path: String, text: String) {
            (self.path, self.text) = (path, text)
        }
    }

    let read: @Sendable (String) -> Found?

    /// Takes the files from whoever may read them.
    ///
    /// - Parameter read: Gives the file of a name, or of an absolute path, where libpam looks for
    ///   it: in /etc/pam.d, then in /usr/lib/pam.d.
    public init(read: @escaping @Sendable (String) -> Found?) {
        self.read = read
    }

    /// libpam follows includes so far (PAM_SUBSTACK_MAX_LEVEL, and the limit of its parser).
    private static let depthLimit = 16

    /// The stack of a service.
    ///
    /// - Returns: The stack, empty where the service has no lines of the group; nil where there is no
    ///   such service.
    /// - Throws: `StackError`.
    public func stack(of service: String, _ group: StackLine.Group) throws(StackError) -> Stack? {
        guard let found = read(service) else { return nil }
        var stack = Stack(group: group, entries: [])
        try append(found, to: &stack, level: 0, depth: 0)
        return stack
    }

    private func append(
        _ found: Found, to stack: inout Stack, level: Int, depth: Int
    ) throws(StackError) {
        for statement in ServiceFile(parsing: found.text, path: found.path).statements {
            switch statement {
            case .module(let line):
                if line.group == stack.group { stack.entries.append(.init(line, level: level)) }
            case .malformed(stack.group, let place):
                stack.entries.append(.init(headAt: place, level: level, isMalformed: true))
            case .include(let name, stack.group, let place), .includeAll(let name, let place):
                let file = try file(name, at: place, depth: depth)
                try append(file, to: &stack, level: level, depth: depth + 1)
            case .substack(let name, stack.group, let place):
                let file = try file(name, at: place, depth: depth)
                stack.entries.append(.init(headAt: place, level: level, isMalformed: false))
                try append(file, to: &stack, level: level + 1, depth: depth + 1)
            case .include, .substack, .malformed: continue
            }
        }
    }

    private func file(_ name: String, at place: Place, depth: Int) throws(StackError) -> Found {
        guard depth < Self.depthLimit else { throw .tooDeep(at: place) }
        guard let found = read(name) else { throw .missingFile(name, at: place) }
        return found
    }
}
