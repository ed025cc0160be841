/// Which items an operation is about.
///
/// All conditions must hold. What is left as it is asks for nothing, but for two defaults of Apple's:
/// ``synchronizable`` and the access groups.
///
/// ```swift
/// var query = ItemQuery(.internetPassword, [.server: "example.org"])
/// query.limit = .all
/// ```
public struct ItemQuery: Sendable {
    /// How many items a search returns at most.
    public enum Limit: Hashable, Sendable {
        case one
        case number(Int)
        case all
    }

    /// Which items a search finds by whether they are carried to other devices.
    public enum Synchronizability: Hashable, Sendable {
        case no
        case yes
        /// `kSecAttrSynchronizableAny`.
        case any
    }

    /// What happens with items whose secret takes a question (`kSecUseAuthenticationUI`).
    public enum AuthenticationUI: Hashable, Sendable {
        case allow
        /// They are ``VestryError/Code/locked``.
        case fail
        /// They are left out; searches only.
        case skip
    }

    /// Where in a text another one must stand.
    public enum TextMatch: Hashable, Sendable {
        case contains(String)
        case startsWith(String)
        case endsWith(String)
        case whole(String)
    }

    /// The class; nil only together with a ``persistentReference``.
    public var itemClass: ItemClass?
    /// Values that the attributes must be equal to.
    public var attributes: [ItemAttribute: AttributeValue]
    /// Items that are not synchronizable, unless told otherwise; a persistent reference finds its
    /// item in either case.
    public var synchronizable: Synchronizability = .no
    /// Groups of the caller's; nil for all of ``Keychain/accessGroups``.
    public var accessGroups: [String]?
    /// The 16 bytes that ``Keychain/add(_:attributes:secret:)`` returned.
    public var persistentReference: [UInt8]?
    /// Nil for the operation's own limit: one for a search, all for an update or a deletion.
    public var limit: Limit?
    /// Whether texts are compared without regard to case.
    public var isCaseInsensitive = false
    /// A condition on the label.
    public var label: TextMatch?
    /// A condition on the readable form (RFC 2253) of a certificate's subject, such as
    /// "CN=example.org,O=Example".
    public var subject: TextMatch?
    /// What a certificate must be besides; reading it takes the key of its class.
    public var certificate: CertificateConditions?
    /// Only items with one of these persistent references; nil for all.
    public var references: Set<[UInt8]>?
    /// What makes texts that count as equal the same text; nil for what ``isCaseInsensitive`` says.
    package var textFolding: (@Sendable (String) -> String)?
    /// A host name that the server of an internet password must be, or be a subdomain of.
    public var hostOrSubdomain: String?
    public var authenticationUI: AuthenticationUI = .allow
    /// Why the user is asked, where an item asks for the user (`kSecUseOperationPrompt`).
    public var prompt: String?
    /// In place of ``Keychain/presenceReuseDuration``; nil for that.
    public var presenceReuseDuration: Duration?
    /// What opens and seals the secrets of items with ``AccessControl/Flags/applicationPassword``.
    public var applicationPassword: ApplicationPassword?
    /// Whether locked items are left out and counted, instead of being an error.
    public var isOnlyReadable = false

    public init(_ itemClass: ItemClass, _ attributes: [ItemAttribute: AttributeValue] = [:]) {
        self.itemClass = itemClass
        self.attributes = attributes
    }

    /// The one item with a persistent reference, of whatever class.
    public init(persistentReference: [UInt8]) {
        self.persistentReference = persistentReference
        attributes = [:]
    }
}
