import Foundation
import KeychainAccess

// Every public declaration of KeychainAccess 4.2.2, with its type, by the public interface alone:
// what is missing or has another type does not compile.

public func enumerations() -> Int {
    let classes: [ItemClass] = [.genericPassword, .internetPassword]
    let protocols: [ProtocolType] = [
        .ftp, .ftpAccount, .http, .irc, .nntp, .pop3, .smtp, .socks, .imap, .ldap, .appleTalk, .afp,
        .telnet, .ssh, .ftps, .https, .httpProxy, .httpsProxy, .ftpProxy, .smb, .rtsp, .rtspProxy,
        .daap, .eppc, .ipp, .nntps, .ldaps, .telnetS, .imaps, .ircs, .pop3S,
    ]
    let types: [AuthenticationType] = [
        .ntlm, .msn, .dpa, .rpa, .httpBasic, .httpDigest, .htmlForm, .default,
    ]
    let accessibilities: [Accessibility] = [
        .whenUnlocked, .afterFirstUnlock, .always, .whenPasscodeSetThisDeviceOnly,
        .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly, .alwaysThisDeviceOnly,
    ]
    let interfaces: [AuthenticationUI] = [.allow, .fail, .skip]
    let policies: [AuthenticationPolicy] = [
        .userPresence, .biometryAny, .touchIDAny, .biometryCurrentSet, .touchIDCurrentSet,
        .devicePasscode, .watch, .or, .and, .privateKeyUsage, .applicationPassword,
    ]
    let initialisers:
        (
            (String) -> ItemClass?, (String) -> ProtocolType?, (String) -> AuthenticationType?,
            (String) -> Accessibility?
        ) = (
            ItemClass.init(rawValue:), ProtocolType.init(rawValue:),
            AuthenticationType.init(rawValue:), Accessibility.init(rawValue:)
        )
    let raw: [String] =
        classes.map(\.rawValue) + protocols.map(\.rawValue) + types.map(\.rawValue)
        + accessibilities.map(\.rawValue) + interfaces.map(\.rawValue)
    let described: [String] =
        classes.map(\.description) + protocols.map(\.description) + types.map(\.description)
        + accessibilities.map(\.description) + interfaces.map(\.description)
    let bits: [UInt] = policies.map(\.rawValue) + [AuthenticationPolicy(rawValue: 1).rawValue]
    _ = initialisers
    return raw.count + described.count + bits.count
}

public func statuses() -> Status {
    let number: OSStatus = Status.itemNotFound.rawValue
    let status: Status = Status(status: number)
    let fromRaw: Status? = Status(rawValue: number)
    let text: String = status.description
    let domain: String = Status.errorDomain
    let moduleDomain: String = KeychainAccessErrorDomain
    let code: Int = status.errorCode
    let info: [String: Any] = status.errorUserInfo
    let error: any Error & CustomNSError & CustomStringConvertible = status
    _ = (fromRaw, text, domain, moduleDomain, code, info, error)
    return status
}

public func attributes(of item: Attributes) -> Int {
    let texts: [String?] = [
        item.class, item.accessible, item.accessGroup, item.attributeDescription, item.comment,
        item.creator, item.type, item.label, item.account, item.service, item.securityDomain,
        item.server, item.protocol, item.authenticationType, item.path,
    ]
    let blobs: [Data?] = [item.data, item.ref, item.persistentRef, item.generic]
    let flags: [Bool?] = [item.synchronizable, item.isInvisible, item.isNegative]
    let dates: [Date?] = [item.creationDate, item.modificationDate]
    let accessControl: SecAccessControl? = item.accessControl
    let port: Int? = item.port
    let any: Any? = item["acct"]
    let described: [String] = [item.description, item.debugDescription]
    _ = (accessControl, port, any)
    return texts.count + blobs.count + flags.count + dates.count + described.count
}

public func initialisers() throws -> [Keychain] {
    guard let url = URL(string: "https://example.org:8443") else { throw Status.param }
    return [
        Keychain(), Keychain(accessGroup: "g"), Keychain(service: "s"),
        Keychain(service: "s", accessGroup: "g"),
        Keychain(server: "https://example.org", protocolType: .https),
        Keychain(server: "https://example.org", protocolType: .https, accessGroup: "g"),
        Keychain(
            server: "https://example.org", protocolType: .https, accessGroup: "g",
            authenticationType: .htmlForm),
        Keychain(
            server: "https://example.org", protocolType: .https, authenticationType: .htmlForm),
        Keychain(server: url, protocolType: .https),
        Keychain(server: url, protocolType: .https, accessGroup: "g"),
        Keychain(
            server: url, protocolType: .https, accessGroup: "g", authenticationType: .htmlForm),
        Keychain(server: url, protocolType: .https, authenticationType: .htmlForm),
    ]
}

public func properties(of keychain: Keychain) -> [String] {
    let itemClass: ItemClass = keychain.itemClass
    let service: String = keychain.service
    let accessGroup: String? = keychain.accessGroup
    let server: URL = keychain.server
    let protocolType: ProtocolType = keychain.protocolType
    let authenticationType: AuthenticationType = keychain.authenticationType
    let accessibility: Accessibility = keychain.accessibility
    let policy: AuthenticationPolicy? = keychain.authenticationPolicy
    let synchronizable: Bool = keychain.synchronizable
    let label: String? = keychain.label
    let comment: String? = keychain.comment
    let prompt: String? = keychain.authenticationPrompt
    let interface: AuthenticationUI = keychain.authenticationUI
    let context: LAContext? = keychain.authenticationContext
    let described: any CustomStringConvertible & CustomDebugStringConvertible = keychain
    _ = (described.description, described.debugDescription)
    return [
        "\(itemClass)", service, accessGroup ?? "-", server.absoluteString, "\(protocolType)",
        "\(authenticationType)", "\(accessibility)", "\(policy?.rawValue ?? 0)",
        "\(synchronizable)", label ?? "-", comment ?? "-", prompt ?? "-", "\(interface)",
        context == nil ? "-" : "context",
    ]
}

public func configured(_ keychain: Keychain) -> Keychain {
    keychain
        .accessibility(.whenUnlocked)
        .accessibility(.whenUnlockedThisDeviceOnly, authenticationPolicy: [.userPresence])
        .synchronizable(false)
        .label("label")
        .comment("comment")
        .attributes(["desc": "kind"])
        .authenticationPrompt("prompt")
        .authenticationUI(.fail)
        .authenticationContext(LAContext())
}

public func operations(on keychain: Keychain) throws {
    try keychain.set("text", key: "a")
    try keychain.set("text", key: "a", ignoringAttributeSynchronizable: true)
    try keychain.set(Data([1, 2]), key: "b")
    try keychain.set(Data([1, 2]), key: "b", ignoringAttributeSynchronizable: true)
    let texts: [String?] = [
        try keychain.get("a"), try keychain.get("a", ignoringAttributeSynchronizable: true),
        try keychain.getString("a"),
        try keychain.getString("a", ignoringAttributeSynchronizable: true),
        keychain["a"], keychain[string: "a"],
    ]
    let blobs: [Data?] = [
        try keychain.getData("b"), try keychain.getData("b", ignoringAttributeSynchronizable: true),
        keychain[data: "b"],
    ]
    let label: String? = try keychain.get("a") { $0?.label }
    let other: Int = try keychain.get(
        "a", ignoringAttributeSynchronizable: true, handler: { $0?.port ?? 0 })
    let item: Attributes? = keychain[attributes: "a"]
    _ = (texts, blobs, label, other, item)
    keychain["c"] = "text"
    keychain[string: "c"] = nil
    keychain[data: "c"] = Data()
    keychain[data: "c"] = nil
    let found: [Bool] = [
        try keychain.contains("a"), try keychain.contains("a", withoutAuthenticationUI: true),
    ]
    let pairs: [(String, String)] = Keychain.allKeys(.genericPassword)
    let keys: [String] = keychain.allKeys()
    let all: [[String: Any]] = Keychain.allItems(.internetPassword) + keychain.allItems()
    _ = (found, pairs, keys, all)
    try keychain.remove("a")
    try keychain.remove("a", ignoringAttributeSynchronizable: true)
    try keychain.removeAll()
}

/// Every answer that the functions of shared passwords give, and generated passwords.
public func sharedPasswords(of keychain: Keychain) -> [(any Error)?] {
    var errors: [(any Error)?] = []
    keychain.getSharedPassword()
    keychain.getSharedPassword { account, password, error in
        errors.append(account == nil && password == nil ? error : nil)
    }
    keychain.getSharedPassword("a")
    keychain.getSharedPassword("a") { password, error in
        errors.append(password == nil ? error : nil)
    }
    keychain.setSharedPassword("p", account: "a")
    keychain.setSharedPassword("p", account: "a") { errors.append($0) }
    keychain.removeSharedPassword("a")
    keychain.removeSharedPassword("a") { errors.append($0) }
    let generated: String = Keychain.generatePassword()
    _ = generated
    Keychain.requestSharedWebCredential()
    Keychain.requestSharedWebCredential { errors.append($0.isEmpty ? $1 : nil) }
    Keychain.requestSharedWebCredential(domain: "d")
    Keychain.requestSharedWebCredential(domain: "d") { errors.append($0.isEmpty ? $1 : nil) }
    Keychain.requestSharedWebCredential(domain: "d", account: "a")
    Keychain.requestSharedWebCredential(domain: "d", account: "a") {
        errors.append($0.isEmpty ? $1 : nil)
    }
    return errors
}
