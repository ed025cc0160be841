internal import LinuxSystem
internal import SecureMemory

/// Why a conversation came to nothing.
enum AssuanError: Error, Equatable {
    /// The server said why.
    case refused(AssuanRefusal)
    /// What came is not the protocol.
    case malformed
    /// The server closed its output in the middle.
    case ended
    case timedOut
    /// A signal came to this process meanwhile.
    case signal(Int32)
    case system(SystemCallError)
}

/// What a server says to one command: lines of data and remarks, and at the end whether it is done.
///
/// The lines may hold a secret, so that all work on them is done in memory that is wiped.
enum AssuanAnswer {
    /// The most bytes of one.
    ///
    /// Every pinentry takes passwords of 2048 characters: of ASCII, they fit also where each of them
    /// is percent-encoded. A login password has at most 512 bytes.
    static let byteLimit = 16384

    /// Tells whether the answer is all there.
    ///
    /// - Parameter bytes: What has come up to now.
    /// - Returns: Whether the last line has come.
    /// - Throws: ``AssuanError/malformed`` as soon as it can become no answer any more.
    static func isComplete(_ bytes: Span<UInt8>) throws(AssuanError) -> Bool {
        var start = 0
        while let line = line(in: bytes, from: start) {
            guard line.count <= AssuanLine.limit else { throw .malformed }
            start = next(after: line, in: bytes)
            switch AssuanLine(bytes.extracting(line)) {
            case .data, .remark:
                continue
            case .done, .failure:
                guard start == bytes.count else { throw .malformed }
                return true
            case .other:
                throw .malformed
            }
        }
        // With room for a CR that belongs to the line's end.
        guard bytes.count - start <= AssuanLine.limit + 1 else { throw .malformed }
        return false
    }

    /// Decodes the data of a complete answer.
    ///
    /// - Parameter answer: The lines.
    /// - Returns: The bytes of all lines of data, one after the other; none where there is no data.
    /// - Throws: ``AssuanError/refused(_:)``, or ``AssuanError/malformed`` for a wrong encoding.
    static func data(of answer: borrowing SecretBytes) throws(AssuanError) -> SecretBytes {
        try answer.withBytes { (bytes) throws(AssuanError) in
            try SecretBytes(
                capacity: bytes.count,
                filledBy: { (data) throws(AssuanError) in try decode(bytes, into: &data) })
        }
    }

    private static func decode(
        _ bytes: Span<UInt8>, into data: inout MutableSpan<UInt8>
    ) throws(AssuanError) -> Int {
        var filled = 0
        var start = 0
        while let line = line(in: bytes, from: start) {
            start = next(after: line, in: bytes)
            let text = bytes.extracting(line)
            switch AssuanLine(text) {
            case .data: break
            case .failure(let refusal): throw .refused(refusal)
            case .done, .remark, .other: continue
            }
            var index = AssuanLine.dataOffset
            while index < text.count {
                if text[index] != UInt8(ascii: "%") {
                    data[filled] = text[index]
                    index += 1
                } else {
                    guard index + 2 < text.count, let high = digit(text[index + 1]),
                        let low = digit(text[index + 2])
                    else { throw .malformed }
                    data[filled] = high << 4 | low
                    index += 3
                }
                filled += 1
            }
        }
        return filled
    }

    /// - Returns: Where the line that begins at `start` is, without LF or CRLF; nil when its end is
    ///   not there yet.
    private static func line(in bytes: Span<UInt8>, from start: Int) -> Range<Int>? {
        for index in start..<bytes.count where bytes[index] == 0x0A {
            return start..<(index > start && bytes[index - 1] == 0x0D ? index - 1 : index)
        }
        return nil
    }

    private static func next(after line: Range<Int>, in bytes: Span<UInt8>) -> Int {
        bytes[line.upperBound] == 0x0D ? line.upperBound + 2 : line.upperBound + 1
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
