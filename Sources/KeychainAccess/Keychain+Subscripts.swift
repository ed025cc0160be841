public import Foundation

// Subscripts cannot throw where they can be assigned to: an absent, a locked and a damaged item read
// the same, and a value that cannot be written is lost. `get` and `set` tell.
extension Keychain {
    /// A value as text; nil where it cannot be read, for whatever reason.
    ///
    /// Setting nil removes the item. Errors are lost: ``get(_:ignoringAttributeSynchronizable:)`` and
    /// `set` throw them.
    ///
    /// - Parameter key: The account.
    public subscript(key: String) -> String? {
        get { self[string: key] }
        set { self[string: key] = newValue }
    }

    /// A value as text; the same as the subscript without a label.
    ///
    /// - Parameter key: The account.
    public subscript(string key: String) -> String? {
        get { try? get(key) }
        set { self[data: key] = newValue.map { Data($0.utf8) } }
    }

    /// A value as it is; otherwise the same as the subscript without a label.
    ///
    /// - Parameter key: The account.
    public subscript(data key: String) -> Data? {
        get { try? getData(key) }
        set {
            if let newValue {
                try? set(newValue, key: key)
            } else {
                try? remove(key)
            }
        }
    }

    /// An item with its attributes and its value; nil where it cannot be read, for whatever reason.
    ///
    /// - Parameter key: The account.
    public subscript(attributes key: String) -> Attributes? {
        try? get(key) { $0 }
    }
}
