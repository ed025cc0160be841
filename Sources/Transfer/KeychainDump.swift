package import SecureMemory
internal import Vestry

/// The text that `security dump-keychain -d` of macOS prints: an item after the other, each with its
/// attributes and, after `data:`, its secret.
///
/// A value is `"TEXT"` with octal escapes, or `0xHEX` and the same as text, or `<NULL>`. What is no password,
/// and items without their data, are counted as problems.
package enum KeychainDump {
    private struct Entry {
        let line: Int
        let itemClass: String
        var values: [String: [UInt8]] = [:]
        var data: [UInt8]?
    }

    /// Reads a whole dump.
    ///
    /// - Throws: `ImportProblem` for another text.
    package static func read(
        _ file: borrowing SecretBytes
    ) throws(ImportProblem) -> ImportBatch {
        var batch = ImportBatch()
        var entry: Entry?
        var isAtData = false
        let lines = file.withBytes { bytes in
            GitCredentials.lines(of: bytes).map { range in
                bytes.indices[range].map { bytes[$0] }
            }
        }
        guard lines.contains(where: { $0.starts(with: Array("keychain: ".utf8)) }) else {
            throw ImportProblem("it is no dump of a keychain")
        }
        for (index, line) in lines.enumerated() {
            if isAtData {
                isAtData = false
                entry?.data = value(line[...])
                if entry?.data == nil, !line.isEmpty {
                    batch.problems.append(ImportProblem(line: index + 1, "data that is malformed"))
                    entry = nil
                }
            } else if line.starts(with: Array("keychain: ".utf8)) {
                close(&entry, in: &batch)
            } else if line.starts(with: Array("class: ".utf8)) {
                close(&entry, in: &batch)
                let name = value(line.dropFirst(7)) ?? Array(line.dropFirst(7))
                entry = Entry(line: index + 1, itemClass: String(decoding: name, as: UTF8.self))
            } else if line.elementsEqual("data:".utf8) {
                isAtData = true
            } else if line.first == 0x20, entry != nil {
                attribute(line, of: &entry)
            }
        }
        close(&entry, in: &batch)
        return batch
    }

    /// `    "acct"<blob>="text"`, or `    0x00000007 <blob>="text"` for the label.
    private static func attribute(_ line: [UInt8], of entry: inout Entry?) {
        let trimmed = line.drop { $0 == 0x20 }
        guard let equals = trimmed.firstIndex(of: UInt8(ascii: "=")),
            let open = trimmed[..<equals].firstIndex(of: UInt8(ascii: "<"))
        else { return }
        var name = String(decoding: trimmed[..<open], as: UTF8.self)
        name.removeAll { $0 == "\"" || $0 == " " }
        entry?.values[name] = value(trimmed[(equals + 1)...])
    }

    /// The bytes of a value; nil for `<NULL>` and for what is none.
    private static func value(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        if text.starts(with: Array("0x".utf8)) {
            var bytes: [UInt8] = []
            var digits = text.dropFirst(2).prefix { $0 != 0x20 }
            while let high = digits.popFirst() {
                guard let low = digits.popFirst(), let upper = Hexadecimal.value(of: high),
                    let lower = Hexadecimal.value(of: low)
                else { return nil }
                bytes.append(upper << 4 | lower)
            }
            return bytes
        }
        guard text.count >= 2, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"")
        else {
            return nil
        }
        var bytes: [UInt8] = []
        var rest = text.dropFirst().dropLast()
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            // A backslash itself is printed as it is.
            let octal = rest.prefix(3)
            let digits = octal.compactMap { (0x30...0x37).contains($0) ? Int($0 - 0x30) : nil }
            guard octal.count == 3, digits.count == 3, digits[0] < 4 else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(digits[0] << 6 | digits[1] << 3 | digits[2]))
            rest = rest.dropFirst(3)
        }
        return bytes
    }

    private static func close(_ entry: inout Entry?, in batch: inout ImportBatch) {
        guard let closed = entry else { return }
        entry = nil
        let isInternet = closed.itemClass == "inet"
        guard isInternet || closed.itemClass == "genp" else {
            batch.problems.append(ImportProblem(line: closed.line, "an item that is no password"))
            return
        }
        guard let data = closed.data else {
            batch.problems.append(
                ImportProblem(line: closed.line, "an item without its secret; dump with -d"))
            return
        }
        var attributes: [ItemAttribute: AttributeValue] = [:]
        for (name, attribute) in isInternet ? internetNames : genericNames {
            guard let bytes = closed.values[name],
                let text = String(validating: bytes, as: UTF8.self), !text.isEmpty
            else { continue }
            attributes[attribute] = .string(text)
        }
        if isInternet, let port = closed.values["port"], port.count == 4 {
            let number = port.reduce(0) { $0 << 8 | Int64($1) }
            if number > 0 { attributes[.port] = .number(number) }
        }
        // These have no protocol.
        if let code = attributes[.networkProtocol]?.string, code.utf8.contains(0) {
            attributes[.networkProtocol] = nil
        }
        if let generic = closed.values["gena"], !isInternet {
            attributes[.generic] = .data(generic)
        }
        attributes[.creationDate] = date(closed.values["cdat"])
        attributes[.modificationDate] = date(closed.values["mdat"])
        batch.items.append(
            ImportedItem(
                isInternet ? .internetPassword : .genericPassword, attributes: attributes,
                secret: SecretBytes(copying: data.span)))
    }

    private static let commonNames: [(String, ItemAttribute)] = [
        ("0x00000007", .label), ("labl", .label), ("acct", .account), ("icmt", .comment),
        ("desc", .kindDescription),
    ]
    private static let genericNames = commonNames + [("svce", .service)]
    private static let internetNames =
        commonNames + [
            ("srvr", .server), ("ptcl", .networkProtocol), ("atyp", .authenticationType),
            ("path", .path), ("sdmn", .securityDomain),
        ]

    /// `20200131180000Z` and a zero byte.
    private static func date(_ bytes: [UInt8]?) -> AttributeValue? {
        guard let bytes, bytes.count >= 15, bytes[14] == UInt8(ascii: "Z") else { return nil }
        let ends = [0..<4, 4..<6, 6..<8, 8..<10, 10..<12, 12..<14]
        return ForeignDate.seconds(digits: ends.map { Array(bytes[$0]) }).map { .date($0) }
    }
}
