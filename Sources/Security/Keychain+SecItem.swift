internal import Certificates
internal import Foundation
internal import SecureMemory
internal import SecurityNames
internal import Vestry

// What the functions do with a keychain.

/// An item that was added.
struct AddedItem {
    /// Of an identity, that of its certificate.
    let persistentReference: [UInt8]
    let secret: Data
    /// As the program gave it.
    let reference: SecItemReference?

    /// The object of the item, as it was given or as it is now.
    func object(of record: ItemRecord) -> AnyObject? {
        if let reference { return reference.object }
        return SecItemReference(record, secret: secretBytes(secret))?.object
    }
}

extension Keychain {
    /// Adds what a request says.
    func add(_ request: SecItemRequest) throws(VestryError) -> AddedItem {
        guard let itemClass = request.itemClass else { throw VestryError(.parameter) }
        let attributes = request.attributes
        let password = request.query.applicationPassword
        switch request.reference {
        case .certificate(let certificate):
            return AddedItem(
                persistentReference: try addCertificate(
                    der: certificate.der, attributes: attributes, applicationPassword: password),
                secret: Data(certificate.der), reference: request.reference)
        case .key(let key):
            let (form, bytes) = key.stored
            return AddedItem(
                persistentReference: try addKey(
                    secretBytes(bytes), form: form, attributes: attributes,
                    applicationPassword: password),
                secret: bytes, reference: request.reference)
        case .identity(let identity):
            return AddedItem(
                persistentReference: try add(identity, attributes, password),
                secret: Data(identity.certificate.der), reference: request.reference)
        case .persistent, nil: break
        }
        let secret = request.secret ?? Data()
        let reference: [UInt8]
        if itemClass == .certificate, request.secret != nil {
            // What a certificate says about itself becomes its attributes.
            reference = try addCertificate(
                der: [UInt8](secret), attributes: attributes, applicationPassword: password)
        } else if itemClass == .key,
            let form = KeyDescription.Form.form(
                of: secretBytes(secret), keyClass: attributes[.keyClass])
        {
            reference = try addKey(
                secretBytes(secret), form: form, attributes: attributes,
                applicationPassword: password)
        } else {
            reference = try add(
                itemClass, attributes: attributes, secret: secretBytes(secret),
                applicationPassword: password)
        }
        return AddedItem(persistentReference: reference, secret: secret, reference: nil)
    }

    // Apple's keychain adds the two parts one after the other too, and forgives that one is there.
    private func add(
        _ identity: SecIdentity, _ attributes: [ItemAttribute: AttributeValue],
        _ password: ApplicationPassword?
    ) throws(VestryError) -> [UInt8] {
        var isKeyThere = false
        let (form, bytes) = identity.privateKey.stored
        do throws(VestryError) {
            _ = try addKey(
                secretBytes(bytes), form: form,
                attributes: attributes.filter { $0.key.belongs(to: .key) },
                applicationPassword: password)
        } catch .duplicateItem {
            isKeyThere = true
        }
        do throws(VestryError) {
            return try addCertificate(
                der: identity.certificate.der,
                attributes: attributes.filter { $0.key.belongs(to: .certificate) },
                applicationPassword: password)
        } catch .duplicateItem where !isKeyThere {
            var query = ItemQuery(
                .certificate,
                SecItemReference.certificate(identity.certificate).identifyingAttributes)
            query.synchronizable = .any
            guard let there = try find(query).records.first else {
                throw VestryError(.duplicateItem)
            }
            return there.persistentReference
        }
    }

    /// Finds what a request is about.
    func find(_ request: SecItemRequest) throws(VestryError) -> [FoundItem] {
        let query = try query(request)
        let wantsSecrets = try wantsSecrets(request, query)
        if query.itemClass == .identity {
            return try identities(query, wantingSecrets: wantsSecrets).map { FoundItem($0) }
        }
        return try find(query, wantingSecrets: wantsSecrets).records.map { FoundItem($0) }
    }

    private func wantsSecrets(
        _ request: SecItemRequest, _ query: ItemQuery
    ) throws(VestryError) -> Bool {
        if request.returns.contains(.data) { return true }
        guard request.returns.contains(.reference) else { return false }
        // A password has no object: it is not read, and nobody is asked for it.
        var itemClass = query.itemClass
        if itemClass == nil { itemClass = try find(query).records.first?.itemClass }
        switch itemClass {
        case .genericPassword, .internetPassword, nil: return false
        case .certificate, .key, .identity: return true
        }
    }

    /// Removes what a request is about; of identities, both parts.
    func delete(_ request: SecItemRequest) throws(VestryError) {
        var query = try query(request)
        guard query.itemClass == .identity else {
            try delete(query)
            return
        }
        query.limit = .all
        for identity in try identities(query) {
            for part in [identity.privateKey, identity.certificate] {
                do throws(VestryError) {
                    try delete(ItemQuery(persistentReference: part.persistentReference))
                } catch .itemNotFound {
                    // Two certificates can have one key.
                    continue
                }
            }
        }
    }

    /// The query of a request, with the items that it names looked up.
    func query(_ request: SecItemRequest) throws(VestryError) -> ItemQuery {
        var query = request.query
        if let items = request.match.items {
            query.references = try items.persistentReferences(in: self)
        }
        return query
    }
}

extension SecKey {
    /// The bytes of an item with this key, in the form that Apple stores where there is one.
    fileprivate var stored: (form: KeyDescription.Form, bytes: Data) {
        guard let exported else { return (form, data(bytes)) }
        guard contents.algorithm == .ellipticCurve else { return (.der, exported) }
        return (contents.isPrivate ? .privatePoint : .publicPoint, exported)
    }
}
