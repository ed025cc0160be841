package import SecureMemory
package import Vestry

/// Docker's `config.json`: user and password of each registry in `auths`, as Base64 of `USER:PASSWORD`.
package enum DockerConfig {
    /// The label of docker's items, the same as that of docker's own helpers.
    package static let label = "Docker Credentials"

    /// Reads a whole file.
    ///
    /// - Throws: `ImportProblem` for another file.
    package static func read(
        _ file: borrowing SecretBytes
    ) throws(ImportProblem) -> ImportBatch {
        let document = try JSONDocument(file)
        guard let registries = document.value["auths"]?.members else {
            throw ImportProblem("it has no object 'auths'")
        }
        var batch = ImportBatch()
        for (name, registry) in registries {
            if let item = item(name, registry) {
                batch.items.append(item)
            } else if registry["auth"] != nil || registry.members == nil {
                batch.problems.append(
                    ImportProblem("an 'auth' that is not USER:PASSWORD in Base64"))
            }
            // Without one, a helper of docker's keeps it.
        }
        return batch
    }

    /// The attributes that an address stands for: what it says, and itself as it is written, which is what
    /// docker knows a registry by.
    ///
    /// - Parameter registry: As docker writes it. Registries stand there as host names, too, and docker
    ///   takes those for https.
    /// - Returns: Label, security domain, and server, protocol, port and path.
    package static func attributes(of registry: String) -> [ItemAttribute: AttributeValue] {
        let address = ForeignAddress(registry.contains("://") ? registry : "https://" + registry)
        var attributes = address?.attributes ?? [.server: .string(registry)]
        attributes[.label] = .string(label)
        attributes[.securityDomain] = .string(registry)
        return attributes
    }

    private static func item(_ name: String, _ registry: JSONValue) -> ImportedItem? {
        guard !name.isEmpty else { return nil }
        let attributes = attributes(of: name)
        guard let text = registry["auth"], let decoded = text.withBytes({ Base64.decoded($0) })
        else {
            return nil
        }
        switch consume decoded {
        case .some(let pair): return item(pair, registry, attributes)
        case nil: return nil
        }
    }

    private static func item(
        _ pair: borrowing SecretBytes, _ registry: JSONValue,
        _ attributes: [ItemAttribute: AttributeValue]
    ) -> ImportedItem? {
        var attributes = attributes
        let colon = pair.withBytes { bytes in
            bytes.indices.first { bytes[$0] == UInt8(ascii: ":") }
        }
        guard let colon,
            let user = pair.withBytes({ bytes in
                String(validating: (0..<colon).map { bytes[$0] }, as: UTF8.self)
            })
        else { return nil }
        attributes[.account] = .string(user)
        // A token in place of the password.
        if let token = registry["identitytoken"]?.secret, token.count > 0 {
            attributes[.account] = "<token>"
            return ImportedItem(.internetPassword, attributes: attributes, secret: token)
        }
        guard let password = pair.slice(from: colon + 1, count: pair.count - colon - 1) else {
            return nil
        }
        return ImportedItem(.internetPassword, attributes: attributes, secret: password)
    }
}
