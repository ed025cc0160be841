internal import LinuxSystem
internal import Vestry

/// A name that items in the keychain have: a service, an account, a server, a label.
struct StoredName: Equatable {
    let attribute: ItemAttribute
    let itemClass: ItemClass
    /// What else these items have.
    let place: [ItemAttribute: AttributeValue]
    /// The access group; nil for the one that items have when nobody names any.
    let group: String?

    /// Looks it up, without unlocking, asking or waiting for anything.
    ///
    /// - Returns: The names of those items that can be read at this moment; none where that fails.
    func find() -> [String] {
        do throws(VestryError) {
            var keychain = try Keychain()
            if let group { keychain.accessGroups = [group] }
            switch keychain.status().state {
            case .afterFirstUnlock, .unlocked: break
            case .locked, .noPassword, .noStore, .unavailable: return []
            }
            var query = ItemQuery(itemClass, place)
            query.limit = .all
            query.isOnlyReadable = true
            query.authenticationUI = .fail
            return try keychain.find(query).records.compactMap { $0[attribute]?.string }
        } catch {
            // Whoever presses a key for a word wants no message in the middle of the line.
            return []
        }
    }
}
