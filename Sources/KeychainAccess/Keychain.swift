public import Foundation
public import Security
internal import Vestry

/// The passwords of a service or of a server, by their keys.
///
/// ```swift
/// let keychain = Keychain(service: "org.example.mail")
/// keychain["alice"] = "correct horse"
/// let password = try keychain.get("alice")
/// ```
///
/// The interface is that of KeychainAccess 4.2.2, over the keychain of the user who runs the program;
/// a key is an item's account. A value is never changed: what configures it returns another one. It
/// holds no secret, and can be used from any thread, task or actor.
///
/// Errors are of the type ``Status``, and nothing is printed.
public final class Keychain: Sendable {
    let options: KeychainOptions
    /// In place of the user's own; tests set it.
    private let replacement: Vestry.Keychain?

    /// The keychain of the user who runs the program, unless a test says another.
    @TaskLocal static var testKeychain: Vestry.Keychain?

    init(_ options: KeychainOptions, replacement: Vestry.Keychain? = testKeychain) {
        self.options = options
        self.replacement = replacement
    }

    /// The passwords of the service with the empty name.
    ///
    /// KeychainAccess takes the name from the program's bundle. Programs on Linux have none, and a
    /// name that came from the program's file would change with every move: so this is the same
    /// keychain in all programs of a user. Prefer ``init(service:accessGroup:)``.
    public convenience init() {
        self.init(KeychainOptions())
    }

    /// The passwords of the service with the empty name, in an access group.
    ///
    /// - Parameter accessGroup: One of the groups that `~/.config/vestry/access-groups` gives this
    ///   program; with another one, every operation throws ``Status/missingEntitlement``.
    public convenience init(accessGroup: String) {
        var options = KeychainOptions()
        options.accessGroup = accessGroup
        self.init(options)
    }

    /// The passwords of a service.
    ///
    /// - Parameters:
    ///   - service: Any text; by custom a name such as "org.example.mail".
    ///   - accessGroup: One of the program's groups; nil for all of them, of which the first gets new
    ///     items.
    public convenience init(service: String, accessGroup: String? = nil) {
        var options = KeychainOptions()
        options.service = service
        options.accessGroup = accessGroup
        self.init(options)
    }

    /// The internet passwords of a server.
    ///
    /// - Parameters:
    ///   - server: A URL, of which host and port count. With a text that is no URL, every operation
    ///     of the keychain throws ``Status/param``.
    ///   - protocolType: How the server is spoken to.
    ///   - accessGroup: One of the program's groups; nil for all of them, of which the first gets new
    ///     items.
    ///   - authenticationType: How the password is presented.
    public convenience init(
        server: String, protocolType: ProtocolType, accessGroup: String? = nil,
        authenticationType: AuthenticationType = .default
    ) {
        self.init(
            Self.options(
                of: URL(string: server), protocolType, accessGroup, authenticationType))
    }

    /// The internet passwords of a server.
    ///
    /// - Parameters:
    ///   - server: Its host and port count. Without a port, the passwords of every port are found, and
    ///     new ones have none.
    ///   - protocolType: How the server is spoken to.
    ///   - accessGroup: One of the program's groups; nil for all of them, of which the first gets new
    ///     items.
    ///   - authenticationType: How the password is presented.
    public convenience init(
        server: URL, protocolType: ProtocolType, accessGroup: String? = nil,
        authenticationType: AuthenticationType = .default
    ) {
        self.init(Self.options(of: server, protocolType, accessGroup, authenticationType))
    }

    private static func options(
        of server: URL?, _ protocolType: ProtocolType, _ accessGroup: String?,
        _ authenticationType: AuthenticationType
    ) -> KeychainOptions {
        var options = KeychainOptions()
        options.itemClass = .internetPassword
        options.server = server
        options.protocolType = protocolType
        options.accessGroup = accessGroup
        options.authenticationType = authenticationType
        return options
    }

    /// The same keychain with other options.
    func with(_ change: (inout KeychainOptions) -> Void) -> Keychain {
        var options = options
        change(&options)
        return Keychain(options, replacement: replacement)
    }

    /// The store behind it.
    func store() throws(Status) -> Vestry.Keychain {
        var store = try Self.store(replacement)
        if let accessGroup = options.accessGroup {
            // Where the program has no groups, the store says why.
            let groups = store.accessGroups
            guard
                groups.isEmpty
                    || groups.contains(where: { $0.utf8.elementsEqual(accessGroup.utf8) })
            else { throw .missingEntitlement }
            if !groups.isEmpty { store.accessGroups = [accessGroup] }
        }
        return store
    }

    static func store(_ replacement: Vestry.Keychain?) throws(Status) -> Vestry.Keychain {
        if let replacement { return replacement }
        return try withStatus { () throws(VestryError) in try Vestry.Keychain() }
    }
}

extension Keychain {
    /// What kind of passwords it is for.
    public var itemClass: ItemClass { options.itemClass }
    /// The service; empty for internet passwords.
    public var service: String { options.service }
    /// The access group, where one was named.
    public var accessGroup: String? { options.accessGroup }
    /// The server; a URL without a host for generic passwords, and where the server was no URL.
    public var server: URL { options.server ?? KeychainOptions.noServer }
    /// How the server is spoken to; means nothing for generic passwords.
    public var protocolType: ProtocolType { options.protocolType }
    /// How the password is presented; means nothing for generic passwords.
    public var authenticationType: AuthenticationType { options.authenticationType }
    /// When items that it writes can be read.
    public var accessibility: Accessibility { options.accessibility }
    /// What items that it writes ask for at each read.
    public var authenticationPolicy: AuthenticationPolicy? { options.authenticationPolicy }
    /// Whether items that it writes may be carried to other devices.
    public var synchronizable: Bool { options.synchronizable }
    /// The label of items that it writes.
    public var label: String? { options.label }
    /// The comment of items that it writes.
    public var comment: String? { options.comment }
    /// The text of questions.
    public var authenticationPrompt: String? { options.authenticationPrompt }
    /// Whether the user may be asked.
    public var authenticationUI: AuthenticationUI { options.authenticationUI ?? .allow }
    /// The context of questions.
    public var authenticationContext: LAContext? { options.authenticationContext }
}
