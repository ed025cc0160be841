internal import Foundation
internal import SecureMemory
internal import SecurityNames
internal import Vestry

/// An item that a function has found or added, to be returned in Apple's shape.
struct FoundItem {
    /// Of an identity, its certificate's.
    let record: ItemRecord
    let attributes: [ItemAttribute: AttributeValue]
    let secret: Data
    /// Nil for passwords, which have none.
    let reference: AnyObject?

    /// An item with a secret that is known already.
    init(_ record: ItemRecord, secret: Data, reference: AnyObject?) {
        self.record = record
        attributes = record.attributes
        self.secret = secret
        self.reference = reference
    }

    /// An item of a search.
    init(_ record: ItemRecord) {
        let found = record.withSecret { secret in
            (data(secret), SecItemReference(record, secret: secret)?.object)
        }
        self.init(record, secret: found?.0 ?? Data(), reference: found?.1)
    }

    /// An identity: the attributes of both of its parts, and the secret of the certificate.
    init(_ identity: ItemIdentity) {
        record = identity.certificate
        attributes = identity.privateKey.attributes.merging(record.attributes) { $1 }
        let certificate = FoundItem(identity.certificate)
        secret = certificate.secret
        let key = FoundItem(identity.privateKey).reference as? SecKey
        if let certificate = certificate.reference as? SecCertificate, let key {
            reference = SecIdentity(certificate, key)
        } else {
            reference = nil
        }
    }
}

extension SecItemRequest {
    /// The result of a search in Apple's shape.
    ///
    /// - Parameter items: What was found, at least one.
    /// - Returns: Nil where nothing is asked for, or only an object that the item does not have; else
    ///   one thing, or a dictionary of several; and an array of these where the limit is above one.
    func result(_ items: [FoundItem]) -> CFTypeRef? {
        guard !returns.isEmpty else { return nil }
        let results = items.compactMap { result($0) }
        switch match.limit {
        case .one, nil, .number(1): return results.first.map { $0 as AnyObject }
        case .all, .number: return results as AnyObject
        }
    }

    /// What is returned of one item.
    func result(_ item: FoundItem) -> Any? {
        let persistent = Data(item.record.persistentReference)
        if returns == .data { return item.secret }
        if returns == .persistentReference { return persistent }
        if returns == .reference { return item.reference }
        var dictionary = returns.contains(.attributes) ? Self.dictionary(item) : [:]
        if returns.contains(.data) { dictionary[kSecValueData] = item.secret }
        if returns.contains(.reference) { dictionary[kSecValueRef] = item.reference }
        if returns.contains(.persistentReference) {
            dictionary[kSecValuePersistentRef] = persistent
        }
        return dictionary
    }

    /// The attributes of an item under Apple's keys; access control is always among them.
    private static func dictionary(_ item: FoundItem) -> CFDictionary {
        var dictionary: CFDictionary = [:]
        for (attribute, value) in item.attributes {
            dictionary[attribute.rawValue] = value.foundationValue
        }
        dictionary[kSecAttrAccessControl] = SecAccessControl(
            AccessControl(item.record.accessibility, item.record.accessControl))
        return dictionary
    }
}
