public import Foundation
internal import SecureMemory
internal import Vestry

/// An item as ``Keychain/get(_:ignoringAttributeSynchronizable:handler:)`` and
/// ``Keychain/subscript(attributes:)`` give it.
///
/// ``data`` is a copy of the secret in ordinary memory, which nothing zeroes.
public struct Attributes: Sendable {
    static let valueDataKey = "v_Data"
    static let persistentReferenceKey = "v_PersistentRef"
    static let classKey = "class"

    private let values: [String: any Sendable]

    init(_ record: ItemRecord) {
        var values: [String: any Sendable] = [
            Self.classKey: record.itemClass.rawValue,
            Self.persistentReferenceKey: Data(record.persistentReference),
        ]
        for (attribute, value) in record.attributes where attribute != .persistentReference {
            values[attribute.rawValue] = value.foundation
        }
        values[Self.valueDataKey] = record.data
        if !record.accessControl.isEmpty {
            values[ItemAttribute.accessControl.rawValue] = SecAccessControl(
                AccessControl(record.accessibility, record.accessControl))
        }
        self.values = values
    }

    private subscript(attribute: ItemAttribute) -> (any Sendable)? { values[attribute.rawValue] }

    /// The value under one of Apple's raw names.
    ///
    /// - Parameter key: Such as "acct" or "v_Data".
    /// - Returns: A `String`, `Data`, `Int`, `Bool`, `Date` or `SecAccessControl`; nil where the item
    ///   does not have it.
    public subscript(key: String) -> Any? { values[key] }
}

extension Attributes {
    /// The raw value of the item's ``ItemClass``.
    public var `class`: String? { values[Self.classKey] as? String }
    /// The secret.
    public var data: Data? { values[Self.valueDataKey] as? Data }
    /// Always nil: passwords have no reference but the persistent one.
    public var ref: Data? { nil }
    /// 16 bytes that name the item for as long as it lives.
    public var persistentRef: Data? { values[Self.persistentReferenceKey] as? Data }
    /// The raw value of the item's ``Accessibility``.
    public var accessible: String? { self[.accessible] as? String }
    /// What a read asks for besides; nil where it asks for nothing.
    public var accessControl: SecAccessControl? { self[.accessControl] as? SecAccessControl }
    /// The access group.
    public var accessGroup: String? { self[.accessGroup] as? String }
    /// Whether the item may be carried to other devices.
    public var synchronizable: Bool? { self[.synchronizable] as? Bool ?? false }
    /// When the item was added.
    public var creationDate: Date? { self[.creationDate] as? Date }
    /// When anything about the item was changed last.
    public var modificationDate: Date? { self[.modificationDate] as? Date }
    /// What kind of password it is, for people.
    public var attributeDescription: String? { self[.kindDescription] as? String }
    /// A comment for people.
    public var comment: String? { self[.comment] as? String }
    /// The four characters of the program that made the item.
    public var creator: String? { fourCharacters(.creator) }
    /// The four characters of the item's type.
    public var type: String? { fourCharacters(.type) }
    /// A name for people.
    public var label: String? { self[.label] as? String }
    /// Whether the item is to be hidden from lists.
    public var isInvisible: Bool? { self[.isInvisible] as? Bool }
    /// Whether no password is stored and the user is always to be asked.
    public var isNegative: Bool? { self[.isNegative] as? Bool }
    /// The key.
    public var account: String? { self[.account] as? String }
    /// The service of a generic password.
    public var service: String? { self[.service] as? String }
    /// Bytes of the program's own, of a generic password.
    public var generic: Data? { self[.generic] as? Data }
    /// The security domain of an internet password.
    public var securityDomain: String? { self[.securityDomain] as? String }
    /// The host of an internet password.
    public var server: String? { self[.server] as? String }
    /// The raw value of an internet password's ``ProtocolType``.
    public var `protocol`: String? { self[.networkProtocol] as? String }
    /// The raw value of an internet password's ``AuthenticationType``.
    public var authenticationType: String? { self[.authenticationType] as? String }
    /// The port of an internet password.
    public var port: Int? { self[.port] as? Int }
    /// The path of an internet password.
    public var path: String? { self[.path] as? String }

    private func fourCharacters(_ attribute: ItemAttribute) -> String? {
        guard let number = self[attribute] as? Int, let code = UInt32(exactly: number) else {
            return nil
        }
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension Attributes: CustomStringConvertible, CustomDebugStringConvertible {
    /// The attributes by their raw names, in alphabetical order, without the secret.
    public var description: String {
        let lines = values.filter { $0.key != Self.valueDataKey }
            .sorted { $0.key < $1.key }
            .map { "\"\($0.key)\": \($0.value)" }
        return "[" + lines.joined(separator: ", ") + "]"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}

extension ItemRecord {
    /// A copy of the secret in ordinary memory, or nil where the search was not asked for it.
    var data: Data? {
        withSecret { secret in
            secret.withBytes { bytes in
                unsafe bytes.withUnsafeBufferPointer { unsafe Data(buffer: $0) }
            }
        }
    }
}

extension AttributeValue {
    fileprivate var foundation: any Sendable {
        switch self {
        case .string(let text): text
        case .data(let bytes): Data(bytes)
        case .number(let number): Int(number)
        case .bool(let bool): bool
        case .date(let seconds): Date(timeIntervalSince1970: seconds)
        }
    }
}
