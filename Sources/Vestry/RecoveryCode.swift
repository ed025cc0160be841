internal import Sealing
public import SecureMemory

/// A recovery code: 256 random bits, in symbols that a person can copy from paper.
///
/// Fourteen groups of four symbols of Crockford's alphabet (digits and letters without I, L, O and U):
/// 52 symbols of five bits, the highest first, for the 32 bytes and four zero bits; then four that
/// check them, the first 20 bits of BLAKE2b-128 of `vestry recovery code check`, keyed with the 32
/// bytes. A mistyped code passes once in a million times, and then opens nothing.
public enum RecoveryCode {
    public static let byteCount = 32

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let symbolCount = 52
    private static let checkSymbolCount = 4
    private static let groupSize = 4

    /// A new code.
    ///
    /// - Returns: 32 random bytes.
    public static func random() -> SecretBytes { SecretBytes.random(count: byteCount) }

    /// The code as people write it.
    ///
    /// - Parameter code: 32 bytes.
    /// - Returns: 69 characters of ASCII; nothing for another number of bytes.
    public static func text(of code: borrowing SecretBytes) -> SecretBytes {
        guard code.count == byteCount else { return SecretBytes(capacity: 0, filledBy: { _ in 0 }) }
        let check = checkSymbols(of: code)
        let total = symbolCount + checkSymbolCount
        return SecretBytes(
            capacity: total + total / groupSize - 1,
            filledBy: { text in
                code.withBytes { bytes in
                    var count = 0
                    for index in 0..<total {
                        if index > 0 && index % groupSize == 0 {
                            text[count] = UInt8(ascii: "-")
                            count += 1
                        }
                        let symbol =
                            index < symbolCount
                            ? symbol(at: index, in: bytes) : check[index - symbolCount]
                        text[count] = alphabet[Int(symbol)]
                        count += 1
                    }
                    return count
                }
            })
    }

    /// Reads a code as somebody typed it: with dashes and spaces or without, in capital letters or
    /// small ones, with O for 0, I or L for 1 and U for V.
    ///
    /// - Parameter text: What was typed.
    /// - Returns: 32 bytes.
    /// - Throws: ``VestryError`` with the code ``VestryError/Code/parameter``, before anything is
    ///   derived, when it is too short or too long, has another character, or fails its check.
    public static func bytes(
        in text: borrowing SecretBytes
    ) throws(VestryError) -> SecretBytes {
        let symbols = try symbols(in: text)
        guard symbols.count == symbolCount + checkSymbolCount else {
            throw VestryError(
                .parameter,
                detail: "a recovery code has \(symbolCount + checkSymbolCount) letters and digits, "
                    + "and this one has \(symbols.count)")
        }
        let code = SecretBytes(
            count: byteCount,
            filledBy: { bytes in
                symbols.withBytes { symbols in
                    for index in 0..<symbolCount * 5 where index / 8 < byteCount {
                        let bit = symbols[index / 5] >> UInt8(4 - index % 5) & 1
                        bytes[index / 8] |= bit << UInt8(7 - index % 8)
                    }
                }
            })
        let check = checkSymbols(of: code)
        let fits = symbols.withBytes { symbols in
            symbols[symbolCount - 1] & 0x0F == 0
                && (0..<checkSymbolCount).allSatisfy { symbols[symbolCount + $0] == check[$0] }
        }
        guard fits else {
            throw VestryError(.parameter, detail: "this is no recovery code: a symbol is wrong")
        }
        return code
    }

    /// The values of the symbols, 0 to 31; at most one more than a code has.
    private static func symbols(in text: borrowing SecretBytes) throws(VestryError) -> SecretBytes {
        try text.withBytes { (bytes) throws(VestryError) in
            try SecretBytes(
                capacity: symbolCount + checkSymbolCount + 1,
                filledBy: { (symbols) throws(VestryError) in
                    var count = 0
                    for index in bytes.indices {
                        switch bytes[index] {
                        case UInt8(ascii: "-"), UInt8(ascii: " "), 0x09, 0x0A, 0x0D: continue
                        default: break
                        }
                        guard let value = value(of: bytes[index]) else {
                            throw VestryError(
                                .parameter, detail: "a recovery code has letters and digits alone")
                        }
                        if count < symbols.count {
                            symbols[count] = value
                            count += 1
                        }
                    }
                    return count
                })
        }
    }

    private static func value(of character: UInt8) -> UInt8? {
        var character = character
        if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character) { character -= 32 }
        switch character {
        case UInt8(ascii: "O"): character = UInt8(ascii: "0")
        case UInt8(ascii: "I"), UInt8(ascii: "L"): character = UInt8(ascii: "1")
        case UInt8(ascii: "U"): character = UInt8(ascii: "V")
        default: break
        }
        return alphabet.firstIndex(of: character).map(UInt8.init)
    }

    /// Five bits of the code, and zeros after its end.
    private static func symbol(at index: Int, in bytes: Span<UInt8>) -> UInt8 {
        (index * 5..<index * 5 + 5).reduce(0) { symbol, bit in
            let value = bit / 8 < bytes.count ? bytes[bit / 8] >> UInt8(7 - bit % 8) & 1 : 0
            return symbol << 1 | value
        }
    }

    private static func checkSymbols(of code: borrowing SecretBytes) -> [UInt8] {
        let digest = code.keyedHash(of: Array("vestry recovery code check".utf8), count: 16)
        return (0..<checkSymbolCount).map { symbol(at: $0, in: digest.span) }
    }
}
