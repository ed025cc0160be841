internal import CTransfer
internal import Glibc
internal import SecureMemory
internal import Vestry

/// What gnome-keyring, KWallet or KeePassXC keep: everything of the Secret Service of the session bus
/// (org.freedesktop.secrets), read by libsystemd.
///
/// The secrets come in the messages of the user's own bus, in plain text; libsystemd zeroes those.
package enum SecretService {
    /// Reads every item of every collection; those that are locked are asked for by the service.
    ///
    /// - Parameters:
    ///   - timeoutSeconds: How long somebody may take to answer; the service itself gets as long, and
    ///     30 seconds at most.
    ///   - asking: Called before the service asks.
    /// - Returns: The items.
    /// - Throws: `ImportProblem`.
    package static func read(
        timeoutSeconds: Int, asking: @escaping () -> Void
    ) throws(ImportProblem) -> ImportBatch {
        let reading = Reading(asking)
        var handler = unsafe vestry_secrets_handler()
        unsafe handler.context = Unmanaged.passUnretained(reading).toOpaque()
        unsafe handler.begin = { context in
            unsafe SecretService.state(of: context)?.attributes = [:]
        }
        unsafe handler.attribute = { context, name, value in
            guard let name = unsafe name, let value = unsafe value else { return }
            unsafe SecretService.state(of: context)?.attributes[String(cString: name)] =
                String(cString: value)
        }
        unsafe handler.item = { context, label, created, modified, secret, count in
            let bytes = unsafe UnsafeRawBufferPointer(start: secret, count: count)
            let owned = SecretBytes(
                count: count,
                filledBy: { copy in
                    for index in 0..<count { copy[index] = unsafe bytes[index] }
                })
            unsafe SecretService.state(of: context)?.add(
                label: label.map { unsafe String(cString: $0) } ?? "", created, modified, owned)
        }
        unsafe handler.asking = { context in
            unsafe SecretService.state(of: context)?.asking()
        }
        unsafe handler.seconds = UInt32(clamping: timeoutSeconds)
        let status = unsafe vestry_secrets_read(&handler)
        switch status {
        case 0: return reading.batch
        case ENOSYS: throw ImportProblem("it takes the library libsystemd0", .unavailable)
        case ENOTCONN: throw ImportProblem("there is no session bus to ask on", .unavailable)
        case EHOSTUNREACH, ENXIO:
            throw ImportProblem("nothing on the session bus is a Secret Service", .unavailable)
        case ECANCELED:
            throw ImportProblem("the question of the Secret Service was dismissed", .cancelled)
        case EACCES: throw ImportProblem("a collection of the Secret Service is locked", .locked)
        case ETIME:
            throw ImportProblem("the question of the Secret Service was not answered", .timedOut)
        case ETIMEDOUT:
            throw ImportProblem("the Secret Service did not answer in time", .timedOut)
        default:
            throw ImportProblem(
                "the Secret Service failed: \(unsafe String(cString: strerror(status)))")
        }
    }

    private static func state(of context: UnsafeMutableRawPointer?) -> Reading? {
        unsafe context.map { unsafe Unmanaged<Reading>.fromOpaque($0).takeUnretainedValue() }
    }

    private final class Reading {
        var attributes: [String: String] = [:]
        var batch = ImportBatch()
        let asking: () -> Void

        init(_ asking: @escaping () -> Void) { self.asking = asking }

        func add(
            label: String, _ created: UInt64, _ modified: UInt64, _ secret: consuming SecretBytes
        ) {
            var mapped = SecretService.attributes(attributes, label: label)
            if created > 0 { mapped.values[.creationDate] = .date(Double(created)) }
            if modified > 0 { mapped.values[.modificationDate] = .date(Double(modified)) }
            batch.items.append(
                ImportedItem(mapped.itemClass, attributes: mapped.values, secret: secret))
        }
    }

    /// What the attributes of an item become.
    ///
    /// With a server, and no schema but that of network passwords, it is an internet password. Else it is
    /// a generic one: its service is the first of `service`, `application`, `origin_url` and the label, its
    /// account the first of `account`, `username`, `username_value` and `user`. What is left over
    /// becomes the comment, a line each; where there is no account, it is the account too, so that no
    /// two items become one.
    static func attributes(
        _ given: [String: String], label: String
    ) -> (itemClass: ItemClass, values: [ItemAttribute: AttributeValue]) {
        var rest = given
        let schema = rest.removeValue(forKey: "xdg:schema")
        var values: [ItemAttribute: AttributeValue] = [:]
        if !label.isEmpty { values[.label] = .string(label) }
        let isNetwork = schema == nil || schema == "org.gnome.keyring.NetworkPassword"
        if isNetwork, let server = rest.removeValue(forKey: "server"), !server.isEmpty {
            values[.server] = .string(server)
            values[.account] = .string(rest.removeValue(forKey: "user") ?? "")
            if let scheme = rest.removeValue(forKey: "protocol") {
                let known = ForeignAddress("\(scheme)://h")?.attributes[.networkProtocol]
                values[.networkProtocol] = known ?? .string(scheme)
            }
            if let port = rest["port"].flatMap({ UInt16($0) }) {
                values[.port] = .number(Int64(port))
                rest["port"] = nil
            }
            for (name, attribute) in [
                ("domain", ItemAttribute.securityDomain), ("object", .path),
                ("authtype", .authenticationType),
            ] {
                if let text = rest.removeValue(forKey: name) { values[attribute] = .string(text) }
            }
            add(rest, to: &values, asAccount: false)
            return (.internetPassword, values)
        }
        let service = first(["service", "application", "origin_url"], of: &rest)
        let account = first(["account", "username", "username_value", "user"], of: &rest)
        values[.service] = .string(service ?? label)
        values[.account] = .string(account ?? "")
        add(rest, to: &values, asAccount: account == nil)
        return (.genericPassword, values)
    }

    private static func first(_ names: [String], of rest: inout [String: String]) -> String? {
        for name in names where rest[name]?.isEmpty == false {
            return rest.removeValue(forKey: name)
        }
        return nil
    }

    private static func add(
        _ rest: [String: String], to values: inout [ItemAttribute: AttributeValue], asAccount: Bool
    ) {
        let lines = rest.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        guard !lines.isEmpty else { return }
        values[.comment] = .string(lines.joined(separator: "\n"))
        if asAccount { values[.account] = .string(lines.joined(separator: ",")) }
    }
}
