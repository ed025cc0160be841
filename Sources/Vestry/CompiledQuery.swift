internal import Certificates
internal import ItemStore

/// A checked query, in terms of tags, rows and attributes.
struct CompiledQuery {
    let itemClass: ItemClass
    /// What tags can tell, of locked items too.
    let search: ItemSearch
    /// Attributes that stand in the row.
    private let rowValues: [ItemAttribute: AttributeValue]
    /// Attributes that must be equal, and have no tag for it.
    private let untaggedValues: [ItemAttribute: AttributeValue]
    private let taggedValues: AttributeList
    /// Nil where texts are compared byte for byte.
    private let folding: (@Sendable (String) -> String)?
    private let label: ItemQuery.TextMatch?
    private let subject: ItemQuery.TextMatch?
    private let hostOrSubdomain: String?
    private let groups: [String]
    private let references: Set<[UInt8]>?
    /// Nothing can match.
    let isImpossible: Bool

    /// Whether it takes the item's metadata to tell whether it matches.
    var needsMetadata: Bool {
        !untaggedValues.isEmpty || label != nil || subject != nil || hostOrSubdomain != nil
    }

    /// Checks a query.
    ///
    /// - Parameters:
    ///   - query: As the caller gives it.
    ///   - itemClass: The query's class, or that of the item with the query's reference.
    ///   - accessGroups: The caller's.
    ///   - tags: The store's.
    /// - Throws: `VestryError`, as `Keychain.find` documents.
    init(
        _ query: ItemQuery, of itemClass: ItemClass, accessGroups: [String],
        tags: borrowing ItemTags
    ) throws(VestryError) {
        self.itemClass = itemClass
        folding = query.textFolding ?? (query.isCaseInsensitive ? Self.lowercased : nil)
        references = query.references
        label = query.label
        hostOrSubdomain = query.hostOrSubdomain
        subject = query.subject
        let isForCertificates = query.subject != nil || query.certificate != nil
        guard !isForCertificates || itemClass == .certificate else {
            throw VestryError(.parameter, detail: "the query has conditions on certificates")
        }
        guard query.hostOrSubdomain == nil || itemClass == .internetPassword else {
            throw VestryError(.parameter, detail: "only internet passwords have a host")
        }

        var rowValues: [ItemAttribute: AttributeValue] = [:]
        var taggedValues = AttributeList()
        var untaggedValues: [ItemAttribute: AttributeValue] = [:]
        var synchronizable = query.synchronizable
        var groups = query.accessGroups
        var isImpossible = false
        for (attribute, value) in query.attributes {
            let value = try attribute.checked(value, in: itemClass)
            switch attribute {
            case .accessGroup:
                groups = [value.string ?? ""]
            case .synchronizable:
                synchronizable = value.bool == true ? .yes : .no
            case .tombstone:
                if value.bool == true { isImpossible = true }
            case .persistentReference, .accessControl, .expirationDate:
                rowValues[attribute] = value
            case .accessible:
                guard let accessibility = Accessibility(appleName: value.string ?? "") else {
                    throw VestryError(.parameter, detail: "no such accessibility")
                }
                rowValues[attribute] = .string(accessibility.appleName)
            case _ where attribute.isTagged && !(folding != nil && attribute.kind == .string):
                taggedValues[attribute] = value
            default:
                untaggedValues[attribute] = value
            }
        }
        self.rowValues = rowValues
        self.taggedValues = taggedValues
        self.untaggedValues = untaggedValues
        self.isImpossible = isImpossible
        self.groups = try Self.checked(groups, among: accessGroups)
        search = ItemSearch(
            reference: query.persistentReference,
            tags: Self.tags(for: taggedValues, in: itemClass, tags),
            alternatives: Self.scopes(
                self.groups, query.persistentReference == nil ? synchronizable : .any, itemClass,
                tags))
    }

    @Sendable private static func lowercased(_ text: String) -> String { text.lowercased() }

    private static func checked(
        _ groups: [String]?, among accessGroups: [String]
    ) throws(VestryError) -> [String] {
        let groups = groups ?? accessGroups
        guard !groups.isEmpty, groups.allSatisfy({ accessGroups.containsBytes(of: $0) }) else {
            throw VestryError(.missingEntitlement)
        }
        return groups
    }

    private static func scopes(
        _ groups: [String], _ synchronizable: ItemQuery.Synchronizability, _ itemClass: ItemClass,
        _ tags: borrowing ItemTags
    ) -> [[UInt8]] {
        var scopes: [[UInt8]] = []
        for group in groups {
            if synchronizable != .yes {
                scopes.append(tags.scopeTag(itemClass, group: group, isSynchronizable: false))
            }
            if synchronizable != .no {
                scopes.append(tags.scopeTag(itemClass, group: group, isSynchronizable: true))
            }
        }
        return scopes
    }

    private static func tags(
        for values: AttributeList, in itemClass: ItemClass, _ tags: borrowing ItemTags
    ) -> [[UInt8]] {
        var values = values
        var found: [[UInt8]] = []
        let identity = itemClass.identifyingAttributes
        if identity.allSatisfy({ values[$0] != nil }) {
            found.append(tags.identityTag(itemClass, values))
            for attribute in identity { values[attribute] = nil }
        }
        for element in values.elements {
            if let tag = tags.tag(element.attribute, element.value, in: itemClass) {
                found.append(tag)
            }
        }
        return found
    }

    /// Whether a row can match, by what stands in the clear.
    func admits(_ row: ItemRow, _ protection: Protection) -> Bool {
        guard row.itemClass == itemClass.number, references?.contains(row.reference) != false
        else { return false }
        guard !rowValues.isEmpty else { return true }
        let inRow = ItemRecord.rowAttributes(row, protection)
        return rowValues.allSatisfy { inRow[$0.key] == $0.value }
    }

    /// Whether an item matches that its tags have found.
    ///
    /// - Throws: `VestryError` when its tags are another item's.
    func admits(_ metadata: ItemMetadata) throws(VestryError) -> Bool {
        let values = metadata.values
        guard groups.containsBytes(of: values[.accessGroup]?.string ?? "") else {
            throw VestryError(.itemDamaged, detail: "its tags are another item's")
        }
        for wanted in taggedValues.elements {
            let value = values[wanted.attribute]
            guard value == wanted.value || (value == nil && wanted.value.isEmpty) else {
                throw VestryError(.itemDamaged, detail: "its tags are another item's")
            }
        }
        for (attribute, value) in untaggedValues {
            guard let actual = values[attribute], equal(actual, value) else { return false }
        }
        if let label {
            guard let text = values[.label]?.string,
                label.matches(text, folding)
            else { return false }
        }
        if let subject {
            guard let name = values[.subject]?.data else { return false }
            // A name that is none was stored as an attribute, without its certificate.
            guard let text = try? Certificate.text(ofName: name),
                subject.matches(text, folding)
            else { return false }
        }
        if let hostOrSubdomain {
            guard let server = values[.server]?.string,
                isHost(server, inside: hostOrSubdomain)
            else { return false }
        }
        return true
    }

    private func equal(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
        guard let folding, let left = left.string, let right = right.string else {
            return left == right
        }
        return folding(left) == folding(right)
    }
}

extension ItemQuery.TextMatch {
    func matches(_ text: String, _ folding: ((String) -> String)?) -> Bool {
        func folded(_ text: String) -> String { folding?(text) ?? text }
        let text = folded(text)
        switch self {
        case .contains(let part): return part.isEmpty || text.contains(folded(part))
        case .startsWith(let part): return text.hasPrefix(folded(part))
        case .endsWith(let part): return text.hasSuffix(folded(part))
        case .whole(let whole): return text == folded(whole)
        }
    }
}

/// Whether `host` is `domain` or ends with it after a dot; host names know no case.
private func isHost(_ host: String, inside domain: String) -> Bool {
    let (host, domain) = (host.lowercased(), domain.lowercased())
    guard !domain.isEmpty else { return false }
    return host == domain || host.hasSuffix("." + domain)
}
