/// What addresses an item: the service it is for, and the account there.
///
/// Both are opaque: no normalization, no case folding, no prefix match. An empty text is a text of
/// its own. Equality goes by bytes, unlike `String`'s, which takes "é" and "e" with an accent for
/// the same.
public struct ItemKey: Hashable, Sendable {
    public let service: String
    public let account: String

    public init(service: String, account: String) {
        self.service = service
        self.account = account
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.service.utf8.elementsEqual(right.service.utf8)
            && left.account.utf8.elementsEqual(right.account.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in service.utf8 { hasher.combine(byte) }
        // No byte of UTF-8: ends the service.
        hasher.combine(UInt8(0xFF))
        for byte in account.utf8 { hasher.combine(byte) }
    }
}

extension ItemKey: Comparable {
    /// By service, then by account, each by its UTF-8 bytes: the same order everywhere, whatever
    /// the locale.
    public static func < (left: Self, right: Self) -> Bool {
        if !left.service.utf8.elementsEqual(right.service.utf8) {
            return left.service.utf8.lexicographicallyPrecedes(right.service.utf8)
        }
        return left.account.utf8.lexicographicallyPrecedes(right.account.utf8)
    }
}

/// What is known about an item besides its secret.
public struct Item: Equatable, Sendable {
    public let key: ItemKey
    /// A name for people; nil where none was given.
    public let label: String?
    public let accessibility: Accessibility
    /// When the item was added, in seconds since 1970 by the clock of that moment.
    public let creationDate: Int64
    /// When its secret, label or accessibility was set last; never before an earlier value, though
    /// the clock may have been.
    public let modificationDate: Int64
}

/// What a search found.
public struct ItemListing: Equatable, Sendable {
    /// The items that can be read now, in the order of their keys.
    public let items: [Item]
    /// How many more there are whose class is locked.
    public let lockedCount: Int
    /// How many do not open although their class is unlocked.
    public let damagedCount: Int
}

extension Item {
    init(_ metadata: ItemMetadata, _ accessibility: Accessibility) {
        self.init({ metadata.values[$0] }, accessibility)
    }

    init(_ record: ItemRecord) {
        self.init({ record.attributes[$0] }, record.accessibility)
    }

    private init(_ value: (ItemAttribute) -> AttributeValue?, _ accessibility: Accessibility) {
        self.init(
            key: ItemKey(
                service: value(.service)?.string ?? "", account: value(.account)?.string ?? ""),
            label: value(.label)?.string, accessibility: accessibility,
            creationDate: wholeSeconds(value(.creationDate)?.date ?? 0),
            modificationDate: wholeSeconds(value(.modificationDate)?.date ?? 0))
    }
}

/// Rounds down, and to what fits.
func wholeSeconds(_ seconds: Double) -> Int64 {
    Int64(exactly: seconds.rounded(.down)) ?? (seconds < 0 ? .min : .max)
}
