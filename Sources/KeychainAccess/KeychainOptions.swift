internal import Foundation
internal import Security
internal import Vestry

/// Everything that a ``Keychain`` is told.
struct KeychainOptions: Sendable {
    var itemClass = ItemClass.genericPassword
    var service = ""
    var accessGroup: String?
    /// Nil for a text that is no URL.
    var server: URL? = noServer
    var protocolType = ProtocolType.https
    var authenticationType = AuthenticationType.default

    var accessibility = Accessibility.afterFirstUnlock
    var authenticationPolicy: AuthenticationPolicy?
    var synchronizable = false
    var label: String?
    var comment: String?
    var attributes: [String: GivenValue] = [:]
    var authenticationPrompt: String?
    var authenticationUI: AuthenticationUI?
    var authenticationContext: LAContext?

    /// A URL that names no server.
    static let noServer = URL(filePath: "/")
}

extension KeychainOptions {
    /// The host of a URL; of one without a scheme, such as "example.org/login", what stands before
    /// the first slash.
    ///
    /// - Returns: Empty where the URL names no host. KeychainAccess leaves the condition out then, and
    ///   such a keychain finds, and removes, the items of every server.
    static func serverName(of server: URL) -> String {
        if let host = server.host(percentEncoded: false) { return host }
        guard server.scheme == nil else { return "" }
        return server.relativePath.split(separator: "/").first.map(String.init) ?? ""
    }

    var effectiveUI: AuthenticationUI {
        let wanted = authenticationUI ?? .allow
        guard wanted == .allow, let authenticationContext else { return wanted }
        return authenticationContext.mayAsk ? .allow : .fail
    }

    /// The attributes that every item of this keychain has.
    ///
    /// - Throws: ``Status/param`` for a server that is no URL.
    func scope() throws(Status) -> [ItemAttribute: AttributeValue] {
        switch itemClass {
        case .genericPassword:
            return [.service: .string(service)]
        case .internetPassword:
            guard let server else { throw .param }
            var scope: [ItemAttribute: AttributeValue] = [
                .server: .string(Self.serverName(of: server)),
                .networkProtocol: .string(protocolType.rawValue),
                .authenticationType: .string(authenticationType.rawValue),
            ]
            if let port = server.port { scope[.port] = .number(Int64(port)) }
            return scope
        }
    }

    /// A query for the items of this keychain.
    ///
    /// - Parameters:
    ///   - key: The account; nil for every item.
    ///   - ignoringSynchronizable: Whether it finds synchronizable items and others.
    /// - Returns: A query for reading.
    /// - Throws: ``Status/param`` for a server that is no URL.
    func query(
        key: String? = nil, ignoringSynchronizable: Bool = true
    ) throws(Status) -> ItemQuery {
        var query = ItemQuery(itemClass.stored, try scope())
        if let key { query.attributes[.account] = .string(key) }
        if ignoringSynchronizable {
            query.synchronizable = .any
        } else {
            query.synchronizable = synchronizable ? .yes : .no
        }
        query.authenticationUI = effectiveUI.forReading
        query.prompt = authenticationPrompt ?? authenticationContext?.prompt
        query.presenceReuseDuration = authenticationContext?.presenceReuseDuration
        query.applicationPassword = authenticationContext?.applicationPassword
        return query
    }

    /// The same query for an update or a deletion, which cannot skip items.
    func changeQuery(
        key: String? = nil, ignoringSynchronizable: Bool = true
    ) throws(Status) -> ItemQuery {
        var query = try query(key: key, ignoringSynchronizable: ignoringSynchronizable)
        query.authenticationUI = effectiveUI.forChanging
        return query
    }
}

extension ItemClass {
    var stored: Vestry.ItemClass {
        switch self {
        case .genericPassword: .genericPassword
        case .internetPassword: .internetPassword
        }
    }
}
