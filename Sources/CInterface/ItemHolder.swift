internal import Glibc
internal import Vestry

/// A `vestry_item`: attributes under the names that the command's output has.
final class ItemHolder {
    private var texts: [Field: Text] = [:]
    private var numbers: [Field: Int64] = [:]

    init() {}

    init(_ key: ItemKey) {
        texts = [.service: Text(key.service), .account: Text(key.account)]
    }

    init(_ record: ItemRecord) {
        for field in Field.allCases {
            guard let value = field.shownValue(of: record) else { continue }
            switch value {
            case .string(let text): texts[field] = Text(text)
            case .number(let number): numbers[field] = number
            default: continue
            }
        }
    }

    subscript(field: Field) -> String? { texts[field]?.string }

    /// The text for the caller, good as long as the item has it.
    func pointer(_ field: Field) -> UnsafePointer<CChar>? { unsafe texts[field]?.pointer }

    func number(_ field: Field) -> Int64? { numbers[field] }

    /// Gives an attribute a text, or takes it away.
    ///
    /// - Parameters:
    ///   - field: The attribute.
    ///   - text: Nil takes it away.
    /// - Throws: `VestryError` with the code `parameter` for an attribute that is a number, or a text
    ///   that it cannot have.
    func set(_ field: Field, _ text: String?) throws(VestryError) {
        guard !field.isNumber else {
            throw VestryError(parameter: "\(field.rawValue) is a number")
        }
        if let text {
            _ = try field.value(of: text)
            texts[field] = Text(text)
        } else {
            texts[field] = nil
        }
    }

    /// Gives an attribute a number.
    ///
    /// - Parameters:
    ///   - field: The attribute.
    ///   - number: Its new value.
    /// - Throws: `VestryError` with the code `parameter` for an attribute that is a text, or a number
    ///   that it cannot have; `readOnlyAttribute` for a date that the keychain sets.
    func set(_ field: Field, _ number: Int64) throws(VestryError) {
        _ = try field.value(of: number)
        numbers[field] = number
    }

    /// The class; where none is given, what the other attributes say.
    var itemClass: ItemClass {
        if let word = self[.class] { return Field.itemClass(word) ?? .genericPassword }
        let given = Array(texts.keys) + Array(numbers.keys)
        return given.contains { $0.isOfInternetPasswords } ? .internetPassword : .genericPassword
    }

    /// Service and account, where they are all that is given, but for a group.
    var key: ItemKey? {
        guard itemClass == .genericPassword, numbers.isEmpty,
            texts.keys.allSatisfy({ [.class, .service, .account, .group].contains($0) }),
            let service = self[.service], let account = self[.account]
        else { return nil }
        return ItemKey(service: service, account: account)
    }

    /// The same where there is one group to look into: a look by them goes into the first.
    func key(in keychain: Keychain) -> ItemKey? {
        keychain.accessGroups.count <= 1 ? key : nil
    }

    /// The items that have all the attributes.
    ///
    /// - Returns: The query, without a limit.
    /// - Throws: `VestryError` with the code `parameter` for an attribute of another class.
    func query() throws(VestryError) -> ItemQuery {
        let values = try values()
        if let reference = self[.reference].flatMap({ Field.reference($0) }) {
            // The reference names the item without the others.
            guard values.isEmpty, numbers.isEmpty, self[.class] == nil else {
                throw VestryError(parameter: "a reference names the item without the others")
            }
            return ItemQuery(persistentReference: reference)
        }
        var query = ItemQuery(itemClass, values)
        query.attributes[.synchronizable] = nil
        if let number = numbers[.synchronizable] { query.synchronizable = number == 1 ? .yes : .no }
        return query
    }

    /// What a stored item is called, and everything it gets.
    ///
    /// - Returns: The names, with an empty one for each that is not given; and all attributes.
    /// - Throws: `VestryError` with the code `parameter`.
    func namesAndValues() throws(VestryError) -> (
        names: [ItemAttribute: AttributeValue], values: [ItemAttribute: AttributeValue]
    ) {
        let itemClass = itemClass
        let values = try values()
        let place = itemClass == .internetPassword ? Field.server : .service
        guard texts[.reference] == nil, texts[place] != nil else {
            throw VestryError(
                parameter: "an item to store has a \(place.rawValue), and no reference")
        }
        var names: [ItemAttribute: AttributeValue] = [:]
        for field in Field.allCases {
            guard let attribute = field.attribute, field != .synchronizable,
                attribute.isPrimary(in: itemClass)
            else { continue }
            names[attribute] = values[attribute] ?? (field.isNumber ? .number(0) : .string(""))
        }
        return (names, values)
    }

    private func values() throws(VestryError) -> [ItemAttribute: AttributeValue] {
        let itemClass = itemClass
        var values: [ItemAttribute: AttributeValue] = [:]
        for (field, text) in texts {
            guard let attribute = field.attribute else { continue }
            values[attribute] = try field.value(of: text.string)
        }
        for (field, number) in numbers {
            guard let attribute = field.attribute else { continue }
            values[attribute] = try field.value(of: number)
        }
        guard values.keys.allSatisfy({ $0.belongs(to: itemClass) }) else {
            throw VestryError(parameter: "an attribute is of another class")
        }
        return values
    }
}

/// A text that C can read.
@safe
private final class Text {
    let string: String
    let pointer: UnsafePointer<CChar>?

    init(_ string: String) {
        self.string = string
        unsafe pointer = UnsafePointer(strdup(string))
    }

    deinit { unsafe free(UnsafeMutablePointer(mutating: pointer)) }
}
