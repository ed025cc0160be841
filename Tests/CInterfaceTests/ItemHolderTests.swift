import Testing
import Vestry

@testable import CInterface

@Suite struct ItemHolderTests {
    private func item(
        _ texts: [Field: String], _ numbers: [Field: Int64] = [:]
    ) throws -> ItemHolder {
        let item = ItemHolder()
        for (field, text) in texts { try item.set(field, text) }
        for (field, number) in numbers { try item.set(field, number) }
        return item
    }

    @Test(arguments: [Field.server, .networkProtocol, .authenticationType, .path, .securityDomain])
    func anAttributeOfInternetPasswordsSaysTheClass(field: Field) throws {
        #expect(try item([field: "x"]).itemClass == .internetPassword)
        #expect(try item([.class: "generic-password", field: "x"]).itemClass == .genericPassword)
    }

    @Test func withoutOneTheClassIsGenericPassword() throws {
        #expect(try item([.account: "a", .label: "l"]).itemClass == .genericPassword)
        #expect(try item([:], [.port: 0]).itemClass == .internetPassword)
    }

    @Test func serviceAndAccountAloneAreReadByOneLook() throws {
        let key = ItemKey(service: "s", account: "a")
        let names: [Field: String] = [.service: "s", .account: "a"]
        #expect(try item(names).key == key)
        #expect(try item(names.merging([.group: "g"]) { $1 }).key == key)
        #expect(try item(names.merging([.label: "l"]) { $1 }).key == nil)
        #expect(try item(names, [.expires: 1]).key == nil)
        #expect(try item([.service: "s"]).key == nil)
    }

    @Test func whatIsNotGivenOfTheNamesIsEmpty() throws {
        let (names, values) = try item([.server: "h", .label: "l"], [.synchronizable: 1])
            .namesAndValues()
        #expect(
            names == [
                .server: "h", .account: "", .networkProtocol: "", .authenticationType: "",
                .port: 0, .path: "", .securityDomain: "",
            ])
        #expect(values == [.server: "h", .label: "l", .synchronizable: true])
    }

    @Test func anItemToStoreHasAPlace() throws {
        for texts: [Field: String] in [
            [:], [.account: "a"], [.class: "internet-password", .account: "a"],
            [.service: "s", .reference: String(repeating: "0", count: 32)],
        ] {
            let item = try item(texts)
            #expect(throws: VestryError.self) { try item.namesAndValues() }
        }
    }

    @Test func aReferenceStandsAlone() throws {
        let digits = "00112233445566778899aAbBcCdDeEfF"
        let query = try item([.reference: digits]).query()
        #expect(
            query.persistentReference == [
                0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC,
                0xDD, 0xEE, 0xFF,
            ])
        let crowded = try item([.reference: digits, .label: "l"])
        #expect(throws: VestryError.self) { try crowded.query() }
    }

    @Test func aQueryFindsWhatIsNotSynchronizableUnlessTold() throws {
        #expect(try item([.service: "s"]).query().synchronizable == .no)
        #expect(try item([.service: "s"], [.synchronizable: 1]).query().synchronizable == .yes)
        #expect(try item([.service: "s"], [.synchronizable: 1]).query().attributes.count == 1)
    }

    @Test func aTextCanBeTakenAway() throws {
        let item = try item([.service: "s", .label: "l"])
        try item.set(.label, nil)
        #expect(item[.label] == nil)
        #expect(try item.query().attributes == [.service: "s"])
    }
}

@Suite struct FieldTests {
    @Test(arguments: Field.allCases)
    func aFieldTakesTextsOrNumbersAndNotBoth(field: Field) {
        let good: [Field: String] = [
            .class: "generic-password", .accessible: "when-unlocked",
            .reference: String(repeating: "a", count: 32),
        ]
        if field.isNumber {
            #expect(throws: VestryError.self) { try ItemHolder().set(field, "1") }
        } else {
            #expect(throws: Never.self) { try ItemHolder().set(field, good[field] ?? "x") }
            #expect(throws: VestryError.self) { try ItemHolder().set(field, 1) }
        }
    }

    @Test(arguments: [
        "", "0", String(repeating: "0", count: 31), String(repeating: "0", count: 33),
        "+0" + String(repeating: "0", count: 30), "-0" + String(repeating: "0", count: 30),
        String(repeating: "g", count: 32), "é" + String(repeating: "0", count: 30),
    ])
    func aReferenceIs32Digits(text: String) {
        #expect(Field.reference(text) == nil)
    }

    @Test func wordsStandForApplesCodes() throws {
        #expect(try Field.networkProtocol.value(of: "https") == "htps")
        #expect(try Field.networkProtocol.value(of: "xyz1") == "xyz1")
        #expect(try Field.authenticationType.value(of: "http-basic") == "http")
        #expect(try Field.accessible.value(of: "after-first-unlock") == "ck")
    }

    @Test func textsAreAsLongAsTheKeychainHasThem() {
        let longest = String(repeating: "x", count: Keychain.maximumTextByteCount)
        #expect(throws: Never.self) { try Field.label.value(of: longest) }
        #expect(throws: VestryError.self) { try Field.label.value(of: longest + "x") }
    }
}
