internal import Foundation
internal import SecureMemory
internal import SecurityNames
internal import Vestry

/// A dictionary of a SecItem function, checked and in Vestry's words.
///
/// Everything between Foundation and Vestry is in this file, and all of it is pure: dictionaries in,
/// values or errors out. Nothing here opens the keychain.
struct SecItemRequest {
    /// Which function the dictionary is for.
    enum Operation {
        case add
        case copy
        case update
        /// The second dictionary of an update.
        case change
        case delete
    }

    /// What a result has.
    struct Returns: OptionSet {
        let rawValue: UInt8

        static let data = Self(rawValue: 1)
        static let attributes = Self(rawValue: 2)
        static let persistentReference = Self(rawValue: 4)
    }

    /// The most keys that a dictionary may have, as securityd has it.
    static let maximumKeyCount = 128

    private(set) var itemClass: ItemClass?
    private(set) var attributes: [ItemAttribute: AttributeValue] = [:]
    private(set) var returns: Returns = []
    private(set) var secret: Data?
    private(set) var limit: ItemQuery.Limit?
    private var isAnySynchronizable = false
    private var persistentReference: [UInt8]?
    private var authenticationUI: ItemQuery.AuthenticationUI = .allow
    private var prompt: String?
    private var context: LAContext?
    private var isCaseInsensitive = false
    private var subject: ItemQuery.TextMatch?
    private var hostOrSubdomain: String?
    private var matchKeys: Set<String> = []
    private let operation: Operation

    /// Reads a dictionary.
    ///
    /// - Parameters:
    ///   - dictionary: As the program gives it.
    ///   - operation: The function that it is for.
    /// - Throws: `VestryError` with the code `parameter` for unknown keys, values of another type, or
    ///   what does not go together; or with the number of the status that Apple has for it.
    init(_ dictionary: CFDictionary, for operation: Operation) throws(VestryError) {
        self.operation = operation
        guard dictionary.count <= Self.maximumKeyCount else { throw VestryError(.parameter) }
        // In one order, so that of two mistakes the same one is always reported.
        for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
            try read(key, value)
        }
        try check()
    }

    // A key with four characters is an attribute; of all others the first letter says what they are.
    private mutating func read(_ key: String, _ value: Any) throws(VestryError) {
        if key == kSecUseDataProtectionKeychain {
            _ = try boolean(value)
        } else if key.utf8.count == 4 || key == kSecAttrPersistentReference {
            guard let attribute = ItemAttribute(rawValue: key) else {
                throw VestryError(.parameter)
            }
            try read(attribute, value)
        } else {
            guard operation != .change || key == kSecValueData else {
                throw VestryError(.parameter)
            }
            switch key.first {
            case "c": try readClass(key, value)
            case "m": try readMatch(key, value)
            case "r": try readReturn(key, value)
            case "u": try readUse(key, value)
            case "v": try readValue(key, value)
            // Callbacks, which securityd ignores too.
            case "f": break
            default: throw VestryError(.parameter)
            }
        }
    }

    private mutating func read(_ attribute: ItemAttribute, _ value: Any) throws(VestryError) {
        if attribute == .synchronizable, value as? String == kSecAttrSynchronizableAny {
            guard operation != .add, operation != .change else { throw VestryError(.parameter) }
            isAnySynchronizable = true
        } else if attribute == .accessControl, let control = value as? SecAccessControl {
            if operation != .add && operation != .change && control.value.flags.isEmpty {
                // Items that ask for nothing have no such attribute to compare with.
                let name = AttributeValue.string(control.value.accessibility.appleName)
                guard attributes[.accessible] ?? name == name else { throw VestryError(.parameter) }
                attributes[.accessible] = name
            } else {
                attributes[attribute] = .data(control.value.encoded)
            }
        } else {
            let converted = try AttributeValue(value, for: attribute)
            // An accessibility beside an access control, which comes first, is the same.
            guard attributes[attribute] ?? converted == converted else {
                throw VestryError(.parameter)
            }
            attributes[attribute] = converted
        }
    }

    private mutating func readClass(_ key: String, _ value: Any) throws(VestryError) {
        guard key == kSecClass, let name = value as? String else { throw VestryError(.parameter) }
        guard let itemClass = ItemClass(rawValue: name) else { throw error(errSecNoSuchClass) }
        self.itemClass = itemClass
    }

    private mutating func readMatch(_ key: String, _ value: Any) throws(VestryError) {
        if key == kSecMatchLimit {
            limit = try matchLimit(value)
            return
        }
        matchKeys.insert(key)
        switch key {
        case kSecMatchSubjectContains: subject = .contains(try text(value))
        case kSecMatchSubjectStartsWith: subject = .startsWith(try text(value))
        case kSecMatchSubjectEndsWith: subject = .endsWith(try text(value))
        case kSecMatchSubjectWholeString: subject = .whole(try text(value))
        case kSecMatchHostOrSubdomainOfHost: hostOrSubdomain = try text(value)
        case kSecMatchCaseInsensitive: isCaseInsensitive = try boolean(value)
        case kSecMatchDiacriticInsensitive, kSecMatchWidthInsensitive, kSecMatchTrustedOnly:
            if try !boolean(value) { matchKeys.remove(key) }
        case kSecMatchPolicy, kSecMatchIssuers, kSecMatchEmailAddressIfPresent,
            kSecMatchValidOnDate, kSecMatchItemList, kSecMatchSearchList:
            break
        default: throw VestryError(.parameter)
        }
    }

    private mutating func readReturn(_ key: String, _ value: Any) throws(VestryError) {
        let isWanted = try boolean(value)
        switch key {
        case kSecReturnData: if isWanted { returns.insert(.data) }
        case kSecReturnAttributes: if isWanted { returns.insert(.attributes) }
        case kSecReturnPersistentRef: if isWanted { returns.insert(.persistentReference) }
        case kSecReturnRef:
            // A deletion returns nothing, whatever it is asked for.
            guard !isWanted || operation == .delete else { throw VestryError(.unimplemented) }
        default: throw VestryError(.parameter)
        }
    }

    private mutating func readUse(_ key: String, _ value: Any) throws(VestryError) {
        switch key {
        case kSecUseAuthenticationUI:
            switch value as? String {
            case kSecUseAuthenticationUIAllow: authenticationUI = .allow
            case kSecUseAuthenticationUIFail: authenticationUI = .fail
            case kSecUseAuthenticationUISkip: authenticationUI = .skip
            default: throw VestryError(.parameter)
            }
        case kSecUseNoAuthenticationUI:
            if try boolean(value), authenticationUI == .allow { authenticationUI = .fail }
        case kSecUseOperationPrompt: prompt = try text(value)
        case kSecUseAuthenticationContext:
            guard let context = value as? LAContext else { throw VestryError(.parameter) }
            self.context = context
        default: throw VestryError(.parameter)
        }
    }

    private mutating func readValue(_ key: String, _ value: Any) throws(VestryError) {
        switch key {
        case kSecValueData:
            guard let data = value as? Data else { throw VestryError(.parameter) }
            secret = data
        case kSecValuePersistentRef:
            guard operation != .add, let data = value as? Data else {
                throw VestryError(.parameter)
            }
            persistentReference = [UInt8](data)
        case kSecValueRef: throw VestryError(.unimplemented)
        default: throw VestryError(.parameter)
        }
    }

    // What does not go together.
    private func check() throws(VestryError) {
        guard operation != .change else { return }
        guard itemClass != nil || persistentReference != nil else { throw VestryError(.parameter) }
        if authenticationUI == .skip, operation != .copy { throw VestryError(.parameter) }
        switch operation {
        case .add, .change:
            guard matchKeys.isEmpty else { throw VestryError(.parameter) }
        case .copy: try checkMatchKeys()
        case .update:
            guard returns.isEmpty else { throw VestryError(.parameter) }
            try checkMatchKeys()
        case .delete:
            // Apple's file keychain wants the limit "all", its other keychain refuses every limit.
            guard matchKeys.isEmpty, limit == nil || limit == .all else {
                throw VestryError(.parameter)
            }
            guard persistentReference == nil || (attributes.isEmpty && !isAnySynchronizable) else {
                throw VestryError(.parameter)
            }
        }
    }

    private func checkMatchKeys() throws(VestryError) {
        guard !matchKeys.isEmpty else { return }
        if isAnySynchronizable || attributes[.synchronizable] != nil {
            throw VestryError(.parameter)
        }
        let isCertificate = itemClass == .certificate || itemClass == .identity
        for key in matchKeys.sorted() where Self.certificateMatchKeys.contains(key) {
            guard isCertificate else { throw error(errSecUnsupportedOperation) }
        }
        guard matchKeys.isDisjoint(with: Self.unimplementedMatchKeys) else {
            throw VestryError(.unimplemented)
        }
        guard hostOrSubdomain == nil || itemClass == .internetPassword else {
            throw VestryError(.parameter)
        }
    }

    private static let certificateMatchKeys: Set<String> = [
        kSecMatchPolicy, kSecMatchIssuers, kSecMatchEmailAddressIfPresent,
        kSecMatchSubjectContains, kSecMatchSubjectStartsWith, kSecMatchSubjectEndsWith,
        kSecMatchSubjectWholeString, kSecMatchTrustedOnly, kSecMatchValidOnDate,
    ]
    private static let unimplementedMatchKeys: Set<String> = [
        kSecMatchPolicy, kSecMatchIssuers, kSecMatchEmailAddressIfPresent, kSecMatchTrustedOnly,
        kSecMatchValidOnDate, kSecMatchDiacriticInsensitive, kSecMatchWidthInsensitive,
        kSecMatchItemList, kSecMatchSearchList,
    ]
}

extension SecItemRequest {
    /// Which items the request is about.
    var query: ItemQuery {
        var query = ItemQuery(persistentReference: [])
        query.persistentReference = persistentReference
        query.itemClass = itemClass
        query.attributes = attributes
        if isAnySynchronizable { query.synchronizable = .any }
        query.limit = limit
        query.authenticationUI = authenticationUI
        if let context {
            if !context.mayAsk, authenticationUI == .allow { query.authenticationUI = .fail }
            query.presenceReuseDuration = context.presenceReuseDuration
        }
        query.prompt = prompt ?? context?.prompt
        query.isCaseInsensitive = isCaseInsensitive
        query.subject = subject
        query.hostOrSubdomain = hostOrSubdomain
        return query
    }

    /// The result of a search in Apple's shape.
    ///
    /// - Parameter records: What was found, at least one.
    /// - Returns: Nil where nothing is asked for; else one thing, or a dictionary of several; and an
    ///   array of these where the limit is above one.
    func result(_ records: [ItemRecord]) -> CFTypeRef? {
        guard !returns.isEmpty else { return nil }
        let results = records.map { result($0) }
        switch limit {
        case .one, nil, .number(1): return results.first.map { $0 as AnyObject }
        case .all, .number: return results as AnyObject
        }
    }

    /// What is returned of one item.
    func result(_ record: ItemRecord) -> Any {
        let secret: Data? = record.withSecret { bytes in
            bytes.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Data($0) } }
        }
        return result(record, secret: secret ?? Data())
    }

    /// What is returned of one item, with a secret that is known already.
    func result(_ record: ItemRecord, secret: Data) -> Any {
        let reference = Data(record.persistentReference)
        if returns == .data { return secret }
        if returns == .persistentReference { return reference }
        var dictionary = returns.contains(.attributes) ? Self.dictionary(record) : [:]
        if returns.contains(.data) { dictionary[kSecValueData] = secret }
        if returns.contains(.persistentReference) { dictionary[kSecValuePersistentRef] = reference }
        return dictionary
    }

    /// The attributes of an item under Apple's keys; access control is always among them.
    static func dictionary(_ record: ItemRecord) -> CFDictionary {
        var dictionary: CFDictionary = [:]
        for (attribute, value) in record.attributes {
            dictionary[attribute.rawValue] = value.foundationValue
        }
        dictionary[kSecAttrAccessControl] = SecAccessControl(
            AccessControl(record.accessibility, record.accessControl))
        return dictionary
    }
}

extension AttributeValue {
    /// Takes the value that a program gives for an attribute.
    ///
    /// - Parameters:
    ///   - value: A text, data, number, truth value or date, of a Swift type or Foundation's, or an
    ///     optional with one.
    ///   - attribute: Says which type is wanted; texts and data stand for each other, and texts for
    ///     numbers, as in Apple's keychain.
    /// - Throws: `VestryError` with the code `parameter` for another type.
    init(_ value: Any, for attribute: ItemAttribute) throws(VestryError) {
        let text = value as? String
        switch attribute.kind {
        case .date:
            guard let date = value as? Date else { throw VestryError(.parameter) }
            self = .date(date.timeIntervalSince1970)
        case .string, .data:
            if let text {
                self = .string(text)
            } else if let data = value as? Data {
                self = .data([UInt8](data))
            } else {
                throw VestryError(.parameter)
            }
        case .number, .bool:
            if let text {
                self = .string(text)
            } else if let number = (value as? NSNumber) as? Int64 {
                self = .number(number)
            } else {
                throw VestryError(.parameter)
            }
        }
    }

    /// The value as Foundation has it; truth values are numbers, as Apple's keychain stores them.
    var foundationValue: Any {
        switch self {
        case .string(let text): text
        case .data(let bytes): Data(bytes)
        case .number(let number): NSNumber(value: number)
        case .bool(let bool): NSNumber(value: bool ? 1 : 0)
        case .date(let seconds): Date(timeIntervalSince1970: seconds)
        }
    }
}

private func error(_ status: OSStatus) -> VestryError {
    VestryError(VestryError.Code(rawValue: status))
}

private func text(_ value: Any) throws(VestryError) -> String {
    guard let text = value as? String else { throw VestryError(.parameter) }
    return text
}

/// A truth value; the numbers 0 and 1 are none, as for Apple.
private func boolean(_ value: Any) throws(VestryError) -> Bool {
    let number = value as? NSNumber
    if number === kCFBooleanTrue { return true }
    if number === kCFBooleanFalse { return false }
    throw VestryError(.parameter)
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
