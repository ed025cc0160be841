import LinuxSystem
import Testing

@testable import VestryConfiguration

@Suite struct ConfigurationTests {
    @Test(
        arguments: [
            ("", true, 1000...59_999), ("# nothing\n\n  # here\n", true, 1000...59_999),
            ("enabled = yes", true, 1000...59_999), ("enabled=no", false, 1000...59_999),
            ("minimum-uid = 500\n", true, 500...59_999),
            (" maximum-uid=70000 # more people\n", true, 1000...70_000),
            ("minimum-uid = 2001\nmaximum-uid = 2001", true, 2001...2001),
            ("enabled = no\nenabled = yes", true, 1000...59_999),
            ("# by hand\r\nenabled = no\r\n\r\n", false, 1000...59_999),
            ("minimum-uid = 500\r\nmaximum-uid = 600", true, 500...600),
        ] as [(String, Bool, ClosedRange<UInt32>)])
    func reads(_ text: String, isEnabled: Bool, users: ClosedRange<UInt32>) {
        let (configuration, complaints) = Configuration.parse(text)
        #expect(configuration.isEnabled == isEnabled)
        #expect(configuration.users == users)
        #expect(complaints.isEmpty)
    }

    /// Whoever meant to exclude an account must not find it served because of a typing error.
    @Test(arguments: [
        ("enabled", 1), ("enabled = maybe", 1), ("enabled = YES", 1), ("\nenable = no", 2),
        ("minimum-uid = 0", 1), ("minimum-uid = -1", 1), ("maximum-uid = 4294967296", 1),
        ("maximum-uid = 1000 2000", 1), ("[section]", 1), ("= yes", 1),
        ("minimum-uid = 3000\nmaximum-uid = 2000", 2),
        ("follow-new-password", 1), ("follow-new-password = maybe", 1),
        ("lock-after-idle", 1), ("lock-after-idle = 0", 1), ("lock-after-idle = -5", 1),
        ("lock-after-idle = 1441", 1), ("lock-after-idle = 10m", 1), ("lock-after-idle = no", 1),
        ("lock-after-idle = 99999999999999999999", 1),
    ])
    func whatIsNotUnderstoodSwitchesOff(_ text: String, line: Int) {
        let (configuration, complaints) = Configuration.parse(text)
        #expect(!configuration.isEnabled)
        #expect(complaints.map(\.line) == [line])
    }

    @Test(
        arguments: [
            ("", nil), ("lock-after-idle = 1", 60), ("lock-after-idle=1440 # a day", 86_400),
            ("lock-after-idle = 5\nlock-after-idle = never", nil), ("enabled = no", nil),
        ] as [(String, Int?)])
    func idleTimeIsInMinutesAndNeverUnlessGiven(_ text: String, seconds: Int?) {
        let (configuration, complaints) = Configuration.parse(text)
        #expect(configuration.lockAfterIdle == seconds.map { .seconds($0) })
        #expect(complaints.isEmpty)
    }

    @Test(
        arguments: [
            (0, false), (1, false), (999, false), (1000, true), (2001, true), (59_999, true),
            (60_000, false), (65_534, false), (.max, false),
        ] as [(UInt32, Bool)])
    func servesPeople(user: UInt32, isServed: Bool) {
        let account = Account(name: "x", user: user, group: user, homeDirectory: "/home/x")
        #expect(Configuration().serves(account) == isServed)
    }

    @Test func neverServesRoot() {
        let (configuration, _) = Configuration.parse("minimum-uid = 1")
        let root = Account(name: "root", user: 0, group: 0, homeDirectory: "/root")
        #expect(!configuration.serves(root))
    }

    @Test(
        arguments: [
            ("", true), ("follow-new-password = no", false),
            ("follow-new-password=no\nfollow-new-password = yes # again", true),
        ])
    func aNewPasswordIsFollowedUnlessForbidden(_ text: String, follows: Bool) {
        let (configuration, complaints) = Configuration.parse(text)
        #expect(complaints.isEmpty)
        #expect(configuration.followsNewPassword == follows)
    }
}
