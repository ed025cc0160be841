internal import Vestry

/// An attribute in the interface; the raw values are the names in the command's output.
enum Field: String, CaseIterable {
    case `class`
    case service
    case account
    case label
    case comment
    case description
    case accessible
    case group
    case reference
    case server
    case networkProtocol = "protocol"
    case authenticationType
    case path
    case securityDomain
    case port
    case synchronizable
    case expires
    case created
    case modified

    /// The one with a name of the caller's.
    ///
    /// - Parameter name: As in vestry.h.
    /// - Throws: `VestryError` with the code `parameter` where there is none.
    init(_ name: UnsafePointer<CChar>?) throws(VestryError) {
        guard let field = Field(rawValue: try unsafe checked(name)) else {
            throw VestryError(parameter: "no such attribute")
        }
        self = field
    }

    /// The keychain's attribute; nil where a query has another place for it.
    var attribute: ItemAttribute? {
        switch self {
        case .class, .group, .reference: nil
        case .service: .service
        case .account: .account
        case .label: .label
        case .comment: .comment
        case .description: .kindDescription
        case .accessible: .accessible
        case .server: .server
        case .networkProtocol: .networkProtocol
        case .authenticationType: .authenticationType
        case .path: .path
        case .securityDomain: .securityDomain
        case .port: .port
        case .synchronizable: .synchronizable
        case .expires: .expirationDate
        case .created: .creationDate
        case .modified: .modificationDate
        }
    }

    var isNumber: Bool {
        switch self {
        case .port, .synchronizable, .expires, .created, .modified: true
        default: false
        }
    }

    /// Whether a generic password cannot have it.
    var isOfInternetPasswords: Bool {
        attribute?.belongs(to: .genericPassword) == false
    }

    /// The words that stand for codes.
    private var words: [AttributeWords.Word] {
        switch self {
        case .networkProtocol: AttributeWords.protocols
        case .authenticationType: AttributeWords.authenticationTypes
        default: []
        }
    }

    static func itemClass(_ word: String) -> ItemClass? {
        switch word {
        case "generic-password": .genericPassword
        case "internet-password": .internetPassword
        default: nil
        }
    }

    private static func word(_ itemClass: ItemClass) -> String? {
        switch itemClass {
        case .genericPassword: "generic-password"
        case .internetPassword: "internet-password"
        default: nil
        }
    }

    /// Reads the digits of a reference; nil for what is none.
    static func reference(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count == 32 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 32, by: 2) {
            // A sign would be taken for a part of the number.
            guard digits[index] != UInt8(ascii: "+"), digits[index] != UInt8(ascii: "-"),
                let byte = UInt8(
                    String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func digits(_ reference: [UInt8]) -> String {
        reference.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The keychain's value for a text of the caller's.
    ///
    /// - Parameter text: Any text.
    /// - Returns: The value.
    /// - Throws: `VestryError` with the code `parameter` for a text that the attribute cannot have.
    func value(of text: String) throws(VestryError) -> AttributeValue {
        let isPossible =
            switch self {
            case .class: Self.itemClass(text) != nil
            case .accessible: Accessibility(rawValue: text) != nil
            case .reference: Self.reference(text) != nil
            default: text.utf8.count <= Keychain.maximumTextByteCount
            }
        guard isPossible else { throw VestryError(parameter: "\(rawValue) cannot have this text") }
        if self == .accessible, let accessibility = Accessibility(rawValue: text) {
            return .string(accessibility.appleName)
        }
        return .string(words.first { $0.word == text }?.value ?? text)
    }

    /// The keychain's value for a number of the caller's.
    ///
    /// - Parameter number: Any number.
    /// - Returns: The value.
    /// - Throws: `VestryError` with the code `parameter` for a number that the attribute cannot have,
    ///   or `readOnlyAttribute`.
    func value(of number: Int64) throws(VestryError) -> AttributeValue {
        switch self {
        case .port where (0...65_535).contains(number): return .number(number)
        case .synchronizable where number == 0 || number == 1: return .bool(number == 1)
        // What a floating-point number holds exactly.
        case .expires where number.magnitude <= 1 << 53: return .date(Double(number))
        case .created, .modified: throw VestryError(.readOnlyAttribute)
        default: throw VestryError(parameter: "\(rawValue) cannot have this number")
        }
    }

    /// What an item that was found has: a text or a number; nil where it has none.
    func shownValue(of record: ItemRecord) -> AttributeValue? {
        switch self {
        case .class: return Self.word(record.itemClass).map { .string($0) }
        case .reference: return .string(Self.digits(record.persistentReference))
        case .accessible: return .string(record.accessibility.rawValue)
        case .group: return record[.accessGroup]
        default: break
        }
        guard let attribute, let value = record[attribute] else { return nil }
        switch value {
        case .string(let text): return .string(words.first { $0.value == text }?.word ?? text)
        case .number(let number): return .number(number)
        case .bool(let bool): return .number(bool ? 1 : 0)
        case .date(let seconds):
            let whole = Int64(exactly: seconds.rounded(.down))
            return .number(whole ?? (seconds < 0 ? .min : .max))
        case .data: return nil
        }
    }
}
