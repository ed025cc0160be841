package import SecureMemory
internal import Vestry

/// Comma-separated values (RFC 4180): fields in quotation marks may have commas, line ends and doubled
/// quotation marks.
///
/// Strict: every record has as many fields as the first one, and quotation marks stand around a whole field
/// or nowhere. Line ends are LF or CRLF; an empty line is no record; a byte order mark is passed over.
struct CSVFile {
    static let maximumFieldCount = 256

    struct Record {
        let line: Int
        let fields: [[UInt8]]
    }

    private(set) var records: [Record] = []
    private(set) var problems: [ImportProblem] = []

    /// Reads a whole file.
    ///
    /// - Throws: `ImportProblem` where it cannot be said where the record ends.
    init(_ bytes: Span<UInt8>) throws(ImportProblem) {
        var index = 0
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { index = 3 }
        var line = 1
        while index < bytes.count {
            let record = Record(line: line, fields: try Self.fields(bytes, &index, &line))
            guard record.fields != [[]] else { continue }
            if let first = records.first, first.fields.count != record.fields.count {
                problems.append(
                    ImportProblem(
                        line: record.line,
                        record.fields.count.counted("field")
                            + ", and not the \(first.fields.count) of the first line"
                    ))
            } else {
                records.append(record)
            }
        }
    }

    /// Reads a record, and goes behind its line end.
    private static func fields(
        _ bytes: Span<UInt8>, _ index: inout Int, _ line: inout Int
    ) throws(ImportProblem) -> [[UInt8]] {
        let start = line
        var fields: [[UInt8]] = []
        while true {
            fields.append(try field(bytes, &index, &line))
            guard fields.count <= maximumFieldCount else {
                throw ImportProblem(line: start, "more than \(maximumFieldCount) fields")
            }
            guard index < bytes.count else { return fields }
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: ",") { continue }
            if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { index += 1 }
            line += 1
            return fields
        }
    }

    /// Reads a field, and stops at the comma or line end behind it.
    private static func field(
        _ bytes: Span<UInt8>, _ index: inout Int, _ line: inout Int
    ) throws(ImportProblem) -> [UInt8] {
        var field: [UInt8] = []
        let start = line
        let mark = UInt8(ascii: "\"")
        guard index < bytes.count, bytes[index] == mark else {
            while index < bytes.count, !isEnd(bytes, index) {
                guard bytes[index] != mark else {
                    throw ImportProblem(line: start, "a quotation mark inside of a field")
                }
                field.append(bytes[index])
                index += 1
            }
            return field
        }
        index += 1
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == 0x0A { line += 1 }
            guard byte == mark else {
                field.append(byte)
                continue
            }
            if index < bytes.count, bytes[index] == mark {
                field.append(mark)
                index += 1
                continue
            }
            guard index == bytes.count || isEnd(bytes, index) else {
                throw ImportProblem(line: start, "text behind a quotation mark")
            }
            return field
        }
        throw ImportProblem(line: start, "a quotation mark without its other one")
    }

    private static func isEnd(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
        switch bytes[index] {
        case UInt8(ascii: ","), 0x0A: true
        case 0x0D: index + 1 == bytes.count || bytes[index + 1] == 0x0A
        default: false
        }
    }
}

/// Logins in CSV, as browsers and password managers export them: the first line says what the columns are.
package enum CSVLogins {
    private enum Column {
        case title, user, password, address, notes, modified, created
    }

    /// In small letters; of Chromium, Firefox, KeePass 1, KeePassXC, Bitwarden, 1Password, LastPass,
    /// Safari and the like.
    private static let columns: [String: Column] = [
        "title": .title, "name": .title, "service": .title, "account name": .title,
        "user": .user, "username": .user, "user name": .user, "login": .user,
        "login name": .user, "login_username": .user, "account": .user, "email": .user,
        "password": .password, "secret": .password, "login_password": .password,
        "url": .address, "web site": .address, "website": .address, "login_uri": .address,
        "uri": .address, "server": .address,
        "notes": .notes, "note": .notes, "comments": .notes, "comment": .notes, "extra": .notes,
        "last modified": .modified, "timepasswordchanged": .modified, "modified": .modified,
        "created": .created, "timecreated": .created,
    ]

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - file: The bytes.
    ///   - isKeePass: Whether "Account" is the title, as in KeePass 1.
    /// - Returns: The logins.
    /// - Throws: `ImportProblem` for what is no CSV or has no column of passwords.
    package static func read(
        _ file: borrowing SecretBytes, isKeePass: Bool = false
    ) throws(ImportProblem) -> ImportBatch {
        let csv = try file.withBytes { (bytes) throws(ImportProblem) in try CSVFile(bytes) }
        guard let first = csv.records.first else { throw ImportProblem("it is empty") }
        let names = first.fields.map { field in
            String(decoding: field, as: UTF8.self).lowercased()
        }
        let found = names.map { name -> Column? in
            isKeePass && name == "account" ? .title : columns[name]
        }
        guard found.contains(.password) else {
            throw ImportProblem(line: first.line, "no column named 'password'")
        }
        for column in [Column.user, .password, .address, .title]
        where found.count(where: { $0 == column }) > 1 {
            throw ImportProblem(line: first.line, "two columns mean the same")
        }
        var batch = ImportBatch()
        batch.problems = csv.problems
        for record in csv.records.dropFirst() {
            do {
                batch.items.append(try item(record, found))
            } catch {
                batch.problems.append(error)
            }
        }
        batch.problems.sort { ($0.line ?? 0) < ($1.line ?? 0) }
        let unknown = found.indices.filter { column in
            found[column] == nil
                && csv.records.dropFirst().contains { !$0.fields[column].isEmpty }
        }
        if !unknown.isEmpty {
            let columns = unknown.map { "'\(String(decoding: first.fields[$0], as: UTF8.self))'" }
            batch.leftOut.append("the columns \(columns.joined(separator: ", "))")
        }
        return batch
    }

    private static func item(
        _ record: CSVFile.Record, _ columns: [Column?]
    ) throws(ImportProblem) -> ImportedItem {
        var login = ForeignLogin()
        var password: [UInt8] = []
        for (column, field) in zip(columns, record.fields) {
            guard let column else { continue }
            if column == .password {
                password = field
                continue
            }
            guard let text = String(validating: field, as: UTF8.self) else {
                throw ImportProblem(line: record.line, "a field that is no UTF-8")
            }
            switch column {
            case .title: login.title = text
            case .user: login.user = text
            case .address: login.address = text
            case .notes: login.notes = text
            case .modified: login.modified = ForeignDate.seconds(text)
            case .created: login.created = ForeignDate.seconds(text)
            case .password: break
            }
        }
        guard !login.title.isEmpty || !login.address.isEmpty || !login.user.isEmpty else {
            throw ImportProblem(line: record.line, "a password without any name")
        }
        return login.item(secret: SecretBytes(copying: password.span))
    }
}

/// Dates as other programs write them.
enum ForeignDate {
    /// Reads `2020-01-31T18:00:00Z`, or a number of seconds or milliseconds since 1970.
    ///
    /// - Returns: Seconds since 1970; nil for anything else, which is no problem: the date is unknown then.
    static func seconds(_ text: String) -> Double? {
        if let number = Int64(text), number > 0 {
            // Firefox counts milliseconds; as seconds, these are after the year 5000.
            return number > 99_999_999_999 ? Double(number) / 1000 : Double(number)
        }
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: "T") || bytes[10] == 0x20, bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"),
            bytes.count == 19 || bytes[19...].elementsEqual("Z".utf8)
        else { return nil }
        return seconds(
            digits: [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19].map { Array(bytes[$0]) })
    }

    /// The same of year, month, day, hour, minute and second in digits, in UTC.
    static func seconds(digits: [[UInt8]]) -> Double? {
        let numbers = digits.compactMap { digits -> Int? in
            guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
                return nil
            }
            return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        guard numbers.count == 6, (1...12).contains(numbers[1]), (1...31).contains(numbers[2]),
            numbers[3] < 24, numbers[4] < 60, numbers[5] <= 60
        else { return nil }
        // Days since 1970 by the Gregorian calendar, with March as the first month of a year.
        let year = numbers[1] > 2 ? numbers[0] : numbers[0] - 1
        let month = (numbers[1] + 9) % 12
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let day = (153 * month + 2) / 5 + numbers[2] - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + day - 719_468
        return Double(days * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5])
    }
}
