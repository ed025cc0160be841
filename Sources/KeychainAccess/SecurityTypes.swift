internal import Vestry

/// A result code of Apple's Security framework.
public typealias OSStatus = Int32

/// When an item can be read, and what a read asks for besides.
public final class SecAccessControl: Hashable, Sendable {
    let accessControl: AccessControl

    init(_ accessControl: AccessControl) { self.accessControl = accessControl }

    /// Whether both say the same.
    public static func == (left: SecAccessControl, right: SecAccessControl) -> Bool {
        left.accessControl == right.accessControl
    }

    /// Feeds what it says into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(accessControl) }
}
