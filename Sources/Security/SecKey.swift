internal import Certificates
public import Foundation
internal import SecureMemory
internal import SecurityNames
internal import Vestry

/// A public or private key of RSA or of an elliptic curve (Apple: Certificate, Key, and Trust
/// Services).
///
/// The value of `kSecValueRef` of items of the class `kSecClassKey`. Its bytes are in guarded memory
/// and are zeroed at the end; what is exported is the program's to wipe.
public final class SecKey: Sendable {
    let bytes: SecretBytes
    let form: KeyDescription.Form
    let contents: KeyDescription
    /// What the item that it comes from says besides; empty for a key that comes from none.
    let itemAttributes: [ItemAttribute: AttributeValue]

    /// Nil for bytes that are no such key, and without OpenSSL's libcrypto.
    init?(
        _ bytes: consuming SecretBytes, form: KeyDescription.Form,
        itemAttributes: [ItemAttribute: AttributeValue] = [:]
    ) {
        guard let contents = try? KeyDescription(bytes, form: form) else { return nil }
        self.bytes = bytes
        self.form = form
        self.contents = contents
        self.itemAttributes = itemAttributes
    }

    /// A public key in the form that Apple exports.
    convenience init?(exported: [UInt8], algorithm: KeyDescription.Algorithm) {
        self.init(
            SecretBytes(copying: exported.span),
            form: algorithm == .ellipticCurve ? .publicPoint : .der)
    }

    /// The attributes that the key has as an item, or had.
    var attributes: [ItemAttribute: AttributeValue] {
        contents.attributes.merging(itemAttributes) { $1 }
    }
}

extension KeyDescription.Form {
    /// The form of a key that an item holds, or is to hold.
    ///
    /// - Parameters:
    ///   - bytes: The item's secret.
    ///   - keyClass: What the item says it is; a point does not say that by itself.
    /// - Returns: Nil for what is no key of RSA or of an elliptic curve, such as a symmetric one.
    static func form(of bytes: borrowing SecretBytes, keyClass: AttributeValue?) -> Self? {
        let number = keyClass?.number ?? keyClass?.string.flatMap { Int64($0) }
        let forms: [Self] =
            switch number {
            case 0: [.der, .publicPoint]
            case 1: [.der, .privatePoint]
            case nil: [.der]
            default: []
            }
        for form in forms where (try? KeyDescription(bytes, form: form)) != nil { return form }
        return nil
    }
}

extension SecKey: Hashable {
    /// Two keys are equal by what they are, whatever form they came in.
    public static func == (left: SecKey, right: SecKey) -> Bool { left.contents == right.contents }

    public func hash(into hasher: inout Hasher) { hasher.combine(contents.publicKeyHash) }
}

extension SecKey: CustomStringConvertible {
    /// Class and size, and nothing of the key.
    public var description: String {
        "<SecKey: \(contents.isPrivate ? "private" : "public"), \(contents.sizeInBits) bits>"
    }
}

/// Reads a key (Apple: Certificate, Key, and Trust Services).
///
/// - Parameters:
///   - keyData: Of an RSA key PKCS #1, PKCS #8 or SubjectPublicKeyInfo; of an elliptic curve (P-256,
///     P-384 and P-521) the point as of ANSI X9.63, with K after it for a private key, or one of the
///     others.
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`; a `kSecAttrKeySizeInBits` must be the
///     key's.
///   - error: Where an error goes, retained; nil for nowhere.
/// - Returns: Nil with the error `errSecParam` for other attributes and for data that they
///   contradict.
public func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    func attribute(_ attribute: ItemAttribute) -> AttributeValue? {
        attributes[attribute.rawValue].flatMap { try? AttributeValue($0, for: attribute) }
            .flatMap { $0.number ?? $0.string.flatMap { Int64($0) } }.map { .number($0) }
    }
    let bytes = SecretBytes(copying: keyData.span)
    if let keyClass = attribute(.keyClass), let type = attribute(.type),
        let form = KeyDescription.Form.form(of: bytes, keyClass: keyClass),
        let key = SecKey(bytes, form: form)
    {
        let own = key.contents.attributes
        let size = attribute(.keySizeInBits)
        if own[.keyClass] == keyClass, own[.type] == type,
            size == nil || size == own[.keySizeInBits]
        {
            return key
        }
    }
    unsafe report(errSecParam, to: error)
    return nil
}

/// The key's bytes (Apple: Certificate, Key, and Trust Services).
///
/// - Parameters:
///   - key: Any; every key can be exported here.
///   - error: Where an error goes, retained; nil for nowhere.
/// - Returns: PKCS #1 of an RSA key; of an elliptic curve the point as of ANSI X9.63, with K after it
///   for a private key. Nil with the error `errSecUnsupportedFormat` for another algorithm.
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    guard let data = key.exported else {
        unsafe report(errSecUnsupportedFormat, to: error)
        return nil
    }
    return data
}

/// What the key is (Apple: Certificate, Key, and Trust Services).
///
/// - Parameter key: Any.
/// - Returns: Type, class, size, the hash that joins it with its certificate as
///   `kSecAttrApplicationLabel`, and what the item says that it comes from.
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
    var attributes: CFDictionary = [:]
    for (attribute, value) in key.attributes {
        attributes[attribute.rawValue] = value.foundationValue
    }
    return attributes
}

/// The public half (Apple: Certificate, Key, and Trust Services).
///
/// - Parameter key: Public or private.
/// - Returns: Nil for an algorithm that is neither RSA nor an elliptic curve.
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
    guard
        let half = try? KeyDescription.exported(key.bytes, form: key.form, isPublicHalf: true)
    else { return nil }
    return SecKey(half, form: key.contents.algorithm == .ellipticCurve ? .publicPoint : .der)
}

/// The size of the key in bytes (Apple: Certificate, Key, and Trust Services).
///
/// - Parameter key: Any.
/// - Returns: Of RSA, the size of a block; of an elliptic curve, that of a coordinate.
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { Int(key.contents.sizeInBits + 7) / 8 }

extension SecKey {
    /// Nil for an algorithm that Apple has no form for.
    var exported: Data? {
        guard let exported = try? KeyDescription.exported(bytes, form: form) else { return nil }
        return data(exported)
    }
}

/// Leaves an error with the number of a status.
func report(_ status: OSStatus, to error: UnsafeMutablePointer<Unmanaged<CFError>?>?) {
    let failure = NSError(
        domain: "NSOSStatusErrorDomain", code: Int(status),
        userInfo: [NSLocalizedDescriptionKey: message(for: status)])
    unsafe error?.pointee = unsafe Unmanaged.passRetained(failure)
}

/// A copy of a secret in ordinary memory.
func data(_ secret: borrowing SecretBytes) -> Data {
    secret.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Data($0) } }
}
