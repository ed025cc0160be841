import Testing

@testable import Vestry

/// The tables of Apple's item model, row by row: raw names, types, classes and primary keys.
@Suite struct ItemAttributeTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let kind: AttributeValue.Kind
        /// Letters of the classes: G, I, C, K.
        let classes: String
        let primary: String
        let isReadOnly: Bool

        init(
            _ name: String, _ kind: AttributeValue.Kind, _ classes: String, primary: String = "",
            isReadOnly: Bool = false
        ) {
            self.name = name
            self.kind = kind
            self.classes = classes
            self.primary = primary
            self.isReadOnly = isReadOnly
        }

        var testDescription: String { name }
    }

    static let rows = [
        Row("pdmn", .string, "GICK"), Row("accc", .data, "GICK"),
        Row("agrp", .string, "GICK", primary: "GICK"),
        Row("sync", .bool, "GICK", primary: "GICK"),
        Row("cdat", .date, "GICK", isReadOnly: true), Row("mdat", .date, "GICK", isReadOnly: true),
        Row("labl", .string, "GICK"), Row("desc", .string, "GI"), Row("icmt", .string, "GI"),
        Row("crtr", .number, "GIK", primary: "K"), Row("type", .number, "GIK", primary: "K"),
        Row("invi", .bool, "GI"), Row("nega", .bool, "GI"),
        Row("acct", .string, "GI", primary: "GI"), Row("svce", .string, "G", primary: "G"),
        Row("gena", .data, "G"), Row("sdmn", .string, "I", primary: "I"),
        Row("srvr", .string, "I", primary: "I"), Row("ptcl", .string, "I", primary: "I"),
        Row("atyp", .string, "I", primary: "I"), Row("port", .number, "I", primary: "I"),
        Row("path", .string, "I", primary: "I"), Row("alis", .string, "GICK"),
        Row("scrp", .number, "GI"), Row("cusi", .number, "GI"),
        Row("vwht", .string, "GICK", primary: "GICK"),
        Row("tkid", .string, "GICK", primary: "GICK"),
        Row("musr", .data, "GICK", primary: "GICK"),
        Row("ggrp", .string, "GICK", primary: "GICK"),
        Row("persistref", .data, "GICK", isReadOnly: true),
        Row("tomb", .bool, "GICK", isReadOnly: true),
        // Vestry's own.
        Row("expd", .date, "GICK"),
        Row("ctyp", .number, "C", primary: "C"), Row("cenc", .number, "C"),
        Row("subj", .data, "C"), Row("issr", .data, "C", primary: "C"),
        Row("slnr", .data, "C", primary: "C"), Row("skid", .data, "C"), Row("pkhh", .data, "C"),
        Row("kcls", .number, "K", primary: "K"), Row("klbl", .data, "K", primary: "K"),
        Row("atag", .data, "K", primary: "K"), Row("bsiz", .number, "K", primary: "K"),
        Row("esiz", .number, "K", primary: "K"), Row("sdat", .date, "K", primary: "K"),
        Row("edat", .date, "K", primary: "K"), Row("perm", .bool, "K"), Row("priv", .bool, "K"),
        Row("modi", .bool, "K"), Row("sens", .bool, "K"), Row("asen", .bool, "K"),
        Row("extr", .bool, "K"), Row("next", .bool, "K"), Row("encr", .bool, "K"),
        Row("decr", .bool, "K"), Row("drve", .bool, "K"), Row("sign", .bool, "K"),
        Row("vrfy", .bool, "K"), Row("snrc", .bool, "K"), Row("vyrc", .bool, "K"),
        Row("wrap", .bool, "K"), Row("unwp", .bool, "K"),
    ]

    static let letters: [(String, ItemClass)] = [
        ("G", .genericPassword), ("I", .internetPassword), ("C", .certificate), ("K", .key),
    ]

    @Test(arguments: rows)
    func isAsTheTableSays(_ row: Row) throws {
        let attribute = try #require(ItemAttribute(rawValue: row.name))
        #expect(attribute.kind == row.kind)
        #expect(attribute.isReadOnly == row.isReadOnly)
        for (letter, itemClass) in Self.letters {
            #expect(attribute.belongs(to: itemClass) == row.classes.contains(letter))
            #expect(attribute.isPrimary(in: itemClass) == row.primary.contains(letter))
        }
    }

    @Test func theTableIsComplete() {
        #expect(Set(Self.rows.map(\.name)) == Set(ItemAttribute.allCases.map(\.rawValue)))
        #expect(Self.rows.count == ItemAttribute.allCases.count)
    }

    @Test func numbersAreUnique() {
        let numbers = ItemAttribute.allCases.compactMap(\.rule.number)
        #expect(Set(numbers).count == numbers.count)
        #expect(Set(numbers) == Set(1...57))
    }

    @Test func classesHaveApplesNames() {
        #expect(ItemClass.allCases.map(\.rawValue) == ["genp", "inet", "cert", "keys", "idnt"])
        #expect(ItemClass.allCases.compactMap { ItemClass(number: $0.number) }.count == 4)
    }

    /// What makes an item unique, as the table of primary keys has it.
    static let primaryKeys: [(ItemClass, [String])] = [
        (.genericPassword, ["agrp", "sync", "acct", "svce"]),
        (
            .internetPassword,
            ["agrp", "sync", "acct", "sdmn", "srvr", "ptcl", "atyp", "port", "path"]
        ),
        (.certificate, ["agrp", "sync", "ctyp", "issr", "slnr"]),
        (
            .key,
            [
                "agrp", "sync", "kcls", "klbl", "atag", "crtr", "type", "bsiz", "esiz", "sdat",
                "edat",
            ]
        ),
    ]

    @Test(arguments: primaryKeys)
    func primaryKeysAreAsTheTableSays(_ itemClass: ItemClass, _ names: [String]) {
        let optional = ["vwht", "tkid", "musr", "ggrp"]
        #expect(
            Set(
                ItemAttribute.allCases.filter { $0.isPrimary(in: itemClass) }.map(\.rawValue))
                == Set(names + optional))
        #expect(
            Set(itemClass.identifyingAttributes.map(\.rawValue))
                == Set(names).subtracting(["agrp", "sync"]))
    }

    @Test func accessibilitiesHaveApplesNames() {
        let table: [(String, Accessibility)] = [
            ("ak", .whenUnlocked), ("ck", .afterFirstUnlock), ("dk", .afterFirstUnlock),
            ("aku", .whenUnlockedThisDeviceOnly), ("cku", .afterFirstUnlockThisDeviceOnly),
            ("dku", .afterFirstUnlockThisDeviceOnly), ("akpu", .whenPasscodeSetThisDeviceOnly),
        ]
        for (name, accessibility) in table {
            #expect(Accessibility(appleName: name) == accessibility)
        }
        for name in ["", "AK", "f", "aku ", "when-unlocked"] {
            #expect(Accessibility(appleName: name) == nil)
        }
    }

    struct Conversion: Sendable {
        let value: AttributeValue
        let kind: AttributeValue.Kind
        let expected: AttributeValue?

        init(
            _ value: AttributeValue, _ kind: AttributeValue.Kind, _ expected: AttributeValue?
        ) {
            self.value = value
            self.kind = kind
            self.expected = expected
        }
    }

    static let conversions = [
        Conversion("é", .data, .data([0xC3, 0xA9])), Conversion(.data([0xC3, 0xA9]), .string, "é"),
        Conversion(.data([0xFF]), .string, nil), Conversion("42", .number, 42),
        Conversion("-1", .number, -1), Conversion("042", .number, nil),
        Conversion("", .number, nil), Conversion("4 2", .number, nil),
        Conversion(true, .number, 1), Conversion(1, .bool, true), Conversion(2, .bool, nil),
        Conversion("1", .bool, true), Conversion("true", .bool, nil), Conversion(1, .string, nil),
        Conversion(1, .data, nil), Conversion(1, .date, nil), Conversion(.date(1), .number, nil),
        Conversion(.date(.nan), .date, nil), Conversion(.date(.infinity), .date, nil),
        Conversion(.date(-0.0), .date, .date(0)),
    ]

    @Test(arguments: conversions)
    func convertsAsAppleDoes(_ conversion: Conversion) {
        #expect(conversion.value.converted(to: conversion.kind) == conversion.expected)
    }

    @Test func textsAreEqualByBytes() {
        #expect(AttributeValue.string("é") != .string("e\u{301}"))
        #expect(Set([AttributeValue.string("é"), .string("e\u{301}")]).count == 2)
    }
}
