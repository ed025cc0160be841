import Testing

@testable import PAMStacks

@Suite struct ServiceTests {
    static let debian: [(String, unlocks: Bool, counts: Bool, rewraps: Bool?)] = [
        ("login", true, true, true), ("sshd", true, true, true), ("su", true, false, nil),
        ("su-l", true, true, nil), ("sudo", false, false, nil), ("cron", false, false, nil),
        ("passwd", false, false, true), ("chpasswd", false, false, nil),
    ]

    @Test(arguments: debian)
    func debianWithTheProfileIsWhole(
        _ service: String, unlocks: Bool, counts: Bool, rewraps: Bool?
    ) throws {
        let report = try #require(Machine().report(on: service))
        #expect(report.findings.map(\.code) == ["pam-service"])
        #expect(report.findings.allSatisfy { $0.severity == .ok })
        #expect(report.unlocks == unlocks)
        #expect(report.counts == counts)
        #expect(report.rewraps == rewraps)
    }

    private static func session(without removed: String, adding added: String = "") -> String {
        let lines = Machine.debian["common-session"]?.split(separator: "\n") ?? []
        return (lines.filter { !$0.contains(removed) } + [Substring(added)]).joined(separator: "\n")
    }

    /// One mistake in a common file is one finding, whatever else the services have around it.
    @Test(arguments: ["common-auth", "common-session"])
    func aMissingCommonLineIsTheSameForAll(_ name: String) throws {
        let lines = Machine.debian[name]?.split(separator: "\n") ?? []
        let machine = Machine([
            name: lines.filter { !$0.contains("pam_vestry") }.joined(separator: "\n")
        ])
        let findings = try ["login", "sshd", "su", "su-l"].map { service in
            try #require(machine.report(on: service)?.findings.first { $0.severity == .problem })
        }
        #expect(findings.allSatisfy { $0 == findings[0] })
        #expect(findings[0].fix?.contains("/etc/pam.d/\(name):") == true)
    }

    private static let reversed = session(
        without: "pam_vestry", adding: "session optional pam_vestry.so")

    @Test func ourLineBelongsBeforeTheUserManager() {
        let machine = Machine(["common-session": Self.reversed])
        #expect(machine.faults(of: "sshd") == ["pam-session-line-after-systemd"])
        #expect(
            machine.fix("pam-session-line-after-systemd", of: "sshd")
                == "move the line 'session optional pam_vestry.so' directly below"
                + " /etc/pam.d/common-session:7; until then 'vestry wait' bridges it")
    }

    @Test func aMissingSessionLineIsFound() {
        let machine = Machine(["common-session": Self.session(without: "pam_vestry")])
        #expect(machine.faults(of: "login") == ["pam-session-line-missing"])
        #expect(machine.report(on: "login")?.unlocks == false)
    }

    @Test func aSessionThatEndsBeforeOurLineIsFound() {
        let machine = Machine([
            "common-session": """
            session optional pam_keyinit.so force
            session sufficient pam_unix.so
            session optional pam_vestry.so
            """
        ])
        #expect(machine.faults(of: "login") == ["pam-session-line-skipped"])
        #expect(
            machine.fix("pam-session-line-skipped", of: "login")
                == "move the line 'session optional pam_vestry.so' directly below"
                + " /etc/pam.d/common-session:1")
    }

    @Test func withoutASessionKeyringNothingCounts() {
        let common = Self.session(without: "pam_keyinit")
        var machine = Machine(["common-session": common, "ours": "@include common-session"])
        #expect(machine.faults(of: "sshd") == [])
        machine.files["lightdm"] = "@include common-auth\n@include common-session"
        #expect(machine.faults(of: "lightdm") == ["pam-keyinit-missing"])
        #expect(machine.report(on: "lightdm")?.counts == false)
        #expect(machine.report(on: "lightdm")?.unlocks == true)
        machine.files["lightdm"]? += "\nsession optional pam_keyinit.so force"
        #expect(machine.faults(of: "lightdm") == ["pam-keyinit-too-late"])
        #expect(machine.report(on: "lightdm")?.counts == false)
    }

    /// systemd gives its services a session keyring, which pam_keyinit without "force" keeps.
    @Test func aServiceOfSystemdNeedsANewKeyring() {
        var machine = Machine(["lightdm": "@include common-auth\n@include common-session"])
        #expect(machine.faults(of: "lightdm") == [])
        #expect(machine.report(on: "lightdm")?.counts == true)
        #expect(machine.report(on: "su")?.counts == false)
        #expect(machine.report(on: "su-l")?.counts == true)
        machine.files["common-session"] = """
            session required pam_unix.so
            session optional pam_keyinit.so revoke
            session optional pam_vestry.so
            session optional pam_systemd.so
            """
        #expect(machine.faults(of: "lightdm") == ["pam-keyinit-not-forced"])
        #expect(machine.report(on: "lightdm")?.counts == false)
        machine.hasSystemd = false
        #expect(machine.faults(of: "lightdm") == [])
        #expect(machine.report(on: "lightdm")?.counts == true)
        #expect(machine.report(on: "su")?.counts == false)
    }

    @Test func aLoginWithoutAPasswordIsASession() {
        let machine = Machine([
            "lightdm-autologin": "auth required pam_permit.so\n@include common-session"
        ])
        #expect(machine.faults(of: "lightdm-autologin") == [])
        #expect(machine.report(on: "lightdm-autologin")?.counts == true)
        #expect(machine.report(on: "lightdm-autologin")?.unlocks == false)
    }

    @Test func jobsAreNoSessions() {
        let common =
            (Machine.debian["common-session-noninteractive"] ?? "")
            + "\nsession optional pam_vestry.so"
        let machine = Machine(["common-session-noninteractive": common])
        #expect(machine.faults(of: "cron") == ["pam-session-line-in-job"])
        #expect(machine.report(on: "cron")?.counts == false)
    }

    @Test func aConditionOnTheServiceIsDecided() {
        let common = """
            session [success=2 default=ignore] pam_succeed_if.so service in crond:login quiet use_uid
            session optional pam_keyinit.so force
            session optional pam_vestry.so
            session required pam_unix.so
            """
        let machine = Machine(["common-session": common])
        #expect(machine.faults(of: "sshd") == [])
        #expect(machine.faults(of: "login") == ["pam-session-line-skipped"])
        #expect(machine.faults(of: "su-l") == [])
    }

    @Test func sufficientInASessionStackIsWrong() {
        let common = Self.session(without: "pam_vestry", adding: "session sufficient pam_vestry.so")
        #expect(
            Machine(["common-session": common]).faults(of: "sshd")
                == ["pam-control-skips", "pam-session-line-after-systemd"])
    }

    /// PWD-1: passwd with a file of its own.
    @Test func aPasswordChangeThatWeDoNotSeeIsFound() throws {
        let machine = Machine(["passwd": "password required pam_unix.so"])
        #expect(machine.faults(of: "passwd") == ["pam-password-line-missing"])
        #expect(machine.report(on: "passwd")?.rewraps == false)
        let fix = try #require(machine.fix("pam-password-line-missing", of: "passwd"))
        #expect(
            fix.hasPrefix(
                "put 'password optional pam_vestry.so' directly below /etc/pam.d/passwd:1"))
        // And nobody else is blamed for it.
        #expect(machine.faults(of: "sshd") == [])
    }

    @Test func ourPasswordLineStandsBehindTheChange() {
        let early = Machine([
            "passwd": "password optional pam_vestry.so\npassword required pam_unix.so"
        ])
        #expect(early.faults(of: "passwd") == ["pam-password-line-too-early"])
        let skipped = Machine([
            "passwd": "password sufficient pam_unix.so\npassword optional pam_vestry.so\n"
                + "password required pam_deny.so"
        ])
        #expect(skipped.faults(of: "passwd") == ["pam-password-line-skipped"])
        let checked = Machine([
            "passwd": "password requisite pam_pwquality.so retry=3\n"
                + "password required pam_unix.so use_authtok\npassword optional pam_vestry.so"
        ])
        #expect(checked.faults(of: "passwd") == [])
    }

    @Test func rootSettingAPasswordNeedsNoLine() {
        let machine = Machine(["chpasswd": "password required pam_unix.so"])
        #expect(machine.faults(of: "chpasswd") == [])
    }

    @Test func aScreenLockerNeedsTheAuthLineAlone() {
        var machine = Machine(["i3lock": "auth include common-auth"])
        #expect(machine.faults(of: "i3lock") == [])
        #expect(machine.report(on: "i3lock")?.unlocks == true)
        machine.files["i3lock"] = "auth required pam_unix.so"
        #expect(machine.faults(of: "i3lock") == ["pam-auth-line-missing"])
    }

    @Test func whatBelongsToNoLoginIsNotBlamed() {
        let machine = Machine(["cups": "auth required pam_unix.so\nsession required pam_permit.so"])
        #expect(machine.report(on: "cups")?.findings.map(\.code) == ["pam-service"])
        #expect(machine.report(on: "cups")?.unlocks == false)
    }

    @Test func badLinesAreReported() {
        let machine = Machine([
            "sshd": "oauth required pam_unix.so\n" + (Machine.debian["sshd"] ?? "")
        ])
        #expect(machine.faults(of: "sshd").first == "pam-line-malformed")
    }
}
