import PAMStacks
import Testing

/// What `pam-auth-update` takes over and what it leaves alone; tried with the one of Debian 12 in
/// Tests/Scripts/cases_stacks.py.
@Suite struct CommonFilesTests {
    static let saved = [
        "auth": """
        Module: unix
        [success=end default=ignore]\tpam_unix.so nullok
        Module: vestry
        optional\tpam_vestry.so

        """,
        "account":
            "Module: unix\n[success=end new_authtok_reqd=done default=ignore]\tpam_unix.so\n",
        "session":
            "Module: null\n[default=1]\t\t\tpam_permit.so\nModule: unix\nrequired\tpam_unix.so\n",
        "session-noninteractive": "Module: null\n[default=1]\t\t\tpam_permit.so\n",
        "password": "Module: unix\n[success=end default=ignore]\tpam_unix.so obscure\n",
    ]

    static func common(_ primary: String, _ additional: String = "") -> String {
        """
        auth optional pam_before.so
        # here are the per-package modules (the "Primary" block)
        \(primary)# here's the fallback if no module succeeds
        auth\trequisite\t\t\tpam_deny.so
        # and here are more per-package modules (the "Additional" block)
        \(additional)# end of pam-auth-update config
        auth optional pam_behind.so

        """
    }

    static let auth = "auth\t[success=1 default=ignore]\tpam_unix.so nullok\n"
    static let own = "auth\toptional\tpam_vestry.so\n"

    static func follows(auth: String?, without missing: String = "") -> Bool {
        var files: [String: String] = [
            "common-auth": auth ?? "",
            "common-account": common(
                "account\t[success=1 new_authtok_reqd=done default=ignore]\tpam_unix.so\n"),
            "common-session": common(
                "session\t[default=1]\t\t\tpam_permit.so\n", "session\trequired\tpam_unix.so\n"),
            "common-session-noninteractive": common("session\t[default=1]\t\t\tpam_permit.so\n"),
            "common-password": common(
                "password\t[success=2 default=ignore]\tpam_unix.so obscure sha512\n"),
        ]
        for (name, text) in saved { files["/var/lib/pam/\(name)"] = text }
        files[missing] = nil
        return ServiceFiles { [files] name in
            files[name].map { .init(path: name, text: $0) }
        }.followProfiles
    }

    @Test(arguments: [
        ("as it was written", common(auth, own)), ("our line taken out", common(auth)),
        ("every line taken out", common("")),
        (
            "another option",
            common("auth\t[success=2 default=ignore]\tpam_unix.so try_first_pass\n", own)
        ),
        (
            "no last marker",
            common(auth, own).replacing("# end of pam-auth-update config\n", with: "")
                .replacing("auth optional pam_behind.so\n", with: "")
        ),
    ])
    func takesOver(_ name: String, _ text: String) {
        #expect(Self.follows(auth: text))
    }

    @Test(arguments: [
        ("another line", common(auth, "auth\toptional\tpam_other.so\n" + own)),
        ("a line before", common("auth optional pam_faildelay.so\n" + auth, own)),
        ("another order", common(own, auth)), ("a comment", common(auth, "# ours\n" + own)),
        ("another control", common(auth, "auth\trequired\tpam_vestry.so\n")),
        ("other blanks", common(auth, "auth optional pam_vestry.so\n")),
        ("the same twice", common(auth, own + own)), ("no markers", auth + own), ("empty", ""),
    ])
    func leavesAlone(_ name: String, _ text: String) {
        #expect(!Self.follows(auth: text))
    }

    @Test func leavesAloneWhatIsNotItsOwn() {
        let whole = Self.common(Self.auth, Self.own)
        #expect(!Self.follows(auth: whole, without: "/var/lib/pam/password"))
        #expect(!Self.follows(auth: whole, without: "common-session-noninteractive"))
    }
}
