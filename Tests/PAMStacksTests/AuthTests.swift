import Testing

@testable import PAMStacks

@Suite struct AuthTests {
    static let wellOrdered: [(String, String)] = [
        ("plain", "auth required pam_unix.so\nauth optional pam_vestry.so"),
        (
            "sssd after pam_unix, by profiles",
            """
            auth [success=2 default=ignore] pam_unix.so nullok
            auth [success=1 default=ignore] pam_sss.so use_first_pass
            auth requisite pam_deny.so
            auth required pam_permit.so
            auth optional pam_vestry.so
            """
        ),
        (
            "a second factor",
            """
            auth required pam_unix.so
            auth required pam_google_authenticator.so
            auth optional pam_vestry.so
            """
        ),
        (
            "a fingerprint instead",
            """
            auth sufficient pam_fprintd.so
            auth required pam_unix.so
            auth optional pam_vestry.so
            """
        ),
        (
            "people without a password",
            """
            auth sufficient pam_succeed_if.so user ingroup nopasswdlogin
            auth required pam_unix.so
            auth optional pam_vestry.so
            """
        ),
        (
            "homed, network accounts and a line that is reached by all",
            """
            auth [success=2 default=ignore] pam_unix.so
            auth [success=1 default=die] pam_systemd_home.so
            auth requisite pam_deny.so
            auth optional pam_vestry.so
            auth required pam_permit.so
            """
        ),
        (
            "locked after failures, with the line in the right place",
            """
            auth required pam_faillock.so preauth
            auth [success=1 default=ignore] pam_unix.so nullok
            auth [default=die] pam_faillock.so authfail
            auth optional pam_vestry.so
            auth sufficient pam_faillock.so authsucc
            auth requisite pam_deny.so
            """
        ),
        (
            "gone modules",
            """
            -auth optional pam_gone.so
            auth required pam_unix.so
            auth optional pam_vestry.so
            """
        ),
    ]

    @Test(arguments: wellOrdered)
    func theWellOrderedUnlocks(_ name: String, _ common: String) throws {
        var machine = Machine(["common-auth": common])
        machine.missingModules = ["pam_gone.so"]
        let report = try #require(machine.report(on: "sshd"))
        #expect(machine.faults(of: "sshd") == [])
        #expect(report.unlocks && report.asksForPassword && report.counts)
    }

    /// The order that hardening guides publish (PSO-1): the stack ends before the line.
    static let faillock = """
        auth	required pam_faillock.so preauth
        auth	[success=1 default=ignore]	pam_unix.so nullok
        auth	[default=die]	pam_faillock.so authfail
        auth	sufficient	pam_faillock.so authsucc
        auth	requisite			pam_deny.so
        auth	required			pam_permit.so
        auth	optional	pam_vestry.so
        """

    @Test func aSufficientLineBeforeOursIsFound() throws {
        let machine = Machine(["common-auth": Self.faillock])
        #expect(machine.faults(of: "login") == ["pam-auth-line-skipped"])
        #expect(machine.report(on: "login")?.unlocks == false)
        let finding = try #require(
            machine.report(on: "login")?.findings.first { $0.severity == .problem })
        #expect(finding.message.contains("/etc/pam.d/common-auth:7 is not reached: 'sufficient"))
        #expect(finding.message.contains("pam_faillock.so authsucc' at /etc/pam.d/common-auth:4"))
        #expect(
            finding.fix == "move the line 'auth optional pam_vestry.so' directly below"
                + " /etc/pam.d/common-auth:3")
    }

    @Test func thePrintedPlaceIsRight() {
        let lines = Self.faillock.split(separator: "\n").map(String.init)
        let moved = lines[..<3] + [lines[6]] + lines[3..<6]
        let machine = Machine(["common-auth": moved.joined(separator: "\n")])
        #expect(machine.faults(of: "login") == [])
    }

    static let faults: [(String, String, String)] = [
        (
            "before pam_unix (PSO-2)", "pam-auth-line-too-early",
            """
            auth optional pam_vestry.so
            auth [success=1 default=ignore] pam_unix.so
            auth requisite pam_deny.so
            auth required pam_permit.so
            """
        ),
        (
            "sufficient pam_unix", "pam-auth-line-skipped",
            "auth sufficient pam_unix.so\nauth optional pam_vestry.so\nauth required pam_deny.so"
        ),
        (
            "only local accounts", "pam-auth-line-skipped",
            """
            auth sufficient pam_systemd_home.so
            auth required pam_unix.so
            auth optional pam_vestry.so
            """
        ),
        (
            "passed over", "pam-auth-line-skipped",
            """
            auth [success=2 default=ignore] pam_unix.so
            auth requisite pam_deny.so
            auth optional pam_vestry.so
            auth required pam_permit.so
            """
        ),
        (
            "on one side of a condition", "pam-auth-line-skipped",
            """
            auth required pam_unix.so
            auth [success=1 default=ignore] pam_succeed_if.so user ingroup staff
            auth optional pam_vestry.so
            """
        ),
        (
            "between two that ask (PSO-3)", "pam-auth-line-between",
            """
            auth [success=ok default=ignore] pam_unix.so
            auth optional pam_vestry.so
            auth sufficient pam_krb5.so try_first_pass
            """
        ),
        ("no line", "pam-auth-line-missing", "auth required pam_unix.so"),
        (
            "refuses everybody", "pam-control-refuses",
            "auth required pam_unix.so\nauth [success=ok default=die] pam_vestry.so"
        ),
    ]

    @Test(arguments: faults)
    func theFaultIsFound(_ name: String, _ code: String, _ common: String) throws {
        let machine = Machine(["common-auth": common])
        #expect(machine.faults(of: "sshd").contains(code))
        #expect(machine.fix(code, of: "sshd") != nil)
    }

    @Test func aFaultThatConcernsSomeSaysWhom() throws {
        let home = Machine(["common-auth": Self.faults[2].2])
        let finding = try #require(home.report(on: "sshd")?.findings.first)
        #expect(finding.message.contains("for accounts of pam_systemd_home.so"))
        let staff = Machine(["common-auth": Self.faults[4].2])
        let second = try #require(staff.report(on: "sshd")?.findings.first)
        #expect(second.message.contains("where pam_succeed_if.so user ingroup staff"))
    }

    @Test func whereNoPlaceHelpsTheFixSaysWhatMustChange() throws {
        let fix = Machine(["common-auth": Self.faults[1].2]).fix(
            "pam-auth-line-skipped", of: "sshd")
        #expect(fix?.hasPrefix("no place of the line helps") == true)
    }

    @Test func aMissingLineIsPutBackByItsProfile() throws {
        let lines = Machine.debian["common-auth"]?.split(separator: "\n").dropLast() ?? []
        var machine = Machine(["common-auth": lines.joined(separator: "\n")])
        let place = "put 'auth optional pam_vestry.so' directly below /etc/pam.d/common-auth:5"
        for (profile, start) in [
            (
                StackHost.Profile.followed,
                "run 'sudo pam-auth-update --enable vestry vestry-late', or by hand: "
            ), (.ignored, "by hand, as pam-auth-update leaves files that were edited alone: "),
            (.none, ""),
        ] {
            machine.profile = profile
            #expect(machine.fix("pam-auth-line-missing", of: "su") == start + place)
        }
        // sudo and cron do not need it.
        #expect(machine.faults(of: "sudo") == [])
        #expect(machine.faults(of: "cron") == [])
    }

    @Test func aModuleThatNobodyKnowsIsSaidToBeUnknown() throws {
        let report = try #require(
            Machine(["ours": "auth required pam_ours.so\nsession required pam_permit.so"])
                .report(on: "ours"))
        #expect(report.findings.map(\.code) == ["pam-module-unknown", "pam-service"])
        #expect(!report.asksForPassword)
    }

    @Test func aServiceThatIncludesNothingIsRefused() throws {
        let machine = Machine(["sshd": "@include common-gone"])
        #expect(machine.faults(of: "sshd") == ["pam-include-missing"])
        #expect(machine.faults(of: "nobody") == ["none"])
    }
}
