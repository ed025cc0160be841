internal import Glibc
internal import Vestry

/// How the value of an attribute is written in an argument.
enum AttributeForm: Sendable {
    case text
    /// Text that becomes bytes.
    case bytes
    case hexadecimal
    /// Four ASCII characters or a number (Apple's FourCharCode).
    case code
    case number(atMost: Int)
    case yesNo
    /// A word that stands for a text; what is no word stands for itself.
    case textWord([(word: String, value: String)])
    /// A word that stands for a number.
    case numberWord([(word: String, value: Int64)])
    case accessibility
    /// A moment to come.
    case time

    /// What the value is called in `--help` and in messages.
    var placeholder: String {
        switch self {
        case .text, .bytes: "TEXT"
        case .hexadecimal: "HEX"
        case .code: "CODE"
        case .number: "NUMBER"
        case .yesNo: "yes|no"
        case .textWord: "WORD"
        case .numberWord(let words): words.map(\.word).joined(separator: "|")
        case .accessibility: "CLASS"
        case .time: "TIME"
        }
    }

    /// What a value must be, for a message.
    var requirement: String {
        switch self {
        case .text, .bytes, .textWord: "a text"
        case .hexadecimal: "bytes in hexadecimal, two digits each"
        case .code: "four ASCII characters or a number"
        case .number(let limit): "a number from 0 to \(limit)"
        case .yesNo: "'yes' or 'no'"
        case .numberWord(let words): words.map { "'\($0.word)'" }.joined(separator: " or ")
        case .accessibility: "a CLASS"
        case .time: "'never', a time in UTC such as 2030-01-31T18:00:00Z, or +30d (s, m, h, d)"
        }
    }

    /// Reads a value; nil for what is none.
    func value(of text: String) -> AttributeValue? {
        switch self {
        case .text: .string(text)
        case .bytes: .data(Array(text.utf8))
        case .hexadecimal: Hexadecimal.bytes(text).map { .data($0) }
        case .code: Self.code(text).map { .number($0) }
        case .number(let limit): Arguments.number(text, atMost: limit).map { .number(Int64($0)) }
        case .yesNo: text == "yes" || text == "no" ? .bool(text == "yes") : nil
        case .textWord(let words):
            .string(words.first { $0.word == text }?.value ?? text)
        case .numberWord(let words): words.first { $0.word == text }.map { .number($0.value) }
        case .accessibility: Accessibility(rawValue: text).map { .string($0.appleName) }
        case .time: Moment.seconds(text).map { .date($0) }
        }
    }

    /// The characters are the number's bytes, the first the highest.
    static func code(_ text: String) -> Int64? {
        if text.utf8.count == 4, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
            Arguments.number(text, atMost: .max) == nil
        {
            return text.utf8.reduce(0) { $0 << 8 | Int64($1) }
        }
        return Arguments.number(text, atMost: Int(UInt32.max)).map { Int64($0) }
    }

    static let protocols = AttributeWords.protocols
    static let authenticationTypes = AttributeWords.authenticationTypes

    /// `kSecAttrKeyClass`.
    static let keyClasses: [(word: String, value: Int64)] = [
        ("public", 0), ("private", 1), ("symmetric", 2),
    ]

    /// `kSecAttrKeyType`.
    static let keyTypes: [(word: String, value: Int64)] = [("rsa", 42), ("ec", 73)]
}

/// Bytes as digits, the way that `od` and `xxd` show them.
enum Hexadecimal {
    static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".unicodeScalars)
        var text = ""
        for byte in bytes {
            text.unicodeScalars.append(digits[Int(byte >> 4)])
            text.unicodeScalars.append(digits[Int(byte & 15)])
        }
        return text
    }

    /// Two digits for each byte, in either case; nil for anything else.
    static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Times in UTC, as ISO 8601 writes them.
enum Moment {
    /// Reads `never`, a time such as 2030-01-31T18:00:00Z, its date alone, or `+` and a time from
    /// now.
    ///
    /// - Parameter text: As somebody wrote it.
    /// - Returns: Seconds since 1970, infinity for `never`; nil for anything else.
    static func seconds(_ text: String) -> Double? {
        if text == "never" { return .infinity }
        if text.hasPrefix("+") { return fromNow(text.dropFirst()) }
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count <= 2, let day = numbers(parts[0], separator: "-", [4, 2, 2]) else {
            return nil
        }
        var hour = [0, 0, 0]
        if parts.count == 2 {
            guard parts[1].hasSuffix("Z"),
                let given = numbers(parts[1].dropLast(), separator: ":", [2, 2, 2])
            else { return nil }
            hour = given
        }
        var fields = unsafe tm()
        unsafe fields.tm_year = Int32(day[0] - 1900)
        unsafe fields.tm_mon = Int32(day[1] - 1)
        unsafe fields.tm_mday = Int32(day[2])
        unsafe fields.tm_hour = Int32(hour[0])
        unsafe fields.tm_min = Int32(hour[1])
        unsafe fields.tm_sec = Int32(hour[2])
        let seconds = unsafe timegm(&fields)
        // The 31st of April would be taken for the 1st of May.
        let written = parts.count == 2 ? text : text + "T00:00:00Z"
        return self.text(Int64(seconds)) == written ? Double(seconds) : nil
    }

    /// Such as 2030-01-31T18:00:00Z; the number where the calendar does not reach.
    static func text(_ seconds: Int64) -> String {
        format(seconds, "%Y-%m-%dT%H:%M:%SZ") ?? String(seconds)
    }

    /// As strftime(3) formats; nil where the calendar does not reach.
    static func format(_ seconds: Int64, _ format: String) -> String? {
        var time = time_t(seconds)
        var fields = unsafe tm()
        guard unsafe gmtime_r(&time, &fields) != nil else { return nil }
        var buffer = [CChar](repeating: 0, count: 64)
        let count = unsafe strftime(&buffer, buffer.count, format, &fields)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func fromNow(_ text: Substring) -> Double? {
        TimeSpan.seconds(text, needsUnit: true).map { Double(time(nil)) + Double($0) }
    }

    private static func numbers(
        _ text: Substring, separator: Character, _ sizes: [Int]
    ) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == sizes else { return nil }
        let numbers = parts.compactMap { Arguments.number(String($0), atMost: 9999) }
        return numbers.count == sizes.count ? numbers : nil
    }
}
