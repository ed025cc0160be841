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
        static let reference = Self(rawValue: 8)
    }

    /// The most keys that a dictionary may have, as securityd has it.
    static let maximumKeyCount = 128

    private(set) var itemClass: ItemClass?
    private(set) var attributes: [ItemAttribute: AttributeValue] = [:]
    private(set) var returns: Returns = []
    private(set) var secret: Data?
    private(set) var match = SecItemMatch()
    /// What `kSecValueRef` names.
    private(set) var reference: SecItemReference?
    private var isAnySynchronizable = false
    private var persistentReference: [UInt8]?
    private var authenticationUI: ItemQuery.AuthenticationUI = .allow
    private var prompt: String?
    private var context: LAContext?
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
            case "m": try match.read(key, value)
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

    private mutating func readReturn(_ key: String, _ value: Any) throws(VestryError) {
        let isWanted = try boolean(value)
        switch key {
        case kSecReturnData: if isWanted { returns.insert(.data) }
        case kSecReturnAttributes: if isWanted { returns.insert(.attributes) }
        case kSecReturnPersistentRef: if isWanted { returns.insert(.persistentReference) }
        case kSecReturnRef: if isWanted { returns.insert(.reference) }
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
        case kSecUseKeychain:
            guard operation == .add, value is SecKeychain else { throw VestryError(.parameter) }
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
        case kSecValueRef:
            guard let reference = SecItemReference(value), reference.itemClass != nil else {
                throw VestryError(.parameter)
            }
            self.reference = reference
        default: throw VestryError(.parameter)
        }
    }

    // What does not go together.
    private mutating func check() throws(VestryError) {
        guard operation != .change else { return }
        try checkReference()
        guard itemClass != nil || persistentReference != nil else { throw VestryError(.parameter) }
        if authenticationUI == .skip, operation != .copy { throw VestryError(.parameter) }
        switch operation {
        case .add, .change:
            guard match.isEmpty else { throw VestryError(.parameter) }
        case .copy: try checkMatch()
        case .update:
            guard returns.isEmpty else { throw VestryError(.parameter) }
            try checkMatch()
        case .delete:
            // Apple's file keychain wants the limit "all", its other keychain refuses every limit.
            guard match.isEmpty, match.limit == nil || match.limit == .all else {
                throw VestryError(.parameter)
            }
            guard persistentReference == nil || (attributes.isEmpty && !isAnySynchronizable) else {
                throw VestryError(.parameter)
            }
        }
    }

    // A reference says of which class its item is, and which one it is.
    private mutating func checkReference() throws(VestryError) {
        guard let reference else { return }
        guard persistentReference == nil, secret == nil || operation != .add,
            itemClass ?? reference.itemClass == reference.itemClass
        else { throw VestryError(.parameter) }
        itemClass = reference.itemClass
        guard operation != .add else { return }
        for (attribute, value) in reference.identifyingAttributes {
            guard attributes[attribute] ?? value == value else { throw VestryError(.parameter) }
            attributes[attribute] = value
        }
    }

    private func checkMatch() throws(VestryError) {
        guard !match.isEmpty else { return }
        if isAnySynchronizable || attributes[.synchronizable] != nil {
            throw VestryError(.parameter)
        }
        try match.check(itemClass)
    }
}

extension SecItemRequest {
    /// Which items the request is about.
    var query: ItemQuery {
        var query = ItemQuery(persistentReference: [])
        query.persistentReference = persistentReference
        query.itemClass = itemClass
        query.attributes = attributes
        // An object names its item in either case.
        let isNamed = reference != nil && attributes[.synchronizable] == nil
        if isAnySynchronizable || isNamed { query.synchronizable = .any }
        query.authenticationUI = authenticationUI
        if let context {
            if !context.mayAsk, authenticationUI == .allow { query.authenticationUI = .fail }
            query.presenceReuseDuration = context.presenceReuseDuration
            query.applicationPassword = context.applicationPassword
        }
        query.prompt = prompt ?? context?.prompt
        match.apply(to: &query)
        return query
    }
}
