internal import Foundation
internal import Vestry

/// What `set` writes, for an update or, together with the key, for a new item.
struct WrittenItem {
    private(set) var attributes: [ItemAttribute: AttributeValue] = [:]
    private(set) var value: Data

    /// Puts options and the program's own attributes together; the latter win.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - key: The account of a new item; nil for an update.
    ///   - options: The keychain's.
    /// - Throws: ``Status/param`` for an attribute that passwords do not have, or a value of another
    ///   type.
    init(_ value: Data, key: String?, _ options: KeychainOptions) throws(Status) {
        self.value = value
        if let key {
            attributes = try options.scope()
            attributes[.account] = .string(key)
        }
        if let label = options.label { attributes[.label] = .string(label) }
        if let comment = options.comment { attributes[.comment] = .string(comment) }
        attributes[.synchronizable] = .bool(options.synchronizable)
        let accessibility = options.accessibility.stored
        if let policy = options.authenticationPolicy {
            guard let flags = policy.flags else { throw .param }
            attributes[.accessControl] = .data(AccessControl(accessibility, flags).encoded)
        } else {
            attributes[.accessible] = .string(accessibility.appleName)
        }
        try override(with: options.attributes)
    }

    private mutating func override(with given: [String: GivenValue]) throws(Status) {
        // One says what the other says: the program's own must not contradict the options.
        if given[ItemAttribute.accessControl.rawValue] != nil { attributes[.accessible] = nil }
        if given[ItemAttribute.accessible.rawValue] != nil { attributes[.accessControl] = nil }
        for (name, value) in given {
            guard case .attribute(let value) = value else { throw .param }
            if name == Attributes.valueDataKey {
                switch value {
                case .data(let bytes): self.value = Data(bytes)
                case .string(let text): self.value = Data(text.utf8)
                default: throw .param
                }
                continue
            }
            guard let attribute = ItemAttribute(rawValue: name) else { throw .param }
            attributes[attribute] = value
        }
    }
}
