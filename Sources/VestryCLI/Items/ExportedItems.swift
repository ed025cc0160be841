internal import SecureMemory
internal import Transfer
internal import Vestry

/// The JSON that `vestry export` prints, read back.
enum ExportedItems {
    static let format = "vestry-export"
    static let version: Int64 = 1

    /// Reads a whole file.
    ///
    /// - Throws: `ImportProblem` for another file.
    static func read(_ file: borrowing SecretBytes) throws(ImportProblem) -> ImportBatch {
        let document = try JSONDocument(file)
        guard document.value["format"]?.text == format,
            let found = document.value["version"]?.number,
            let items = document.value["items"]?.elements
        else { throw ImportProblem("it is no export of vestry") }
        guard found <= version else {
            throw ImportProblem("a newer release of vestry wrote it, version \(found)")
        }
        var batch = ImportBatch()
        for (index, value) in items.enumerated() {
            do throws(ImportProblem) {
                batch.items.append(try item(value))
            } catch {
                batch.problems.append(ImportProblem("item \(index + 1), \(error.reason)"))
            }
        }
        return batch
    }

    private static func item(_ value: JSONValue) throws(ImportProblem) -> ImportedItem {
        guard let itemClass = value["class"]?.text.flatMap({ ItemClass(word: $0) }) else {
            throw ImportProblem("no such class")
        }
        var attributes: [ItemAttribute: AttributeValue] = [:]
        for (name, member) in value.members ?? [] {
            guard !member.isNull, !ignored.contains(name) else { continue }
            // What a certificate says of itself is read from it.
            guard itemClass != .certificate || kept.contains(name) else { continue }
            guard let attribute = attributesByName[name], attribute.belongs(to: itemClass),
                let given = self.value(member, of: attribute)
            else {
                throw ImportProblem("the member '\(name.escapedForTerminal)' is none of its class")
            }
            attributes[attribute] = given
        }
        if let words = value["accessControl"]?.elements, !words.isEmpty {
            attributes[.accessControl] = try accessControl(words, attributes[.accessible])
        }
        return try item(itemClass, attributes, value)
    }

    private static func item(
        _ itemClass: ItemClass, _ attributes: [ItemAttribute: AttributeValue], _ value: JSONValue
    ) throws(ImportProblem) -> ImportedItem {
        switch secret(of: value) {
        case nil: throw ImportProblem("neither secret nor secretBase64")
        case .some(let secret):
            guard itemClass == .certificate else {
                return ImportedItem(itemClass, attributes: attributes, secret: secret)
            }
            let der = secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
            do throws(VestryError) {
                return try .certificate(der: der, attributes: attributes)
            } catch {
                throw ImportProblem("\(error)")
            }
        }
    }

    private static func secret(of value: JSONValue) -> SecretBytes? {
        if let text = value["secret"] { return text.secret }
        guard let text = value["secretBase64"] else { return nil }
        return text.withBytes { Base64.decoded($0) } ?? nil
    }

    private static func accessControl(
        _ words: [JSONValue], _ accessible: AttributeValue?
    ) throws(ImportProblem) -> AttributeValue {
        let text = words.map { $0.text ?? "" }.joined(separator: ",")
        guard let flags = AccessControlWord.flags(text),
            let accessibility = accessible?.string.flatMap({ Accessibility(appleName: $0) })
        else { throw ImportProblem("no such access control") }
        return .data(AccessControl(accessibility, flags).encoded)
    }

    /// Not attributes.
    private static let ignored: Set<String> = ["class", "secret", "secretBase64", "accessControl"]
    /// Of a certificate's members, those that it does not say itself.
    private static let kept: Set<String> = [
        "label", "accessible", "group", "synchronizable", "created", "modified", "expires",
        "reference",
        "alias", "syncViewHint", "tokenID", "multiUser", "sharingGroup",
    ]
    private static let attributesByName: [String: ItemAttribute] = {
        var table: [String: ItemAttribute] = [:]
        for attribute in ItemAttribute.allCases {
            table[ItemDescription.name(attribute)] = attribute
        }
        return table
    }()

    private static func value(
        _ member: JSONValue, of attribute: ItemAttribute
    ) -> AttributeValue? {
        switch attribute {
        case .accessible:
            return member.text.flatMap { Accessibility(rawValue: $0) }.map { .string($0.appleName) }
        case .networkProtocol:
            return AttributeForm.textWord(AttributeForm.protocols).value(of: member.text ?? "")
        case .authenticationType:
            return AttributeForm.textWord(AttributeForm.authenticationTypes).value(
                of: member.text ?? "")
        case .keyClass:
            if let text = member.text {
                return AttributeForm.numberWord(AttributeForm.keyClasses).value(of: text)
            }
        default: break
        }
        switch attribute.kind {
        case .string: return member.text.map { .string($0) }
        case .data: return member.text.flatMap { Hexadecimal.bytes($0) }.map { .data($0) }
        case .number: return member.number.map { .number($0) }
        case .bool: return member.bool.map { .bool($0) }
        case .date: return member.number.map { .date(Double($0)) }
        }
    }
}
