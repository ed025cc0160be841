internal import Foundation
internal import Vestry

/// A value of a dictionary that a program gave, in a form that can be kept and sent anywhere.
enum GivenValue: Sendable {
    case attribute(AttributeValue)
    /// No attribute has a value of this type.
    case unusable

    /// Takes Swift's types and their Foundation classes.
    init(_ value: Any) {
        switch value {
        case let text as String: self = .attribute(.string(text))
        case let text as NSString: self = .attribute(.string(text as String))
        case let data as Data: self = .attribute(.data(Array(data)))
        case let bytes as [UInt8]: self = .attribute(.data(bytes))
        case let data as NSData: self = .attribute(.data(Array(data as Data)))
        case let date as Date: self = .attribute(.date(date.timeIntervalSince1970))
        case let date as NSDate: self = .attribute(.date(date.timeIntervalSince1970))
        case let bool as Bool: self = .attribute(.bool(bool))
        case let integer as any BinaryInteger:
            guard let number = Int64(exactly: integer) else {
                self = .unusable
                return
            }
            self = .attribute(.number(number))
        case let number as NSNumber: self = .attribute(.number(number.int64Value))
        case let accessControl as SecAccessControl:
            self = .attribute(.data(accessControl.value.encoded))
        default: self = .unusable
        }
    }
}
