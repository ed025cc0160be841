import Foundation
import Testing
import Vestry

@testable import Security

/// The attributes of Apple's item model, row by row: raw names, and values there and back.
@Suite struct AttributeConversionTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let constant: String
        let name: String
        let kind: AttributeValue.Kind

        init(_ constant: String, _ name: String, _ kind: AttributeValue.Kind) {
            self.constant = constant
            self.name = name
            self.kind = kind
        }

        var testDescription: String { name }
    }

    static let rows = [
        Row(kSecAttrAccessible, "pdmn", .string), Row(kSecAttrAccessControl, "accc", .data),
        Row(kSecAttrAccessGroup, "agrp", .string), Row(kSecAttrSynchronizable, "sync", .bool),
        Row(kSecAttrCreationDate, "cdat", .date), Row(kSecAttrModificationDate, "mdat", .date),
        Row(kSecAttrLabel, "labl", .string), Row(kSecAttrDescription, "desc", .string),
        Row(kSecAttrComment, "icmt", .string), Row(kSecAttrCreator, "crtr", .number),
        Row(kSecAttrType, "type", .number), Row(kSecAttrIsInvisible, "invi", .bool),
        Row(kSecAttrIsNegative, "nega", .bool), Row(kSecAttrAccount, "acct", .string),
        Row(kSecAttrService, "svce", .string), Row(kSecAttrGeneric, "gena", .data),
        Row(kSecAttrSecurityDomain, "sdmn", .string), Row(kSecAttrServer, "srvr", .string),
        Row(kSecAttrProtocol, "ptcl", .string), Row(kSecAttrAuthenticationType, "atyp", .string),
        Row(kSecAttrPort, "port", .number), Row(kSecAttrPath, "path", .string),
        Row(kSecAttrAlias, "alis", .string), Row(kSecAttrScriptCode, "scrp", .number),
        Row(kSecAttrHasCustomIcon, "cusi", .number), Row(kSecAttrSyncViewHint, "vwht", .string),
        Row(kSecAttrTokenID, "tkid", .string), Row(kSecAttrMultiUser, "musr", .data),
        Row(kSecAttrSharingGroup, "ggrp", .string),
        Row(kSecAttrPersistentReference, "persistref", .data),
        Row(kSecAttrPersistantReference, "persistref", .data),
        Row(kSecAttrTombstone, "tomb", .bool), Row(kSecAttrCertificateType, "ctyp", .number),
        Row(kSecAttrCertificateEncoding, "cenc", .number), Row(kSecAttrSubject, "subj", .data),
        Row(kSecAttrIssuer, "issr", .data), Row(kSecAttrSerialNumber, "slnr", .data),
        Row(kSecAttrSubjectKeyID, "skid", .data), Row(kSecAttrPublicKeyHash, "pkhh", .data),
        Row(kSecAttrKeyClass, "kcls", .number), Row(kSecAttrApplicationLabel, "klbl", .data),
        Row(kSecAttrApplicationTag, "atag", .data), Row(kSecAttrKeyType, "type", .number),
        Row(kSecAttrKeyCreator, "crtr", .number), Row(kSecAttrKeySizeInBits, "bsiz", .number),
        Row(kSecAttrEffectiveKeySize, "esiz", .number), Row(kSecAttrStartDate, "sdat", .date),
        Row(kSecAttrEndDate, "edat", .date), Row(kSecAttrIsPermanent, "perm", .bool),
        Row(kSecAttrIsPrivate, "priv", .bool), Row(kSecAttrIsModifiable, "modi", .bool),
        Row(kSecAttrIsSensitive, "sens", .bool), Row(kSecAttrWasAlwaysSensitive, "asen", .bool),
        Row(kSecAttrIsExtractable, "extr", .bool),
        Row(kSecAttrWasNeverExtractable, "next", .bool), Row(kSecAttrCanEncrypt, "encr", .bool),
        Row(kSecAttrCanDecrypt, "decr", .bool), Row(kSecAttrCanDerive, "drve", .bool),
        Row(kSecAttrCanSign, "sign", .bool), Row(kSecAttrCanVerify, "vrfy", .bool),
        Row(kSecAttrCanSignRecover, "snrc", .bool), Row(kSecAttrCanVerifyRecover, "vyrc", .bool),
        Row(kSecAttrCanWrap, "wrap", .bool), Row(kSecAttrCanUnwrap, "unwp", .bool),
    ]

    /// A value of a type, and what it is for Vestry and on its way back.
    static func values(_ kind: AttributeValue.Kind) -> [(Any, AttributeValue, NSObject)] {
        let date = Date(timeIntervalSince1970: 1_700_000_000.5)
        let (text, data) = (NSString(string: "ä"), NSData(data: Data([0, 255])))
        let optional: String? = "ä"
        switch kind {
        case .string:
            return [
                ("ä", "ä", text), (text, "ä", text), ("ä" as AnyObject, "ä", text),
                (optional as Any, "ä", text), (Data([0, 255]), .data([0, 255]), data),
            ]
        case .data:
            return [
                (Data([0, 255]), .data([0, 255]), data), (data, .data([0, 255]), data),
                (Data([0, 255]) as AnyObject, .data([0, 255]), data), ("ä", "ä", text),
            ]
        case .number:
            return [
                (443, 443, NSNumber(value: 443)), (UInt32(443), 443, NSNumber(value: 443)),
                (NSNumber(value: 443), 443, NSNumber(value: 443)),
                (443 as AnyObject, 443, NSNumber(value: 443)), ("42", "42", NSString(string: "42")),
            ]
        case .bool:
            return [
                (true, 1, NSNumber(value: 1)), (kCFBooleanTrue as Any, 1, NSNumber(value: 1)),
                (kCFBooleanFalse as Any, 0, NSNumber(value: 0)), (0, 0, NSNumber(value: 0)),
            ]
        case .date:
            return [
                (date, .date(1_700_000_000.5), date as NSDate),
                (date as AnyObject, .date(1_700_000_000.5), date as NSDate),
            ]
        }
    }

    @Test(arguments: rows) func itsNameAndTypeAreApples(_ row: Row) throws {
        #expect(row.constant == row.name)
        let attribute = try #require(ItemAttribute(rawValue: row.constant))
        #expect(attribute.kind == row.kind)
    }

    @Test(arguments: rows) func itsValuesGoThereAndBack(_ row: Row) throws {
        let attribute = try #require(ItemAttribute(rawValue: row.constant))
        for (given, value, returned) in Self.values(row.kind) {
            let converted = try AttributeValue(given, for: attribute)
            #expect(converted == value)
            #expect(
                (converted.foundationValue as AnyObject as? NSObject)?.isEqual(returned) == true)
        }
    }

    @Test(arguments: rows) func valuesOfOtherTypesAreRefused(_ row: Row) throws {
        let attribute = try #require(ItemAttribute(rawValue: row.constant))
        let absent: String? = nil
        var wrong: [Any] = [NSNull(), [1], absent as Any, ["a": 1], NSNumber(value: 1.5)]
        switch row.kind {
        case .string, .data: wrong += [1, true, Date()]
        case .number, .bool: wrong += [Data([1]), Date(), UInt64.max]
        case .date: wrong += ["2026-01-01", 1, Data()]
        }
        for value in wrong {
            #expect(
                code { () throws(VestryError) in _ = try AttributeValue(value, for: attribute) }
                    == errSecParam)
        }
    }

    @Test func everyAttributeOfTheModelHasARow() {
        let named = Set(Self.rows.map(\.name))
        #expect(ItemAttribute.allCases.map(\.rawValue).filter { !named.contains($0) } == ["expd"])
    }
}
