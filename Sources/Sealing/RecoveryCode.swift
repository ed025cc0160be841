public import SecureMemory

/// A reason why a text is no recovery code; it says nothing of the text itself.
public enum RecoveryCodeError: Error, Equatable, Sendable {
    /// Symbols are missing, or there are too many.
    case wrongLength
    /// It has a character that no code has.
    case wrongSymbol
    /// The check symbol is another one's: something was mistyped.
    case wrongCheckSymbol
}

/// 256 random bits in a form that people can keep on paper and type.
///
/// Crockford's Base32 (crockford.com/base32.html): the 32 bytes as one number, the highest byte first,
/// in 52 symbols of five bits, of which the first is 0 or 1; then the check symbol, which is the number
/// modulo 37. Written in groups of four with hyphens between them, the check symbol last and alone.
///
/// What is read may have hyphens and spaces anywhere or nowhere, small letters, O for 0, and I or L for
/// 1. The check symbol notices every single wrong symbol and every exchange of two neighbours, before
/// any key is derived.
public struct RecoveryCode: ~Copyable, Sendable {
    public static let byteCount = 32
    /// Of the written form: 13 groups of four, a hyphen after each, and the check symbol.
    public static let textByteCount = symbolCount + symbolCount / groupSize + 1

    private static let symbolCount = 52
    private static let groupSize = 4
    /// Bits of the first symbol before the number begins: 52 times 5, less 256.
    private static let paddingBitCount = 4
    /// Base32's 32 symbols, and the five more that only the check symbol can be.
    private static let symbols = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ*~$=U".utf8)

    /// The 32 bytes that the code stands for.
    public let secret: SecretBytes

    private init(_ secret: consuming SecretBytes) { self.secret = secret }

    /// Draws a new code from the system's random number generator.
    public static func random() -> RecoveryCode { RecoveryCode(.random(count: byteCount)) }

    /// Reads a code as a person writes it.
    ///
    /// - Parameter text: ASCII; spaces, line ends and hyphens do not count.
    /// - Throws: `RecoveryCodeError`.
    public init(parsing text: borrowing SecretBytes) throws(RecoveryCodeError) {
        let values = try Self.values(of: text)
        let secret = SecretBytes(
            count: Self.byteCount,
            filledBy: { bytes in
                values.withBytes { values in
                    for index in bytes.indices {
                        for bit in 0..<8 {
                            let place = Self.paddingBitCount + index * 8 + bit
                            let value = values[place / 5] >> (4 - UInt8(place % 5)) & 1
                            bytes[index] = bytes[index] << 1 | value
                        }
                    }
                }
            })
        let (first, check) = values.withBytes { ($0[0], $0[Self.symbolCount]) }
        // Above 1, the number has more than 256 bits.
        guard first <= 1, check == Self.checkValue(of: secret) else { throw .wrongCheckSymbol }
        self.init(secret)
    }

    /// The written form, such as "1VAF-ANRN-...-Z".
    public var text: SecretBytes {
        SecretBytes(
            count: Self.textByteCount,
            filledBy: { text in
                secret.withBytes { bytes in
                    var end = 0
                    for number in 0..<Self.symbolCount {
                        text[end] = Self.symbols[Int(Self.value(number, of: bytes))]
                        end += 1
                        guard (number + 1) % Self.groupSize == 0 else { continue }
                        text[end] = UInt8(ascii: "-")
                        end += 1
                    }
                    text[end] = Self.symbols[Int(Self.checkValue(of: secret))]
                }
            })
    }

    /// Five bits of the number: those of one symbol.
    private static func value(_ number: Int, of bytes: Span<UInt8>) -> UInt8 {
        var value: UInt8 = 0
        for place in number * 5..<number * 5 + 5 {
            value <<= 1
            guard place >= paddingBitCount else { continue }
            let (index, bit) = (place - paddingBitCount).quotientAndRemainder(dividingBy: 8)
            value |= bytes[index] >> (7 - UInt8(bit)) & 1
        }
        return value
    }

    private static func checkValue(of secret: borrowing SecretBytes) -> UInt8 {
        secret.withBytes { bytes in
            UInt8(bytes.indices.reduce(0) { ($0 * 256 + Int(bytes[$1])) % 37 })
        }
    }

    /// The values of all symbols, the check symbol's included.
    private static func values(
        of text: borrowing SecretBytes
    ) throws(RecoveryCodeError) -> SecretBytes {
        try SecretBytes(
            count: symbolCount + 1,
            filledBy: { (values) throws(RecoveryCodeError) in
                var count = 0
                for index in 0..<text.count {
                    let character = text.withBytes { $0[index] }
                    guard !isSeparator(character) else { continue }
                    guard let value = value(of: character) else { throw .wrongSymbol }
                    guard count <= symbolCount else { throw .wrongLength }
                    guard value < 32 || count == symbolCount else { throw .wrongSymbol }
                    values[count] = value
                    count += 1
                }
                guard count == symbolCount + 1 else { throw .wrongLength }
            })
    }

    private static func isSeparator(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"),
            UInt8(ascii: "\r"):
            true
        default: false
        }
    }

    private static func value(of character: UInt8) -> UInt8? {
        let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
        switch isSmall ? character - 0x20 : character {
        case UInt8(ascii: "O"): return 0
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
        case let symbol: return symbols.firstIndex(of: symbol).map { UInt8($0) }
        }
    }
}
