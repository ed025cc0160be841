/// A copy of the keychain as it was at one time, sealed as it was.
public struct Snapshot: Hashable, Sendable {
    /// Why a snapshot was made.
    public enum Reason: String, CaseIterable, Sendable {
        /// Before the first change of a day.
        case daily
        /// Before the item file was brought to a newer format.
        case migration
        /// Before the class keys were rotated.
        case rotation
        /// Before another snapshot was restored.
        case restore
        /// Before a damaged keychain was repaired.
        case repair
        /// Somebody asked for it.
        case manual
    }

    /// The name of its folder in the folder `snapshots` of the keychain; names ascend with time.
    public let name: String
    /// When it was made, in seconds since 1970.
    public let date: Int64
    public let reason: Reason
    /// The size of its files together.
    public let byteCount: Int64
    /// Ascends among those of one second, from 1.
    let number: Int

    /// The name of a snapshot that is about to be made.
    ///
    /// - Parameters:
    ///   - date: In seconds since 1970.
    ///   - reason: Why it is made.
    ///   - number: From 1 on; tells those of one second apart, in their order.
    /// - Returns: A name that ``init(name:byteCount:)`` reads.
    static func name(at date: Int64, _ reason: Reason, number: Int) -> String {
        func digits(_ number: Int64, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let second = min(max(0, date), lastDate)
        let (year, month, day) = civilDay(second / 86_400)
        let time = second % 86_400
        let base =
            digits(year, 4) + digits(month, 2) + digits(day, 2) + "T" + digits(time / 3600, 2)
            + digits(time / 60 % 60, 2) + digits(time % 60, 2) + "Z-" + reason.rawValue
        return number == 1 ? base : base + "-\(number)"
    }

    /// What a name says; nil for what is no snapshot's name.
    init?(name: String, byteCount: Int64 = 0) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let reason = Reason(rawValue: String(parts[1])),
            parts.count == 2 || Int(parts[2]).map({ $0 > 1 }) == true,
            let date = Self.date(Array(parts[0].utf8))
        else { return nil }
        self.name = name
        self.date = date
        self.reason = reason
        self.byteCount = byteCount
        number = parts.count == 3 ? Int(parts[2]) ?? 1 : 1
        // One name for each time, and no other.
        guard Self.name(at: date, reason, number: number) == name else { return nil }
    }

    /// Reads `20260131T235959Z`.
    private static func date(_ text: [UInt8]) -> Int64? {
        guard text.count == 16, text[8] == UInt8(ascii: "T"), text[15] == UInt8(ascii: "Z") else {
            return nil
        }
        func number(_ range: Range<Int>) -> Int64? {
            Int64(String(decoding: text[range], as: UTF8.self))
        }
        guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8),
            let hour = number(9..<11), let minute = number(11..<13), let second = number(13..<15)
        else { return nil }
        return (dayNumber(year, month, day) * 24 + hour) * 3600 + minute * 60 + second
    }

    /// The last second of the year 9999.
    private static let lastDate: Int64 = 253_402_300_799

    // Days are counted from the beginning of March, so that the leap day is a year's last
    // (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").

    private static func civilDay(_ number: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = number + 719_468
        let era = shifted / 146_097
        let ofEra = shifted % 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * ofYear + 2) / 153
        return (
            yearOfEra + era * 400 + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9,
            ofYear - (153 * month + 2) / 5 + 1
        )
    }

    private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let yearOfEra = year % 400
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let ofEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear
        return year / 400 * 146_097 + ofEra - 719_468
    }
}
