package import Vestry

/// What was read from another program.
package struct ImportBatch: Sendable {
    /// The most bytes of a file that is read.
    package static let maximumByteCount = 64 * 1024 * 1024

    package var items: [ImportedItem] = []
    /// Entries that are no items.
    package var problems: [ImportProblem] = []
    /// What the entries have besides and no item gets, such as "the columns 'totp', 'folder'"; no
    /// secret.
    package var leftOut: [String] = []

    package init() {}
}

/// Why an entry, or a whole file, cannot be read; it has no secret, and nothing of what was read but names
/// of the format.
package struct ImportProblem: Error, Equatable, Sendable {
    /// What is to be done about it depends on this.
    package enum Kind: Sendable {
        /// Something is not as the format says.
        case malformed
        /// The file cannot be opened or read.
        case unreadable
        /// What is to be read is not there, or a library for it.
        case unavailable
        case locked
        case cancelled
        case timedOut
    }

    package let kind: Kind
    /// From 1; nil where the format has no lines, or the whole is meant.
    package let line: Int?
    package let reason: String

    package init(line: Int? = nil, _ reason: String, _ kind: Kind = .malformed) {
        self.kind = kind
        self.line = line
        self.reason = reason
    }
}
