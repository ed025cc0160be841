import KeyClasses
import Sealing
import SecureMemory
import TestSupport
import Testing

@testable import Keybag

/// A keybag that is made once: each costs an Argon2id derivation.
enum Sample {
    static let deviceKey = [UInt8](repeating: 0xD1, count: 32)
    static let password = "correct horse"
    static let time: UInt64 = 1_700_000_000
    static let keybag: Keybag? = try? Keybag.create(
        password: SecretBytes(password), deviceKey: SecretBytes(deviceKey), at: time
    ).keybag

    static func valid() throws -> Keybag { try #require(keybag) }

    /// The bytes with `patch` at `offset` and a checksum that fits: what a writer with a mistake, or
    /// somebody who knows the format, could leave.
    static func patched(at offset: Int, _ patch: [UInt8]) throws -> [UInt8] {
        var bytes = try valid().serialized()
        bytes.replaceSubrange(offset..<offset + patch.count, with: patch)
        return sealed(bytes)
    }

    /// The bytes with a checksum that fits in place of their last 32.
    static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        let content = Array(bytes.dropLast(32))
        return content + checksum(of: content.span)
    }
}

@Suite struct KeybagFormatTests {
    @Test func parsingGivesBackWhatWasWritten() throws {
        let keybag = try Sample.valid()
        #expect(try Keybag(parsing: keybag.serialized()) == keybag)
    }

    /// The offsets of the table in ``Keybag``'s documentation.
    @Test func theBytesStandWhereTheTableSays() throws {
        let keybag = try Sample.valid()
        let bytes = keybag.serialized()
        #expect(Array(bytes[0..<12]) == Array("VESTRYKB".utf8) + [1, 0, 0, 0])
        #expect(Array(bytes[12..<16]) == littleEndian(UInt32(bytes.count)))
        #expect(Array(bytes[16..<32]) == keybag.storeID.bytes)
        #expect(Array(bytes[32..<40]) == [8, 1, 0, 0, 0, 0, 0, 0])
        let protector = 40 + 8 * 56
        #expect(bytes[protector + 16] == 1 && bytes[protector + 17] == 8)
        #expect(Array(bytes[protector + 18..<protector + 20]) == littleEndian(UInt16(161)))
        #expect(Array(bytes[protector + 20..<protector + 28]) == [3, 0, 0, 0, 0, 0, 1, 0])
        #expect(Array(bytes[protector + 44..<protector + 52]) == littleEndian(Sample.time))
        let tags = [(0, 2, 64), (67, 3, 16), (86, 4, 72)]
        for (offset, tag, count) in tags {
            let start = protector + 52 + offset
            #expect(Array(bytes[start..<start + 3]) == [UInt8(tag)] + littleEndian(UInt16(count)))
        }
        #expect(bytes.count == protector + 52 + 161 + 8 * 80 + 32)
    }

    @Test func rejectsEveryTruncation() throws {
        let bytes = try Sample.valid().serialized()
        for count in 0..<bytes.count {
            let expected = KeybagError.truncated(
                expected: count < 72 ? 72 : bytes.count, actual: count)
            let error = #expect(throws: KeybagError.self) {
                try Keybag(parsing: Array(bytes.prefix(count)))
            }
            #expect(error == expected || (count >= 72 && error?.isDamage == true))
        }
    }

    @Test func rejectsMoreBytes() throws {
        let bytes = try Sample.valid().serialized()
        #expect(throws: KeybagError.trailingBytes(expected: bytes.count, actual: bytes.count + 1)) {
            try Keybag(parsing: bytes + [0])
        }
    }

    @Test func rejectsEveryChangedByte() throws {
        let bytes = try Sample.valid().serialized()
        for index in bytes.indices {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var changed = bytes
                changed[index] ^= change
                let error = #expect(throws: KeybagError.self) { try Keybag(parsing: changed) }
                switch index {
                case 0..<8: #expect(error == .badMagic)
                case 8..<10:
                    let version = UInt16(changed[8]) | UInt16(changed[9]) << 8
                    // No release has written version 0.
                    let expected: KeybagError =
                        version == 0
                        ? .malformed("format version 0") : .unsupportedVersion(version)
                    #expect(error == expected)
                case 12..<16: #expect(error?.isDamage == true)
                default: #expect(error == .badChecksum)
                }
            }
        }
    }

    struct Nonsense: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let offset: Int
        let patch: [UInt8]
        let expected: KeybagError?

        init(_ name: String, at offset: Int, _ patch: [UInt8], _ expected: KeybagError? = nil) {
            testDescription = name
            self.offset = offset
            self.patch = patch
            self.expected = expected
        }
    }

    static let firstProtector = 40 + 8 * 56
    static let firstExtension = firstProtector + 52
    static let firstWrap = firstExtension + 161
    static let latest: UInt64 = 253_402_300_799

    /// Each comes with a checksum that fits; where no error is named, any `malformed` will do.
    static let nonsense = [
        Nonsense("reserved bytes of the header", at: 10, [1]),
        Nonsense("no class entry", at: 32, [0]),
        Nonsense("one class entry too few", at: 32, [7]),
        Nonsense("one class entry too many", at: 32, [9]),
        Nonsense("33 class entries", at: 32, [33]),
        Nonsense("no protector", at: 33, [0]),
        Nonsense("a protector that is not there", at: 33, [2]),
        Nonsense("17 protectors", at: 33, [17]),
        Nonsense("reserved bytes after the counts", at: 35, [1]),
        Nonsense("the last reserved byte after the counts", at: 39, [1]),
        Nonsense("class 0", at: 40, [0]),
        Nonsense("class 9", at: 40, [9]),
        Nonsense("a class twice", at: 40 + 56, [1]),
        Nonsense("classes out of order", at: 40, [2]),
        Nonsense("epoch 0", at: 44, [0]),
        Nonsense("reserved bytes of a class entry", at: 41, [1]),
        Nonsense("protector of kind 0", at: firstProtector + 16, [0]),
        Nonsense("a wrap too few", at: firstProtector + 17, [7]),
        Nonsense("no wrap", at: firstProtector + 17, [0]),
        Nonsense("more wraps than class entries", at: firstProtector + 17, [9]),
        Nonsense("an extension that ends in an entry", at: firstProtector + 18, [160, 0]),
        Nonsense("an extension of 2,049 bytes", at: firstProtector + 18, [1, 8]),
        Nonsense("an extension over the end", at: firstProtector + 18, [0, 8]),
        Nonsense("a time that no text has", at: firstProtector + 44, littleEndian(latest + 1)),
        Nonsense("tag 0", at: firstExtension, [0]),
        Nonsense("tags out of order", at: firstExtension, [5]),
        Nonsense("a tag twice", at: firstExtension, [3]),
        Nonsense("an empty entry", at: firstExtension + 1, [0, 0]),
        Nonsense("public keys of another size", at: firstExtension + 1, [63, 0]),
        Nonsense("a label of 65 bytes", at: firstExtension, [1, 65, 0]),
        Nonsense("a label that is no text", at: firstExtension, [1, 64, 0, 0xFF]),
        Nonsense("a wrap of another class", at: firstWrap, [2]),
        Nonsense("a wrap of form 2", at: firstWrap + 1, [2]),
        Nonsense("a sealed wrap of another size", at: firstWrap + 1, [1]),
        Nonsense("reserved bytes of a wrap", at: firstWrap + 2, [1]),
        Nonsense("a wrap of another epoch", at: firstWrap + 4, [2]),
        Nonsense("a wrap of epoch 0", at: firstWrap + 4, [0]),
        Nonsense("a bridge that is not there", at: 34, [1]),
        Nonsense("25 bridges", at: 34, [25]),
        Nonsense(
            "two passes", at: firstProtector + 20, [2, 0, 0, 0],
            .costTooLow(passes: 2, memoryKiB: 65_536)),
        Nonsense(
            "17 passes", at: firstProtector + 20, [17, 0, 0, 0],
            .costTooHigh(passes: 17, memoryKiB: 65_536)),
        Nonsense(
            "four thousand million passes", at: firstProtector + 20, [255, 255, 255, 255],
            .costTooHigh(passes: .max, memoryKiB: 65_536)),
        Nonsense(
            "63 MiB", at: firstProtector + 24, [0, 252, 0, 0],
            .costTooLow(passes: 3, memoryKiB: 64_512)),
        Nonsense(
            "1 GiB and 1 KiB", at: firstProtector + 24, [1, 0, 16, 0],
            .costTooHigh(passes: 3, memoryKiB: 1_048_577)),
        Nonsense(
            "4 TiB", at: firstProtector + 24, [255, 255, 255, 255],
            .costTooHigh(passes: 3, memoryKiB: .max)),
    ]

    @Test(arguments: nonsense) func rejects(_ nonsense: Nonsense) throws {
        let bytes = try Sample.patched(at: nonsense.offset, nonsense.patch)
        let error = #expect(throws: KeybagError.self) { try Keybag(parsing: bytes) }
        if let expected = nonsense.expected {
            #expect(error == expected)
        } else if case .malformed = error {
        } else {
            Issue.record("\(String(describing: error)) instead of malformed")
        }
        #expect(error?.isDamage == true)
    }

    /// One password is tried against every protector of a kind: many of them would make one login
    /// cost as many derivations.
    @Test func rejectsTwoProtectorsOfAKind() throws {
        var keybag = try Sample.valid()
        keybag.protectors += keybag.protectors
        #expect(throws: KeybagError.malformed("two protectors of kind 1")) {
            try Keybag(parsing: keybag.serialized())
        }
    }

    @Test func acceptsTheMostThatMayBeAskedFor() throws {
        let bytes = try Sample.patched(
            at: Self.firstProtector + 20, [16, 0, 0, 0, 0, 0, 16, 0])
        #expect(try Keybag(parsing: bytes).largestDerivationKiB(of: [.loginPassword]) == 1_048_576)
    }
}
