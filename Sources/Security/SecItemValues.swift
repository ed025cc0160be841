internal import Foundation
internal import SecurityNames
internal import Vestry

// What values of dictionaries are.

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

func error(_ status: OSStatus) -> VestryError {
    VestryError(VestryError.Code(rawValue: status))
}

func text(_ value: Any) throws(VestryError) -> String {
    guard let text = value as? String else { throw VestryError(.parameter) }
    return text
}

/// A truth value; the numbers 0 and 1 are none, as for Apple.
func boolean(_ value: Any) throws(VestryError) -> Bool {
    let number = value as? NSNumber
    if number === kCFBooleanTrue { return true }
    if number === kCFBooleanFalse { return false }
    throw VestryError(.parameter)
}
