internal import Certificates
internal import ItemStore
internal import SecureMemory

extension Keychain {
    /// The most certificates that are looked at for one chain, the first included.
    private static let maximumChainCount = 16

    /// Whether an item that a query has found meets its conditions on certificates.
    ///
    /// - Throws: `VestryError` with the code `locked` where it cannot be told, and `notAvailable`
    ///   without OpenSSL's libcrypto.
    func meetsCertificateConditions(
        _ row: ItemRow, _ protection: Protection, _ metadata: ItemMetadata, _ query: ItemQuery,
        _ presence: PresenceKeys, in transaction: borrowing ItemTransaction
    ) throws(VestryError) -> Bool {
        guard let conditions = query.certificate else { return true }
        let der = try certificate(
            in: row, protection, metadata, transaction, presence)
        guard let certificate = try Self.parsed(der) else { return false }
        if let address = conditions.emailAddressIfPresent?.lowercased(),
            !certificate.emailAddresses.isEmpty,
            !certificate.emailAddresses.contains(where: { $0.lowercased() == address })
        {
            return false
        }
        if let date = conditions.validityDate {
            let validity = certificate.validity
            guard date >= Double(validity.lowerBound), date <= Double(validity.upperBound) else {
                return false
            }
        }
        guard !conditions.issuers.isEmpty || conditions.policy != nil else { return true }
        let chain = try chain(from: der, certificate, presence, in: transaction)
        if !conditions.issuers.isEmpty,
            !chain.contains(where: { conditions.issuers.contains($0.certificate.issuer) })
        {
            return false
        }
        guard let policy = conditions.policy else { return true }
        let time = wholeSeconds(conditions.validityDate ?? transaction.now)
        let anchors = trustAnchors
        return try mappingErrors { () throws(CertificateError) in
            try Certificate.isTrusted(
                chain.map(\.der), anchors: anchors, purpose: policy.purpose.certificatePurpose,
                hostName: policy.hostName, at: time)
        }
    }

    /// A certificate, and those in the keychain that may have issued it, and so on.
    private func chain(
        from der: [UInt8], _ first: Certificate, _ presence: PresenceKeys,
        in transaction: borrowing ItemTransaction
    ) throws(VestryError) -> [(der: [UInt8], certificate: Certificate)] {
        var chain = [(der: der, certificate: first)]
        var next = 0
        while next < chain.count {
            let certificate = chain[next].certificate
            next += 1
            guard certificate.issuer != certificate.subject else { continue }
            var query = ItemQuery(.certificate, [.subject: .data(certificate.issuer)])
            query.synchronizable = .any
            guard let compiled = try compile(query, in: transaction) else { continue }
            let reader = try transaction.reader(of: .metadataAndValue)
            for number in try transaction.numbers(compiled)
            where chain.count < Self.maximumChainCount {
                let row = try reader.publicRow(number)
                switch try transaction.examine(row, compiled) {
                case .noMatch: continue
                case .locked: throw try transaction.lockedError(row)
                case .match(let protection, let metadata):
                    // Nobody is asked for a certificate that was not asked for.
                    guard !protection.needsPresence, !protection.hasApplicationPassword else {
                        continue
                    }
                    let issuer = try self.certificate(
                        in: row, protection, metadata, transaction, presence)
                    guard !chain.contains(where: { $0.der == issuer }),
                        let parsed = try Self.parsed(issuer)
                    else { continue }
                    chain.append((issuer, parsed))
                }
            }
        }
        return chain
    }

    private func certificate(
        in row: ItemRow, _ protection: Protection, _ metadata: ItemMetadata,
        _ transaction: borrowing ItemTransaction, _ presence: PresenceKeys
    ) throws(VestryError) -> [UInt8] {
        var row = row
        if row.value == nil {
            guard let whole = try transaction.row(primaryTag: row.primaryTag) else {
                throw VestryError(.itemDamaged, detail: "its row is gone")
            }
            row = whole
        }
        let secret = try transaction.openSecret(
            of: row, protection, metadata, presence: presence)
        return secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// Nil for an item that was stored as attributes, without its certificate.
    private static func parsed(_ der: [UInt8]) throws(VestryError) -> Certificate? {
        do {
            return try Certificate(der: der)
        } catch .malformed {
            return nil
        } catch {
            throw error.publicError
        }
    }
}

extension CertificateConditions.Policy.Purpose {
    fileprivate var certificatePurpose: Certificate.Purpose {
        switch self {
        case .any: .any
        case .tlsServer: .tlsServer
        case .tlsClient: .tlsClient
        }
    }
}
