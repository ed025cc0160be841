package import SecureMemory
internal import Vestry

/// Docker's `config.json`: user and password of each registry in `auths`, as Base64 of `USER:PASSWORD`.
package enum DockerConfig {
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

    private static func item(_ name: String, _ registry: JSONValue) -> ImportedItem? {
        var attributes: [ItemAttribute: AttributeValue] = [.label: .string("Docker Credentials")]
        // Registries stand there as host names, too, and docker takes those for https.
        guard let address = ForeignAddress(name.contains("://") ? name : "https://" + name) else {
            return nil
        }
        attributes.merge(address.attributes) { $1 }
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
