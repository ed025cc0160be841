package import Certificates
public import SecureMemory

/// A certificate together with its private key.
public struct ItemIdentity: Sendable {
    /// Its secret is the certificate itself, DER.
    public let certificate: ItemRecord
    public let privateKey: ItemRecord
}

extension Keychain {
    /// Adds a certificate; subject, issuer, serial number, key identifier and key hash come from it.
    ///
    /// - Parameters:
    ///   - der: Exactly one certificate. It is not verified.
    ///   - attributes: What the certificate does not say, such as ``ItemAttribute/label``, which is
    ///     the subject's common name unless given.
    /// - Returns: The persistent reference, 16 bytes.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/parameter`` for bytes that are no
    ///   certificate and for an attribute that it contradicts; ``VestryError/Code/notAvailable``
    ///   when OpenSSL's libcrypto is not installed; and the codes of ``add(_:attributes:secret:)``.
    @discardableResult
    public func addCertificate(
        der: [UInt8], attributes: [ItemAttribute: AttributeValue] = [:]
    ) throws(VestryError) -> [UInt8] {
        try addCertificate(der: der, attributes: attributes, applicationPassword: nil)
    }

    /// Adds a certificate as ``addCertificate(der:attributes:)`` does, under an application password.
    package func addCertificate(
        der: [UInt8], attributes: [ItemAttribute: AttributeValue],
        applicationPassword: ApplicationPassword?
    ) throws(VestryError) -> [UInt8] {
        var said = try Self.attributes(ofCertificate: der)
        let label = said.removeValue(forKey: .label)
        for (attribute, value) in said {
            if let given = attributes[attribute], given.converted(to: attribute.kind) != value {
                throw VestryError(
                    .parameter, detail: "\(attribute.rawValue) is not the certificate's")
            }
        }
        if attributes[.label] == nil { said[.label] = label }
        return try add(
            .certificate, attributes: attributes.merging(said) { $1 },
            secret: SecretBytes(copying: der.span), applicationPassword: applicationPassword)
    }

    /// What a certificate says about itself; its label is the subject's common name.
    static func attributes(
        ofCertificate der: [UInt8]
    ) throws(VestryError) -> [ItemAttribute: AttributeValue] {
        let certificate = try mappingErrors { () throws(CertificateError) in
            try Certificate(der: der)
        }
        var said: [ItemAttribute: AttributeValue] = [
            .certificateType: .number(certificate.version), .certificateEncoding: .number(3),
            .subject: .data(certificate.subject), .issuer: .data(certificate.issuer),
            .serialNumber: .data(certificate.serialNumber),
            .publicKeyHash: .data(certificate.publicKeyHash),
            .label: .string(certificate.summary),
        ]
        if let identifier = certificate.subjectKeyID { said[.subjectKeyID] = .data(identifier) }
        return said
    }

    /// Adds a key; its class, type and size come from it, and its application label is the hash that
    /// joins it with its certificate.
    ///
    /// - Parameters:
    ///   - der: A private key (PKCS #8, or PKCS #1 and SEC 1 of RSA and EC) or a public key
    ///     (SubjectPublicKeyInfo, or PKCS #1 of RSA), not encrypted.
    ///   - attributes: Everything else; a value here is used instead of the key's own.
    /// - Returns: The persistent reference, 16 bytes.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/parameter`` for bytes that are no
    ///   such key; and the codes of ``addCertificate(der:attributes:)``.
    @discardableResult
    public func addKey(
        der: borrowing SecretBytes, attributes: [ItemAttribute: AttributeValue] = [:]
    ) throws(VestryError) -> [UInt8] {
        try addKey(der, form: .der, attributes: attributes)
    }

    /// Adds a key in one of its forms.
    ///
    /// - Parameters:
    ///   - bytes: Exactly one key; it is stored as it is.
    ///   - form: Its form.
    ///   - attributes: As for ``addKey(der:attributes:)``.
    ///   - applicationPassword: As for ``add(_:attributes:secret:applicationPassword:)``.
    /// - Returns: The persistent reference, 16 bytes.
    /// - Throws: ``VestryError``, with the codes of ``addKey(der:attributes:)``.
    package func addKey(
        _ bytes: borrowing SecretBytes, form: KeyDescription.Form,
        attributes: [ItemAttribute: AttributeValue],
        applicationPassword: ApplicationPassword? = nil
    ) throws(VestryError) -> [UInt8] {
        let key: KeyDescription
        do {
            key = try KeyDescription(bytes, form: form)
        } catch {
            throw error.publicError
        }
        return try add(
            .key, attributes: key.attributes.merging(attributes) { $1 }, secret: bytes,
            applicationPassword: applicationPassword)
    }

    /// Returns the certificates that have their private key in the keychain too.
    ///
    /// - Parameters:
    ///   - query: Of the class ``ItemClass/identity``. Attributes that certificates have are
    ///     conditions on the certificate, those that only keys have on the key; the rest holds for
    ///     the certificate.
    ///   - wantingSecrets: Whether both records have their secrets.
    /// - Returns: At least one, in the order in which the certificates were added.
    /// - Throws: ``VestryError``, with the codes of ``find(_:wantingSecrets:)``.
    public func identities(
        _ query: ItemQuery, wantingSecrets: Bool = false
    ) throws(VestryError) -> [ItemIdentity] {
        guard query.itemClass == .identity else {
            throw VestryError(.parameter, detail: "the query is not for identities")
        }
        let limit = try query.checkedLimit()
        var certificates = query
        certificates.itemClass = .certificate
        certificates.limit = .all
        var keys = query
        keys.itemClass = .key
        keys.limit = .one
        keys.persistentReference = nil
        (keys.label, keys.subject, keys.certificate, keys.references) = (nil, nil, nil, nil)
        keys.attributes = [:]
        for (attribute, value) in query.attributes where !attribute.belongs(to: .certificate) {
            certificates.attributes[attribute] = nil
            keys.attributes[attribute] = value
        }
        keys.attributes[.keyClass] = 1

        var found: [ItemIdentity] = []
        for certificate in try find(certificates, wantingSecrets: wantingSecrets).records
        where found.count < limit {
            guard let hash = certificate[.publicKeyHash] else { continue }
            keys.attributes[.applicationLabel] = hash
            do throws(VestryError) {
                let key = try find(keys, wantingSecrets: wantingSecrets).records.first
                if let key {
                    found.append(ItemIdentity(certificate: certificate, privateKey: key))
                }
            } catch .itemNotFound {
                continue
            }
        }
        guard !found.isEmpty else { throw VestryError(.itemNotFound) }
        return found
    }
}

extension KeyDescription {
    /// What an item with this key says about it.
    package var attributes: [ItemAttribute: AttributeValue] {
        var attributes: [ItemAttribute: AttributeValue] = [
            .keyClass: isPrivate ? 1 : 0, .applicationLabel: .data(publicKeyHash),
            .keySizeInBits: .number(sizeInBits), .effectiveKeySize: .number(sizeInBits),
            .isPermanent: true, .isPrivate: .bool(isPrivate),
        ]
        // Apple's numbers: kSecAttrKeyTypeRSA and kSecAttrKeyTypeEC.
        switch algorithm {
        case .rsa: attributes[.type] = 42
        case .ellipticCurve: attributes[.type] = 73
        case .other: break
        }
        return attributes
    }
}
