/// The attributes of one item that stand in its metadata, ascending by their numbers.
///
/// An item has about seven: looking through them costs less than hashing one name, and both the
/// metadata and the tags want them in this order.
struct AttributeList: Equatable {
    struct Element: Equatable {
        let number: UInt8
        let attribute: ItemAttribute
        var value: AttributeValue
    }

    private(set) var elements: [Element] = []

    init() {}

    init(capacity: Int) { elements.reserveCapacity(capacity) }

    init(_ values: [ItemAttribute: AttributeValue]) {
        for (attribute, value) in values { self[attribute] = value }
    }

    var dictionary: [ItemAttribute: AttributeValue] {
        // The row has four more at most.
        var values = [ItemAttribute: AttributeValue](minimumCapacity: elements.count + 4)
        for element in elements { values[element.attribute] = element.value }
        return values
    }

    /// The value of an attribute; setting one that stands in the row, and not here, does nothing.
    subscript(attribute: ItemAttribute) -> AttributeValue? {
        get {
            for element in elements where element.attribute == attribute { return element.value }
            return nil
        }
        set {
            guard let number = attribute.rule.number else { return }
            let index = elements.firstIndex { $0.number >= number } ?? elements.endIndex
            let isThere = index < elements.endIndex && elements[index].number == number
            guard let newValue else {
                if isThere { elements.remove(at: index) }
                return
            }
            if isThere {
                elements[index].value = newValue
            } else {
                elements.insert(
                    Element(number: number, attribute: attribute, value: newValue), at: index)
            }
        }
    }

    func has(_ attribute: ItemAttribute) -> Bool {
        for element in elements where element.attribute == attribute { return true }
        return false
    }

    /// Adds a value whose number is above all others.
    mutating func append(_ number: UInt8, _ attribute: ItemAttribute, _ value: AttributeValue) {
        elements.append(Element(number: number, attribute: attribute, value: value))
    }

    /// Takes over the values of another list.
    mutating func merge(_ other: AttributeList) {
        for element in other.elements { self[element.attribute] = element.value }
    }
}

extension AttributeList: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral values: (ItemAttribute, AttributeValue)...) {
        self.init(capacity: values.count)
        for (attribute, value) in values { self[attribute] = value }
    }
}
