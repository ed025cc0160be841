internal import Certificates
internal import Foundation
internal import SecureMemory
internal import SecurityNames
internal import Vestry

/// What a program names an item by: an object, or the item's persistent reference.
enum SecItemReference {
    case certificate(SecCertificate)
    case key(SecKey)
    case identity(SecIdentity)
    case persistent([UInt8])

    /// Nil for anything else.
    init?(_ value: Any) {
        switch value {
        case let certificate as SecCertificate: self = .certificate(certificate)
        case let key as SecKey: self = .key(key)
        case let identity as SecIdentity: self = .identity(identity)
        case let data as Data: self = .persistent([UInt8](data))
        default: return nil
        }
    }

    /// The object of an item; nil for passwords, which have none, and for what is no certificate or no
    /// key of RSA or of an elliptic curve.
    ///
    /// - Parameters:
    ///   - record: The item; of an identity, one of its two.
    ///   - secret: The item's secret.
    init?(_ record: ItemRecord, secret: borrowing SecretBytes) {
        switch record.itemClass {
        case .certificate:
            let der = secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
            guard let certificate = SecCertificate(der: der) else { return nil }
            self = .certificate(certificate)
        case .key:
            let copy = secret.withBytes { SecretBytes(copying: $0) }
            guard let form = KeyDescription.Form.form(of: secret, keyClass: record[.keyClass]),
                let key = SecKey(copy, form: form, itemAttributes: record.attributes)
            else { return nil }
            self = .key(key)
        case .genericPassword, .internetPassword, .identity: return nil
        }
    }

    /// The object; nil for a persistent reference.
    var object: AnyObject? {
        switch self {
        case .certificate(let certificate): certificate
        case .key(let key): key
        case .identity(let identity): identity
        case .persistent: nil
        }
    }

    /// Nil for a persistent reference, which does not say.
    var itemClass: ItemClass? {
        switch self {
        case .certificate: .certificate
        case .key: .key
        case .identity: .identity
        case .persistent: nil
        }
    }

    /// The attributes by which the object's item is found.
    var identifyingAttributes: [ItemAttribute: AttributeValue] {
        switch self {
        case .certificate(let certificate): certificate.identifyingAttributes
        case .identity(let identity): identity.certificate.identifyingAttributes
        case .key(let key):
            key.attributes.filter { attribute, _ in
                [.keyClass, .applicationLabel, .applicationTag].contains(attribute)
            }
        case .persistent: [:]
        }
    }
}

extension SecCertificate {
    fileprivate var identifyingAttributes: [ItemAttribute: AttributeValue] {
        [.issuer: .data(contents.issuer), .serialNumber: .data(contents.serialNumber)]
    }
}

extension [SecItemReference] {
    /// The persistent references of the items that are named, as far as there are any.
    ///
    /// - Parameter keychain: Where they are looked up; an identity counts as its certificate.
    /// - Returns: None for what is not in the keychain.
    /// - Throws: `VestryError`.
    func persistentReferences(in keychain: Keychain) throws(VestryError) -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        for reference in self {
            let itemClass: ItemClass
            switch reference {
            case .persistent(let bytes):
                found.insert(bytes)
                continue
            case .certificate, .identity: itemClass = .certificate
            case .key: itemClass = .key
            }
            var query = ItemQuery(itemClass, reference.identifyingAttributes)
            query.synchronizable = .any
            query.limit = .all
            do throws(VestryError) {
                for record in try keychain.find(query).records {
                    found.insert(record.persistentReference)
                }
            } catch .itemNotFound {
                continue
            }
        }
        return found
    }
}
