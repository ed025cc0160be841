import Glibc
import KeyClasses
import SecureMemory
import TestSupport
import Testing
import VestryTestSupport

@testable import Vestry

/// What searches find, and in which order.
@Suite(.serialized, .enabled(if: TestKeychain.isPossible, TestKeychain.requirement))
struct QueryTests {
    let test: TestKeychain
    var keychain: Keychain { test.keychain }

    init() throws { test = try TestKeychain() }

    func find(_ query: ItemQuery) throws -> [ItemRecord] { try keychain.find(query).records }

    func labels(_ query: ItemQuery) throws -> [String] {
        try find(query).map { $0[.label]?.string ?? "" }
    }

    /// Each attribute that a caller can set, in each class that has it.
    static let settable: [(ItemClass, ItemAttribute)] = ItemClass.allCases.flatMap { itemClass in
        ItemAttribute.allCases.filter {
            itemClass != .identity && $0.belongs(to: itemClass) && !$0.isReadOnly
                && ![.accessible, .accessControl, .accessGroup, .synchronizable, .expirationDate]
                    .contains($0)
        }.map { (itemClass, $0) }
    }

    @Test(arguments: settable)
    func findsByEveryAttribute(_ itemClass: ItemClass, _ attribute: ItemAttribute) throws {
        let value = attribute.kind.sample
        let reference = try keychain.add(itemClass, attributes: [attribute: value])
        try keychain.add(itemClass, attributes: [.multiUser: .data([9])])
        let found = try find(ItemQuery(itemClass, [attribute: value]))
        #expect(found.map(\.persistentReference) == [reference])
        #expect(found.first?[attribute] == value)
        #expect(found.first?.itemClass == itemClass)
        for other in ItemClass.allCases where other != itemClass && attribute.belongs(to: other) {
            if other == .identity { continue }
            #expect(
                code { () throws(VestryError) in
                    _ = try keychain.find(ItemQuery(other, [attribute: value]))
                } == .itemNotFound)
        }
    }

    @Test func theDefaultsAreApples() throws {
        try keychain.add(.internetPassword, attributes: [:])
        let item = try #require(try find(ItemQuery(.internetPassword)).first)
        #expect(item.accessibility == .whenUnlocked)
        #expect(item[.accessible] == "ak")
        #expect(item[.accessGroup] == "default")
        #expect(item[.synchronizable] == false)
        for (attribute, value) in [
            (.account, ""), (.server, ""), (.port, 0), (.path, ""), (.securityDomain, ""),
            (.networkProtocol, ""), (.authenticationType, ""),
        ] as [(ItemAttribute, AttributeValue)] {
            #expect(item[attribute] == value)
        }
        let date = try #require(item[.creationDate]?.date)
        #expect(item[.modificationDate] == .date(date))
        #expect(abs(date - Double(time(nil))) < 60)
        #expect(item.persistentReference.count == 16)
        #expect(item[.persistentReference] == .data(item.persistentReference))
        #expect(!item.hasSecret)

        try keychain.add(.certificate, attributes: [:])
        #expect(try find(ItemQuery(.certificate)).first?.accessibility == .afterFirstUnlock)
    }

    @Test func aSearchReturnsOneUnlessAskedForMoreOldestFirst() throws {
        for label in ["1", "2", "3"] {
            try keychain.add(
                .genericPassword, attributes: [.account: .string(label), .label: .string(label)])
        }
        var query = ItemQuery(.genericPassword)
        #expect(try labels(query) == ["1"])
        query.limit = .number(2)
        #expect(try labels(query) == ["1", "2"])
        query.limit = .all
        #expect(try labels(query) == ["1", "2", "3"])
        try keychain.update(ItemQuery(.genericPassword, [.account: "1"]), set: [.comment: "x"])
        #expect(try labels(query) == ["1", "2", "3"])
        for limit in [0, -1] {
            query.limit = .number(limit)
            #expect(code { () throws(VestryError) in _ = try keychain.find(query) } == .parameter)
        }
    }

    @Test func allConditionsMustHold() throws {
        for (service, account) in [("s", "a"), ("s", "b"), ("t", "a")] {
            try keychain.add(
                .genericPassword,
                attributes: [
                    .service: .string(service), .account: .string(account),
                    .label: .string(service + account),
                ])
        }
        var query = ItemQuery(.genericPassword, [.service: "s"])
        query.limit = .all
        #expect(try labels(query) == ["sa", "sb"])
        query.attributes[.account] = "a"
        #expect(try labels(query) == ["sa"])
        query.attributes = [.account: "a"]
        #expect(try labels(query) == ["sa", "ta"])
        query.attributes[.label] = "sb"
        #expect(code { () throws(VestryError) in _ = try keychain.find(query) } == .itemNotFound)
    }

    @Test func synchronizableItemsAreFoundOnRequestOnly() throws {
        let attributes: [ItemAttribute: AttributeValue] = [.service: "s", .account: "a"]
        try keychain.add(.genericPassword, attributes: attributes.merging([.label: "no"]) { $1 })
        try keychain.add(
            .genericPassword,
            attributes: attributes.merging([.label: "yes", .synchronizable: true]) { $1 })
        var query = ItemQuery(.genericPassword, attributes)
        query.limit = .all
        #expect(try labels(query) == ["no"])
        query.synchronizable = .yes
        #expect(try labels(query) == ["yes"])
        query.synchronizable = .any
        #expect(try labels(query) == ["no", "yes"])
        query.synchronizable = .no
        query.attributes[.synchronizable] = true
        #expect(try labels(query) == ["yes"])
        // Changes and deletions have the same default.
        #expect(try keychain.update(ItemQuery(.genericPassword), set: [.comment: "c"]) == 1)
        #expect(try keychain.delete(ItemQuery(.genericPassword)) == 1)
        #expect(try labels(query) == ["yes"])
    }

    @Test func accessGroupsAreKeptApart() throws {
        var keychain = keychain
        keychain.accessGroups = ["one", "two"]
        for group in [nil, "one", "two"] as [AttributeValue?] {
            var attributes: [ItemAttribute: AttributeValue] = [.account: "a"]
            attributes[.accessGroup] = group
            let expected = group == "one" ? VestryError.Code.duplicateItem : nil
            #expect(
                code { () throws(VestryError) in
                    try keychain.add(.genericPassword, attributes: attributes)
                } == expected)
        }
        var query = ItemQuery(.genericPassword)
        query.limit = .all
        #expect(try keychain.find(query).records.map { $0[.accessGroup] } == ["one", "two"])
        query.accessGroups = ["two"]
        #expect(try keychain.find(query).records.count == 1)
        query.accessGroups = nil
        query.attributes[.accessGroup] = "one"
        #expect(try keychain.find(query).records.count == 1)

        keychain.accessGroups = ["three"]
        query.attributes = [:]
        #expect(code { () throws(VestryError) in _ = try keychain.find(query) } == .itemNotFound)
        let foreign = ItemQuery(.genericPassword, [.accessGroup: "one"])
        #expect(codes(of: foreign, in: keychain) == [.missingEntitlement])
        let group: [ItemAttribute: AttributeValue] = [.accessGroup: "one"]
        #expect(
            code { () throws(VestryError) in
                try keychain.add(.genericPassword, attributes: group)
            } == .missingEntitlement)
        keychain.accessGroups = ["one"]
        #expect(
            code { () throws(VestryError) in
                try keychain.update(ItemQuery(.genericPassword), set: [.accessGroup: "two"])
            } == .missingEntitlement)
        keychain.accessGroups = []
        #expect(codes(of: query, in: keychain) == [.missingEntitlement])
        #expect(
            code { () throws(VestryError) in
                try keychain.add(.genericPassword, attributes: [:])
            } == .missingEntitlement)
    }

    /// What a search, an update and a deletion throw.
    func codes(of query: ItemQuery, in keychain: Keychain? = nil) -> Set<VestryError.Code?> {
        let keychain = keychain ?? self.keychain
        return [
            code { () throws(VestryError) in _ = try keychain.find(query) },
            code { () throws(VestryError) in try keychain.update(query, set: [:]) },
            code { () throws(VestryError) in try keychain.delete(query) },
        ]
    }

    @Test func aReferenceFindsItsItemWhateverItBecomes() throws {
        let reference = try keychain.add(
            .internetPassword, attributes: [.server: "a", .synchronizable: true])
        try keychain.add(.genericPassword, attributes: [:])
        let query = ItemQuery(persistentReference: reference)
        #expect(try find(query).map { $0[.server] } == ["a"])
        #expect(try keychain.update(query, set: [.server: "b"]) == 1)
        #expect(try find(query).map { $0[.server] } == ["b"])
        var wrongClass = query
        wrongClass.itemClass = .genericPassword
        #expect(
            code { () throws(VestryError) in _ = try keychain.find(wrongClass) } == .itemNotFound)
        var conditional = query
        conditional.attributes = [.server: "a"]
        #expect(
            code { () throws(VestryError) in _ = try keychain.find(conditional) } == .itemNotFound)
        #expect(
            code { () throws(VestryError) in try keychain.delete(conditional) } == .parameter)
        #expect(try keychain.delete(query) == 1)
        #expect(code { () throws(VestryError) in _ = try keychain.find(query) } == .itemNotFound)
    }

    @Test func textsMatchWithoutRegardToCaseOnRequest() throws {
        try keychain.add(
            .genericPassword, attributes: [.service: "Straße", .account: "A", .label: "My Mail"])
        var query = ItemQuery(.genericPassword, [.service: "STRASSE"])
        query.isCaseInsensitive = true
        #expect(code { () throws(VestryError) in _ = try keychain.find(query) } == .itemNotFound)
        query.attributes = [.service: "sTRAßE", .account: "a"]
        #expect(try find(query).count == 1)
        query.isCaseInsensitive = false
        #expect(code { () throws(VestryError) in _ = try keychain.find(query) } == .itemNotFound)
    }

    @Test(arguments: [
        (ItemQuery.TextMatch.contains("y M"), false, true), (.contains("Y m"), false, false),
        (.contains("Y m"), true, true), (.contains(""), false, true), (.contains("x"), true, false),
        (.startsWith("My"), false, true), (.startsWith("Mail"), false, false),
        (.endsWith("Mail"), false, true), (.endsWith("MAIL"), true, true),
        (.whole("My Mail"), false, true), (.whole("My"), false, false),
    ])
    func labelsMatchInPart(
        _ match: ItemQuery.TextMatch, _ isCaseInsensitive: Bool, _ isFound: Bool
    ) throws {
        try keychain.add(.genericPassword, attributes: [.account: "1", .label: "My Mail"])
        try keychain.add(.genericPassword, attributes: [.account: "2"])
        var query = ItemQuery(.genericPassword)
        query.label = match
        query.isCaseInsensitive = isCaseInsensitive
        query.limit = .all
        let code = code { () throws(VestryError) in _ = try keychain.find(query) }
        #expect(code == (isFound ? nil : .itemNotFound))
    }

    @Test func aHostIncludesItsSubdomains() throws {
        for server in ["example.org", "mail.Example.org", "badexample.org", "org"] {
            try keychain.add(
                .internetPassword, attributes: [.server: .string(server), .label: .string(server)])
        }
        var query = ItemQuery(.internetPassword)
        query.hostOrSubdomain = "EXAMPLE.org"
        query.limit = .all
        #expect(try labels(query) == ["example.org", "mail.Example.org"])
        query.itemClass = .genericPassword
        #expect(code { () throws(VestryError) in _ = try keychain.find(query) } == .parameter)
    }

    @Test func accessibilityCountsInASearchAndNotInThePrimaryKey() throws {
        try keychain.add(.genericPassword, attributes: [.accessible: "ck"])
        #expect(try find(ItemQuery(.genericPassword, [.accessible: "ck"])).count == 1)
        for (attributes, expected) in [
            ([.accessible: "ak"], .itemNotFound), ([.accessible: "xx"], .parameter),
            ([.tombstone: true], .itemNotFound),
        ] as [([ItemAttribute: AttributeValue], VestryError.Code)] {
            #expect(
                code { () throws(VestryError) in
                    _ = try keychain.find(ItemQuery(.genericPassword, attributes))
                } == expected)
        }
        #expect(
            code { () throws(VestryError) in
                try keychain.add(.genericPassword, attributes: [.accessible: "ak"])
            } == .duplicateItem)
    }

    @Test func mistakesAreParameterErrorsEvenWhereNothingIsStored() {
        let mistakes: [ItemQuery] = [
            ItemQuery(.certificate, [.account: "a"]), ItemQuery(.genericPassword, [.server: "a"]),
            ItemQuery(.genericPassword, [.label: 1]), ItemQuery(.internetPassword, [.port: "x"]),
            ItemQuery(
                .genericPassword, [.label: .string(String(repeating: "x", count: 65_537))]),
        ]
        for query in mistakes { #expect(codes(of: query) == [.parameter]) }
        var classless = ItemQuery(.genericPassword)
        classless.itemClass = nil
        #expect(codes(of: classless) == [.parameter])
        #expect(test.home.storeEntries() == ["keybag"])
    }

    @Test func secretsComeOnRequest() throws {
        try keychain.add(
            .key, attributes: [.applicationTag: .data([1])], secret: SecretBytes("k"))
        let records = try keychain.find(ItemQuery(.key), wantingSecrets: true).records
        #expect(try #require(records.first).withSecret { text($0) } == "k")
        #expect(try find(ItemQuery(.key)).first?.withSecret { text($0) } == nil)
    }
}
