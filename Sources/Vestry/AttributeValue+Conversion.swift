extension AttributeValue {
    /// The same value in another type, where Apple's interface takes one for the other: a text for
    /// its UTF-8, a number for a truth value, a number for its decimal text.
    ///
    /// - Parameter kind: The type that the attribute has.
    /// - Returns: Nil where there is no such value.
    func converted(to kind: Kind) -> AttributeValue? {
        switch (self, kind) {
        case (.string, .string), (.data, .data), (.number, .number), (.bool, .bool):
            return self
        case (.date(let seconds), .date):
            return seconds.isFinite ? .date(seconds + 0) : nil
        case (.data(let bytes), .string):
            return String(validating: bytes, as: UTF8.self).map { .string($0) }
        case (.string(let text), .data):
            return .data(Array(text.utf8))
        case (.bool(let bool), .number):
            return .number(bool ? 1 : 0)
        case (.number(let number), .bool):
            return number == 0 || number == 1 ? .bool(number == 1) : nil
        case (.string(let text), .number):
            // Apple's constants for key classes and types are texts such as "42".
            guard let number = Int64(text), String(number) == text else { return nil }
            return .number(number)
        case (.string(let text), .bool):
            return text == "0" || text == "1" ? .bool(text == "1") : nil
        default:
            return nil
        }
    }
}

extension ItemAttribute {
    /// Checks a value that a caller gives for this attribute of an item of a class.
    ///
    /// - Parameters:
    ///   - value: Of whatever type.
    ///   - itemClass: The class of the item or the query.
    /// - Returns: The value in the attribute's own type.
    /// - Throws: `VestryError` with the code `parameter`. Its text names the attribute and not the
    ///   value.
    func checked(
        _ value: AttributeValue, in itemClass: ItemClass
    ) throws(VestryError) -> AttributeValue {
        guard belongs(to: itemClass) else {
            throw VestryError(
                .parameter, detail: "items of class \(itemClass.rawValue) have no \(rawValue)")
        }
        guard let converted = value.converted(to: kind) else {
            throw VestryError(.parameter, detail: "\(rawValue) is of another type")
        }
        let limit = ItemMetadata.maximumValueByteCount
        guard converted.encodedByteCount <= limit else {
            throw VestryError(.parameter, detail: "\(rawValue) has more than \(limit) bytes")
        }
        return converted
    }
}
