internal import Foundation
internal import SecurityNames
internal import Vestry

/// The `kSecMatch…` keys of a dictionary, checked and in Vestry's words.
struct SecItemMatch {
    private(set) var limit: ItemQuery.Limit?
    /// The items that a search is about, beside its other conditions; nil for all.
    private(set) var items: [SecItemReference]?
    private var foldings: Set<String> = []
    private var subject: ItemQuery.TextMatch?
    private var hostOrSubdomain: String?
    private var certificate = CertificateConditions()
    /// All but the limit, and those that ask for nothing.
    private var keys: Set<String> = []

    /// Whether there is nothing but a limit.
    var isEmpty: Bool { keys.isEmpty }

    /// Reads one key.
    ///
    /// - Throws: `VestryError` with the code `parameter` for an unknown key or another value.
    mutating func read(_ key: String, _ value: Any) throws(VestryError) {
        if key == kSecMatchLimit {
            limit = try matchLimit(value)
            return
        }
        keys.insert(key)
        switch key {
        case kSecMatchSubjectContains: try setSubject(.contains(text(value)))
        case kSecMatchSubjectStartsWith: try setSubject(.startsWith(text(value)))
        case kSecMatchSubjectEndsWith: try setSubject(.endsWith(text(value)))
        case kSecMatchSubjectWholeString: try setSubject(.whole(text(value)))
        case kSecMatchHostOrSubdomainOfHost: hostOrSubdomain = try text(value)
        case kSecMatchCaseInsensitive:
            if try boolean(value) { foldings.insert(key) }
        case kSecMatchDiacriticInsensitive, kSecMatchWidthInsensitive:
            if try boolean(value) { foldings.insert(key) } else { keys.remove(key) }
        case kSecMatchTrustedOnly:
            if try !boolean(value) {
                keys.remove(key)
            } else if certificate.policy == nil {
                certificate.policy = .init()
            }
        case kSecMatchPolicy: certificate.policy = try policy(value)
        case kSecMatchIssuers:
            certificate.issuers = try elements(value) { $0 as? Data }.map(Array.init)
        case kSecMatchEmailAddressIfPresent: certificate.emailAddressIfPresent = try text(value)
        case kSecMatchValidOnDate: certificate.validityDate = try date(value)
        case kSecMatchItemList: items = try elements(value) { SecItemReference($0) }
        // There is one keychain.
        case kSecMatchSearchList: _ = try elements(value) { $0 as? SecKeychain }
        default: throw VestryError(.parameter)
        }
    }

    // Two conditions on one subject could not both be kept.
    private mutating func setSubject(_ match: ItemQuery.TextMatch) throws(VestryError) {
        guard subject == nil else { throw VestryError(.parameter) }
        subject = match
    }

    /// Refuses conditions that items of a class cannot meet.
    ///
    /// - Throws: `VestryError` with the number of `errSecUnsupportedOperation` for conditions on
    ///   certificates, and with the code `parameter` for one on hosts.
    func check(_ itemClass: ItemClass?) throws(VestryError) {
        let isCertificate = itemClass == .certificate || itemClass == .identity
        guard isCertificate || keys.isDisjoint(with: Self.certificateKeys) else {
            throw error(errSecUnsupportedOperation)
        }
        guard hostOrSubdomain == nil || itemClass == .internetPassword else {
            throw VestryError(.parameter)
        }
    }

    /// Adds the conditions to a query; ``items`` has to be looked up first.
    func apply(to query: inout ItemQuery) {
        query.limit = limit
        query.subject = subject
        query.hostOrSubdomain = hostOrSubdomain
        if certificate != CertificateConditions() { query.certificate = certificate }
        query.isCaseInsensitive = foldings.contains(kSecMatchCaseInsensitive)
        guard
            !foldings.isDisjoint(with: [kSecMatchDiacriticInsensitive, kSecMatchWidthInsensitive])
        else { return }
        var options: String.CompareOptions = []
        if query.isCaseInsensitive { options.insert(.caseInsensitive) }
        if foldings.contains(kSecMatchDiacriticInsensitive) {
            options.insert(.diacriticInsensitive)
        }
        if foldings.contains(kSecMatchWidthInsensitive) { options.insert(.widthInsensitive) }
        // No locale: the same texts are equal for everybody.
        query.textFolding = { [options] text in text.folding(options: options, locale: nil) }
    }

    private static let certificateKeys: Set<String> = [
        kSecMatchPolicy, kSecMatchIssuers, kSecMatchEmailAddressIfPresent,
        kSecMatchSubjectContains, kSecMatchSubjectStartsWith, kSecMatchSubjectEndsWith,
        kSecMatchSubjectWholeString, kSecMatchTrustedOnly, kSecMatchValidOnDate,
    ]
}

private func matchLimit(_ value: Any) throws(VestryError) -> ItemQuery.Limit {
    if let text = value as? String {
        switch text {
        case kSecMatchLimitOne: return .one
        case kSecMatchLimitAll: return .all
        default: throw VestryError(.parameter)
        }
    }
    guard let number = (value as? NSNumber) as? Int, number > 0 else {
        throw VestryError(.parameter)
    }
    return .number(number)
}

/// At least one element, each of the type that is wanted.
private func elements<Element>(
    _ value: Any, _ element: (Any) -> Element?
) throws(VestryError) -> [Element] {
    guard let values = value as? [Any], !values.isEmpty else { throw VestryError(.parameter) }
    let elements = values.compactMap(element)
    guard elements.count == values.count else { throw VestryError(.parameter) }
    return elements
}

private func policy(_ value: Any) throws(VestryError) -> CertificateConditions.Policy {
    if let policy = value as? SecPolicy { return policy.value }
    let policies = try elements(value) { $0 as? SecPolicy }
    guard policies.count == 1, let policy = policies.first else { throw VestryError(.parameter) }
    return policy.value
}

/// Seconds since 1970; null is now.
private func date(_ value: Any) throws(VestryError) -> Double {
    if value is NSNull { return Date().timeIntervalSince1970 }
    guard let date = value as? Date else { throw VestryError(.parameter) }
    return date.timeIntervalSince1970
}
