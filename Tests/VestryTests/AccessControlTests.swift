import Testing

@testable import Vestry

@Suite struct AccessControlTests {
    @Test func flagsAreApplesBits() {
        let table: [(AccessControl.Flags, UInt32)] = [
            (.userPresence, 0), (.biometryAny, 1), (.biometryCurrentSet, 3), (.devicePasscode, 4),
            (.watch, 5), (.or, 14), (.and, 15), (.privateKeyUsage, 30), (.applicationPassword, 31),
        ]
        for (flag, bit) in table { #expect(flag.rawValue == 1 << bit) }
    }

    @Test func readsBackWhatItEncodes() {
        for accessibility in Accessibility.allCases {
            for flags in [[], .userPresence, [.applicationPassword, .or, .biometryAny]]
                as [AccessControl.Flags]
            {
                let accessControl = AccessControl(accessibility, flags)
                #expect(AccessControl(encoded: accessControl.encoded) == accessControl)
            }
        }
        #expect(
            AccessControl(.whenUnlockedThisDeviceOnly, .userPresence).encoded
                == Array("aku:1".utf8))
    }

    @Test(arguments: ["", "ak", "ak:", ":1", "ak:01", "ak:G", "ak:+1", "dk:1", "ak:1:", "ak:AB"])
    func rejects(_ text: String) {
        #expect(AccessControl(encoded: Array(text.utf8)) == nil)
    }

    struct Case: Sendable {
        let flags: AccessControl.Flags
        let code: VestryError.Code?

        init(_ flags: AccessControl.Flags, _ code: VestryError.Code?) {
            self.flags = flags
            self.code = code
        }
    }

    static let cases = [
        Case([], nil), Case(.userPresence, nil), Case(.devicePasscode, nil),
        Case([.devicePasscode, .userPresence, .and], nil), Case(.privateKeyUsage, nil),
        Case([.biometryAny, .or, .devicePasscode], nil),
        Case(.biometryAny, .notAvailable), Case(.biometryCurrentSet, .notAvailable),
        Case(.watch, .notAvailable), Case([.biometryAny, .or, .watch], .notAvailable),
        Case([.biometryAny, .and, .devicePasscode], .notAvailable),
        Case([.biometryAny, .devicePasscode], .notAvailable),
        Case(.applicationPassword, nil), Case([.applicationPassword, .userPresence], nil),
        Case([.applicationPassword, .or, .watch], .notAvailable), Case([.or, .and], .parameter),
        Case(.init(rawValue: 1 << 2), .parameter),
    ]

    @Test(arguments: cases)
    func saysPlainlyWhatIsNotAvailable(_ row: Case) {
        let protection = Protection(accessibility: .whenUnlocked, flags: row.flags)
        #expect(code { () throws(VestryError) in try protection.check() } == row.code)
    }
}
