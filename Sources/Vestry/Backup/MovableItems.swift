internal import ItemStore
internal import KeyClasses
internal import SecureMemory

/// The items of a store that can be carried to another one, of every class and access group.
///
/// In one transaction: first it is found out what can be read, and then each item is opened in its
/// turn, so that no more than one secret is in memory.
struct MovableItems {
    /// Ascending: the order in which they were added.
    private(set) var numbers: [Int64] = []
    private(set) var left = LeftItems()

    /// Looks what there is.
    ///
    /// - Parameters:
    ///   - transaction: For reading.
    ///   - isOnlyReadable: Whether items that cannot be read are counted, instead of being an error.
    ///   - presence: Has the key of items that ask for the user, or ends the transaction for it.
    /// - Throws: `VestryError` with the code `locked` or `itemDamaged`, and others.
    init(
        in transaction: borrowing ItemTransaction, isOnlyReadable: Bool, _ presence: PresenceKeys
    ) throws(VestryError) {
        let reader = try transaction.reader(of: .metadata)
        let all = try mappingErrors { () throws(ItemStoreError) in
            try transaction.items.numbers(ItemSearch())
        }
        var asking: [Int64] = []
        var question: (keyClass: KeyClass, metadata: ItemMetadata)?
        for number in all {
            let row = try reader.publicRow(number)
            guard !transaction.isExpired(row) else { continue }
            do throws(VestryError) {
                let protection = try Protection(row)
                if protection.accessibility.isThisDeviceOnly {
                    left.thisDeviceOnly += 1
                } else if protection.hasApplicationPassword {
                    left.applicationPassword += 1
                } else {
                    let (_, metadata) = try transaction.open(row)
                    if protection.needsPresence {
                        question = (protection.valueClass, metadata)
                        asking.append(number)
                    } else {
                        numbers.append(number)
                    }
                }
            } catch .locked {
                left.locked += 1
            } catch  where error.isOfOneItem && isOnlyReadable {
                left.damaged += 1
            }
        }
        guard left.locked == 0 || isOnlyReadable else {
            throw VestryError(
                .locked,
                detail: left.locked.counted("item") + " cannot be read now")
        }
        guard let question else { return }
        // Last: nobody is asked for a password in vain.
        do throws(VestryError) {
            _ = try presence.key(question.keyClass, for: question.metadata)
            numbers = (numbers + asking).sorted()
        } catch  where error.code == .locked && isOnlyReadable {
            left.locked += asking.count
        }
    }

    /// Opens one item after the other.
    ///
    /// - Parameters:
    ///   - transaction: That of the initializer.
    ///   - isOnlyReadable: As for the initializer.
    ///   - presence: As for the initializer.
    ///   - body: Gets each.
    /// - Returns: How many there were.
    /// - Throws: `VestryError`, of `body` too.
    mutating func forEach(
        in transaction: borrowing ItemTransaction, isOnlyReadable: Bool, _ presence: PresenceKeys,
        _ body: (ItemRow, Protection, ItemMetadata, consuming SecretBytes) throws(VestryError) ->
            Void
    ) throws(VestryError) -> Int {
        let reader = try transaction.reader(of: .metadataAndValue)
        var count = 0
        for number in numbers {
            let row = try reader.publicRow(number)
            let opened: (Protection, ItemMetadata)
            let secret: SecretBytes
            do throws(VestryError) {
                opened = try transaction.open(row)
                secret = try transaction.openSecret(
                    of: row, opened.0, opened.1, presence: presence)
            } catch  where error.isOfOneItem && isOnlyReadable {
                left.damaged += 1
                continue
            }
            try body(row, opened.0, opened.1, secret)
            count += 1
        }
        return count
    }
}
