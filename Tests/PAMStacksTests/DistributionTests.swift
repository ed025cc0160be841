import Testing

@testable import PAMStacks

/// Stacks as other distributions ship them, without a package of ours.
@Suite struct DistributionTests {
    /// Fedora's, for accounts of this machine and of SSSD.
    static let fedora = [
        "password-auth": """
        auth        required                                     pam_env.so
        auth        required                                     pam_faildelay.so delay=2000000
        auth        [default=1 ignore=ignore success=ok]         pam_usertype.so isregular
        auth        [default=1 ignore=ignore success=ok]         pam_localuser.so
        auth        sufficient                                   pam_unix.so nullok
        auth        [default=1 ignore=ignore success=ok]         pam_usertype.so isregular
        auth        sufficient                                   pam_sss.so forward_pass
        auth        required                                     pam_deny.so
        password    requisite                                    pam_pwquality.so local_users_only
        password    sufficient                                   pam_unix.so yescrypt shadow use_authtok
        password    sufficient                                   pam_sss.so use_authtok
        password    required                                     pam_deny.so
        session     optional                                     pam_keyinit.so revoke
        session     required                                     pam_limits.so
        -session    optional                                     pam_systemd.so
        session     [success=1 default=ignore]                   pam_succeed_if.so service in crond quiet use_uid
        session     required                                     pam_unix.so
        session     optional                                     pam_sss.so
        """,
        "postlogin": "session optional pam_umask.so silent",
        "sshd": """
        auth       substack     password-auth
        auth       include      postlogin
        account    required     pam_nologin.so
        password   include      password-auth
        session    required     pam_selinux.so close
        session    required     pam_loginuid.so
        session    required     pam_selinux.so open env_params
        session    required     pam_namespace.so
        session    optional     pam_keyinit.so force revoke
        session    optional     pam_motd.so
        session    include      password-auth
        session    include      postlogin
        """,
    ]

    @Test func theFixesForFedoraWork() throws {
        var machine = Machine(Self.fedora)
        #expect(
            machine.faults(of: "sshd") == [
                "pam-auth-line-missing", "pam-session-line-missing", "pam-password-line-missing",
            ])
        // A success in the substack ends no more than that.
        #expect(
            machine.fix("pam-auth-line-missing", of: "sshd")
                == "put 'auth optional pam_vestry.so' directly below /etc/pam.d/sshd:1")
        machine.files["sshd"] = machine.files["sshd"]?
            .replacing(
                "auth       include      postlogin",
                with: "auth       optional     pam_vestry.so\nauth       include      postlogin"
            )
            .replacing(
                "session    optional     pam_motd.so",
                with: "session    optional     pam_vestry.so\nsession    optional     pam_motd.so")
        #expect(machine.faults(of: "sshd") == ["pam-password-line-missing"])
        #expect(machine.report(on: "sshd")?.unlocks == true)
        #expect(machine.report(on: "sshd")?.counts == true)
    }

    /// Arch's system-auth, with our lines at its end.
    @Test func archWithOurLinesIsWhole() throws {
        let machine = Machine([
            "system-auth": """
            auth       required                    pam_faillock.so      preauth
            -auth      [success=2 default=ignore]  pam_systemd_home.so
            auth       [success=1 default=bad]     pam_unix.so          try_first_pass nullok
            auth       [default=die]               pam_faillock.so      authfail
            auth       optional                    pam_permit.so
            auth       required                    pam_env.so
            auth       required                    pam_faillock.so      authsucc
            auth       optional                    pam_vestry.so
            -password  [success=1 default=ignore]  pam_systemd_home.so
            password   required                    pam_unix.so          try_first_pass nullok shadow
            password   optional                    pam_permit.so
            password   optional                    pam_vestry.so
            -session   optional                    pam_systemd_home.so
            session    required                    pam_limits.so
            session    required                    pam_unix.so
            session    optional                    pam_permit.so
            """,
            "login": """
            auth       requisite    pam_nologin.so
            auth       include      system-auth
            session    optional     pam_keyinit.so       force revoke
            session    optional     pam_vestry.so
            session    include      system-auth
            -session   optional     pam_systemd.so
            password   include      system-auth
            """,
        ])
        let report = try #require(machine.report(on: "login"))
        #expect(machine.faults(of: "login") == [])
        #expect(report.unlocks && report.counts && report.rewraps == true)
    }

    /// Debian 13's, which has the session lines of the people who log in.
    @Test func aGreeterIsNoJob() throws {
        let machine = Machine([
            "lightdm-greeter": """
            auth      required pam_permit.so
            account   required pam_permit.so
            password  required pam_deny.so
            session   required pam_unix.so
            session   optional pam_systemd.so
            @include common-session
            """
        ])
        let report = try #require(machine.report(on: "lightdm-greeter"))
        #expect(report.findings.allSatisfy { $0.severity == .ok })
        #expect(!report.unlocks && !report.counts)
    }
}
