internal import Foundation
internal import Vestry

extension Keychain {
    /// The keys of all items of a kind, in the order in which they were added.
    ///
    /// - Parameter itemClass: The kind.
    /// - Returns: Pairs of service, or server, and key, of all of the program's access groups; of items
    ///   that can be read now. Empty where the keychain cannot be used.
    public class func allKeys(_ itemClass: ItemClass) -> [(String, String)] {
        var query = ItemQuery(itemClass.stored)
        query.synchronizable = .any
        guard let store = try? store(testKeychain),
            let records = try? readable(query, in: store).records
        else { return [] }
        return records.map { record in
            let place = record[itemClass == .genericPassword ? .service : .server]
            return (place?.string ?? "", record[.account]?.string ?? "")
        }
    }

    /// The keys of this keychain, in the order in which they were added.
    ///
    /// - Returns: Those of items that can be read now; ``lockedItemCount()`` says how many more there
    ///   are. Empty where the keychain cannot be used.
    public func allKeys() -> [String] { (try? readableKeys()) ?? [] }

    func readableKeys() throws(Status) -> [String] {
        try Self.readable(options.query(), in: store()).records.map { $0[.account]?.string ?? "" }
    }

    /// All items of a kind that are not synchronizable, in the order in which they were added.
    ///
    /// - Parameter itemClass: The kind.
    /// - Returns: As ``allItems()``, of all of the program's access groups. KeychainAccess leaves out
    ///   synchronizable items here, and here alone; so does this.
    public class func allItems(_ itemClass: ItemClass) -> [[String: Any]] {
        guard let store = try? store(testKeychain) else { return [] }
        return entries(ItemQuery(itemClass.stored), in: store)
    }

    /// The items of this keychain, in the order in which they were added.
    ///
    /// - Returns: One dictionary for each item that can be read now, with the keys "class",
    ///   "accessGroup", "service", or "server", "protocol" and "authenticationType", and "key",
    ///   "value" (a `String`, or `Data` where the bytes are no UTF-8; absent where a read asks for the
    ///   user), "accessibility", and "synchronizable" ("true" or "false"). Empty where the keychain
    ///   cannot be used.
    public func allItems() -> [[String: Any]] {
        guard let query = try? options.query(), let store = try? store() else { return [] }
        return Self.entries(query, in: store)
    }

    /// How many items ``allKeys()`` and ``allItems()`` leave out because they are locked.
    ///
    /// - Returns: Zero where there is nothing but what is listed.
    /// - Throws: A ``Status`` where the keychain cannot be used; the lists are empty then.
    public func lockedItemCount() throws -> Int {
        let query = try options.query()
        return try Self.readable(query, in: store()).lockedCount
    }

    private class func readable(
        _ query: ItemQuery, wantingSecrets: Bool = false, in store: Vestry.Keychain
    ) throws(Status) -> (records: [ItemRecord], lockedCount: Int) {
        var query = query
        query.limit = .all
        query.isOnlyReadable = true
        // Items that ask for the user are listed, and their values are not.
        query.authenticationUI = wantingSecrets ? .skip : .allow
        do throws(VestryError) {
            let matches = try store.find(query, wantingSecrets: wantingSecrets)
            return (matches.records, matches.lockedCount)
        } catch .itemNotFound {
            return ([], 0)
        } catch {
            throw Status(error)
        }
    }

    private class func entries(
        _ query: ItemQuery, in store: Vestry.Keychain
    ) -> [[String: Any]] {
        guard let records = try? readable(query, in: store).records else { return [] }
        let withSecrets = try? readable(query, wantingSecrets: true, in: store).records
        var values: [[UInt8]: Data] = [:]
        for record in withSecrets ?? [] { values[record.persistentReference] = record.data }
        return records.map { $0.entry(value: values[$0.persistentReference]) }
    }
}

extension Keychain: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line for each item that can be read now, without its value.
    public var description: String {
        let records = try? Self.readable(options.query(), in: store()).records
        let lines = (records ?? []).map { "  \($0.entry(value: nil).sortedDescription)\n" }
        return lines.isEmpty ? "[]" : "[\n" + lines.joined() + "]"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}

extension ItemRecord {
    fileprivate func entry(value: Data?) -> [String: Any] {
        var entry: [String: Any] = ["key": self[.account]?.string ?? ""]
        entry["class"] = KeychainAccess.ItemClass(rawValue: itemClass.rawValue)?.description
        entry["accessGroup"] = self[.accessGroup]?.string
        switch itemClass {
        case .internetPassword:
            entry["server"] = self[.server]?.string
            entry["protocol"] =
                self[.networkProtocol]?.string.flatMap { ProtocolType(rawValue: $0) }?.description
            entry["authenticationType"] =
                self[.authenticationType]?.string.flatMap { AuthenticationType(rawValue: $0) }?
                .description
        default:
            entry["service"] = self[.service]?.string ?? ""
        }
        if let value { entry["value"] = String(validating: value, as: UTF8.self) ?? value }
        entry["accessibility"] =
            KeychainAccess.Accessibility(rawValue: accessibility.appleName)?.description
        entry["synchronizable"] = self[.synchronizable]?.bool == true ? "true" : "false"
        return entry
    }
}

extension [String: Any] {
    fileprivate var sortedDescription: String {
        let pairs = sorted { $0.key < $1.key }.map { "\"\($0.key)\": \"\($0.value)\"" }
        return "[" + pairs.joined(separator: ", ") + "]"
    }
}
