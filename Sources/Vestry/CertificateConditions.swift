/// What a certificate must be, besides its attributes.
public struct CertificateConditions: Hashable, Sendable {
    /// What a certificate is to be trusted for.
    public struct Policy: Hashable, Sendable {
        public enum Purpose: Hashable, Sendable {
            case any
            case tlsServer
            case tlsClient
        }

        public var purpose: Purpose
        /// A host name or an address that the certificate must be for; nil for none.
        public var hostName: String?

        public init(_ purpose: Purpose = .any, hostName: String? = nil) {
            self.purpose = purpose
            self.hostName = hostName
        }
    }

    /// Names, DER, of which one must have issued a certificate of the chain; empty for any.
    ///
    /// The chain is looked for in the keychain.
    public var issuers: [[UInt8]] = []
    /// An address, whatever its case, that must be among those of a certificate that has any.
    public var emailAddressIfPresent: String?
    /// A moment at which it must be valid, in seconds since 1970.
    public var validityDate: Double?
    /// That it must lead to one of the system's trusted certificates; nil asks for no trust.
    ///
    /// The chain goes by way of certificates in the keychain, and must be valid at ``validityDate`` or
    /// else now. Revocation is not looked up.
    public var policy: Policy?

    public init() {}
}
