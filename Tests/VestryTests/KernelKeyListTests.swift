import Testing

@testable import Vestry

@Suite struct KernelKeyListTests {
    /// As Linux 6.18 shows it, with a key in each condition.
    private static let text = """
        05008392 I--Q---     1 perm 003b0000  2001  2001 user      vestry:afterFirstUnlock: 52
        07f67fff I--Q---     2 perm 3f030000  2001  2001 keyring   _ses: 1
        17e24150 I--Q---     5 perm 3f030000     0     0 keyring   _ses: empty
        23b67ecb I--Q---     1 perm 003f0000  2001  2001 keyring   vestry: 4
        30000001 I--Q---     1  42s 003f0000  2001  2001 user      vestry:presence:60: 52
        30000002 IR-Q---     1 perm 003f0000  2001  2001 user      vestry:index: 52
        30000003 I-DQ---     1 perm 003f0000  2001  2001 user      vestry:index: 52
        30000004 I--Q---     1 expd 003f0000  2001  2001 user      vestry:index: 52
        30000005 --QU--      1 perm 003f0000  2001  2001 user      vestry:index
        ffffffff I--Q---     1 perm 003f0000  2001  2001 user      too large a serial: 1
        no line of it

        """

    @Test(
        arguments: [
            ("vestry:index", .firstUnlock), ("vestry:afterFirstUnlock", .firstUnlock),
            ("vestry:afterFirstUnlockThisDeviceOnly", .firstUnlock),
            ("vestry:whenUnlocked", .openSessions),
            ("vestry:whenUnlockedThisDeviceOnly", .openSessions),
            ("vestry:whenPasscodeSetThisDeviceOnly", .openSessions),
            ("vestry:presence", .pointer), ("vestry:mismatch", .mismatch),
        ] as [(String, KernelKeyList.Entry.Purpose)])
    func knowsWhatEachKeyIsFor(_ name: String, _ purpose: KernelKeyList.Entry.Purpose) {
        let entry = KernelKeyList.Entry(
            serial: 1, owner: 2001, isKeyring: false, name: name, timeLeft: nil)
        #expect(entry.purpose == purpose)
    }

    @Test func readsTheLinesOfTheKernel() {
        let entries = KernelKeyList.entries(in: Self.text)
        #expect(
            entries == [
                .init(
                    serial: 0x0500_8392, owner: 2001, isKeyring: false,
                    name: "vestry:afterFirstUnlock", timeLeft: nil),
                .init(
                    serial: 0x07f6_7fff, owner: 2001, isKeyring: true, name: "_ses", timeLeft: nil),
                .init(serial: 0x17e2_4150, owner: 0, isKeyring: true, name: "_ses", timeLeft: nil),
                .init(
                    serial: 0x23b6_7ecb, owner: 2001, isKeyring: true, name: "vestry", timeLeft: nil
                ),
                .init(
                    serial: 0x3000_0001, owner: 2001, isKeyring: false, name: "vestry:presence:60",
                    timeLeft: "42s"),
            ])
    }
}
