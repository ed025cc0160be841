internal import CCrypto

extension Certificate {
    /// What a certificate is wanted for.
    public enum Purpose: Sendable {
        case any
        case tlsServer
        case tlsClient
    }

    /// Whether a chain of certificates leads to an anchor.
    ///
    /// Revocation is not looked up: that would take the network.
    ///
    /// - Parameters:
    ///   - chain: DER, the certificate in question first, the others in any order.
    ///   - anchors: DER; nil for those that OpenSSL is installed with.
    ///   - purpose: What it must be usable for.
    ///   - hostName: A host name or an address that it must be for; nil for none.
    ///   - time: When it must be valid, in seconds since 1970.
    /// - Returns: False for every reason that speaks against it.
    /// - Throws: `CertificateError`.
    public static func isTrusted(
        _ chain: [[UInt8]], anchors: [[UInt8]]?, purpose: Purpose, hostName: String?, at time: Int64
    ) throws(CertificateError) -> Bool {
        // A zero byte would end the name early, and another host would be asked for.
        if let hostName, hostName.utf8.contains(0) { return false }
        let chain = Array(chain.joined())
        let anchors = anchors.map { Array($0.joined()) }
        var isTrusted: Int32 = 0
        let result = unsafe withOptionalCString(hostName) { host in
            var policy = unsafe vestry_trust_policy(
                purpose: purpose.number, host: host, time: time)
            guard let anchors else {
                return unsafe vestry_certificates_verify(
                    chain, chain.count, nil, 0, &policy, &isTrusted)
            }
            return unsafe vestry_certificates_verify(
                chain, chain.count, anchors, anchors.count, &policy, &isTrusted)
        }
        try check(result)
        return isTrusted != 0
    }

    /// The public key of a certificate.
    ///
    /// - Parameter der: Exactly one certificate.
    /// - Returns: What the key is, and the key in the form that Apple exports.
    /// - Throws: `CertificateError`; `malformed` also for an algorithm that has no such form.
    public static func publicKey(
        of der: [UInt8]
    ) throws(CertificateError) -> (description: KeyDescription, exported: [UInt8]) {
        var key = vestry_key()
        var exported = unsafe vestry_crypto_bytes()
        try check(unsafe vestry_certificate_key(der, der.count, &key, &exported))
        defer { unsafe vestry_crypto_free(&exported) }
        return (KeyDescription(key), unsafe copy(exported))
    }
}

extension Certificate.Purpose {
    fileprivate var number: vestry_purpose {
        switch self {
        case .any: VESTRY_PURPOSE_ANY
        case .tlsServer: VESTRY_PURPOSE_TLS_SERVER
        case .tlsClient: VESTRY_PURPOSE_TLS_CLIENT
        }
    }
}

private func withOptionalCString<Result>(
    _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
    guard let text else { return body(nil) }
    return unsafe text.withCString { unsafe body($0) }
}
