package import SecureMemory
internal import Vestry

/// The file of git's `credential-store`: one address with user and password in each line
/// (git-credential-store(1)).
package enum GitCredentials {
    /// Reads a whole file.
    package static func read(_ file: borrowing SecretBytes) -> ImportBatch {
        var batch = ImportBatch()
        file.withBytes { bytes in
            for (number, range) in lines(of: bytes).enumerated() {
                let line = bytes.indices[range].map { bytes[$0] }
                guard !line.isEmpty, line.first != UInt8(ascii: "#") else { continue }
                if let item = item(line) {
                    batch.items.append(item)
                } else {
                    batch.problems.append(
                        ImportProblem(line: number + 1, "no address with user and password"))
                }
            }
        }
        return batch
    }

    private static func item(_ line: [UInt8]) -> ImportedItem? {
        guard let text = String(validating: line, as: UTF8.self),
            let address = ForeignAddress(text), !address.scheme.isEmpty,
            let parts = address.userInfo.map({ Array($0.utf8) }),
            let colon = parts.firstIndex(of: UInt8(ascii: ":")),
            let user = PercentEncoding.decoded(parts[..<colon])
                .flatMap({ String(validating: $0, as: UTF8.self) }),
            let password = PercentEncoding.decoded(parts[(colon + 1)...])
        else { return nil }
        var attributes = address.attributes
        attributes[.account] = .string(user)
        return ImportedItem(
            .internetPassword, attributes: attributes, secret: SecretBytes(copying: password.span))
    }

    /// The lines of a text, without their ends (LF or CRLF).
    static func lines(of bytes: Span<UInt8>) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != 0x0A { end += 1 }
            let isCRLF = end > start && bytes[end - 1] == 0x0D
            lines.append(start..<(isCRLF ? end - 1 : end))
            start = end + 1
        }
        return lines
    }
}

/// A `.netrc` file: words that name a machine, a login and a password (ftp(1), curl(1)).
package enum NetrcFile {
    private struct Word {
        let bytes: [UInt8]
        let line: Int

        func `is`(_ text: String) -> Bool { bytes.elementsEqual(text.utf8) }
    }

    private struct Entry {
        let line: Int
        var machine: String?
        var login = ""
        var accountWord = ""
        var password: [UInt8]?
    }

    /// Reads a whole file.
    ///
    /// - Throws: `ImportProblem` for a word that is none of the format: what follows it could be taken
    ///   for something else.
    package static func read(
        _ file: borrowing SecretBytes
    ) throws(ImportProblem) -> ImportBatch {
        var words = try file.withBytes { (bytes) throws(ImportProblem) in try Self.words(of: bytes)
        }[
            ...]
        var batch = ImportBatch()
        var entry: Entry?
        func value(_ word: Word) throws(ImportProblem) -> String {
            guard let next = words.popFirst(),
                let text = String(validating: next.bytes, as: UTF8.self)
            else { throw ImportProblem(line: word.line, "a word without its value") }
            return text
        }
        while let word = words.popFirst() {
            if word.is("machine") {
                close(entry, in: &batch)
                entry = Entry(line: word.line)
                entry?.machine = try value(word)
            } else if word.is("default") {
                close(entry, in: &batch)
                entry = Entry(line: word.line)
            } else if word.is("login"), entry != nil {
                entry?.login = try value(word)
            } else if word.is("account"), entry != nil {
                entry?.accountWord = try value(word)
            } else if word.is("password"), entry != nil {
                guard let next = words.popFirst() else {
                    throw ImportProblem(line: word.line, "a word without its value")
                }
                entry?.password = next.bytes
            } else {
                throw ImportProblem(line: word.line, "a word that is none of .netrc")
            }
        }
        close(entry, in: &batch)
        return batch
    }

    private static func close(_ entry: Entry?, in batch: inout ImportBatch) {
        guard let entry else { return }
        guard let machine = entry.machine else {
            batch.problems.append(ImportProblem(line: entry.line, "'default' is for no machine"))
            return
        }
        guard let password = entry.password else {
            batch.problems.append(ImportProblem(line: entry.line, "a machine without a password"))
            return
        }
        var attributes: [ItemAttribute: AttributeValue] = [
            .server: .string(machine.lowercased()), .account: .string(entry.login),
        ]
        if !entry.accountWord.isEmpty { attributes[.comment] = .string(entry.accountWord) }
        batch.items.append(
            ImportedItem(
                .internetPassword, attributes: attributes,
                secret: SecretBytes(copying: password.span)))
    }

    /// Words between white space, or in double quotes; without comments and macros.
    private static func words(of bytes: Span<UInt8>) throws(ImportProblem) -> [Word] {
        var words: [Word] = []
        var (index, line) = (0, 1)
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x0A { line += 1 }
            if isSpace(byte) {
                index += 1
            } else if byte == UInt8(ascii: "#") {
                while index < bytes.count, bytes[index] != 0x0A { index += 1 }
            } else if byte == UInt8(ascii: "\"") {
                words.append(try quoted(bytes, &index, line))
            } else {
                var word: [UInt8] = []
                while index < bytes.count, !isSpace(bytes[index]) {
                    word.append(bytes[index])
                    index += 1
                }
                if word.elementsEqual("macdef".utf8) {
                    // To the next empty line.
                    while index < bytes.count,
                        !(bytes[index] == 0x0A && index > 0 && bytes[index - 1] == 0x0A)
                    {
                        if bytes[index] == 0x0A { line += 1 }
                        index += 1
                    }
                } else {
                    words.append(Word(bytes: word, line: line))
                }
            }
        }
        return words
    }

    private static func quoted(
        _ bytes: Span<UInt8>, _ index: inout Int, _ line: Int
    ) throws(ImportProblem) -> Word {
        var word: [UInt8] = []
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
            guard bytes[index] != 0x0A else { break }
            word.append(bytes[index])
            index += 1
        }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
            throw ImportProblem(line: line, "a quotation mark without its other one")
        }
        index += 1
        return Word(bytes: word, line: line)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
