/// The value of one attribute of an item.
public enum AttributeValue: Sendable {
    case string(String)
    case data([UInt8])
    case number(Int64)
    case bool(Bool)
    /// Seconds since 1970, as Foundation's `timeIntervalSince1970`.
    case date(Double)

    /// Which of the five types a value has.
    public enum Kind: Sendable {
        case string
        case data
        case number
        case bool
        case date
    }

    /// The type of this value.
    public var kind: Kind {
        switch self {
        case .string: .string
        case .data: .data
        case .number: .number
        case .bool: .bool
        case .date: .date
        }
    }
}

/// Equality goes by bytes, unlike `String`'s, which takes "é" and "e" with an accent for the same.
extension AttributeValue: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.data(let left), .data(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.bool(let left), .bool(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .string(let text): for byte in text.utf8 { hasher.combine(byte) }
        case .data(let bytes): hasher.combine(bytes)
        case .number(let number): hasher.combine(number)
        case .bool(let bool): hasher.combine(bool)
        case .date(let seconds): hasher.combine(seconds)
        }
    }
}

extension AttributeValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    public init(stringLiteral text: String) { self = .string(text) }
    public init(integerLiteral number: Int64) { self = .number(number) }
    public init(booleanLiteral bool: Bool) { self = .bool(bool) }
}

extension AttributeValue {
    /// The text, or nil for another type.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The bytes, or nil for another type.
    public var data: [UInt8]? {
        if case .data(let bytes) = self { bytes } else { nil }
    }

    /// The number, or nil for another type.
    public var number: Int64? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The truth value, or nil for another type.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The seconds since 1970, or nil for another type.
    public var date: Double? {
        if case .date(let seconds) = self { seconds } else { nil }
    }
}
