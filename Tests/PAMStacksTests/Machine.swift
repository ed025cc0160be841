import PAMStacks

/// Service files by name, as they would stand in /etc/pam.d.
struct Machine {
    var files: [String: String]
    var missingModules: Set<String> = []
    var hasSystemd = true
    var profile = StackHost.Profile.followed

    /// Debian 12 with the lines of the package's profile, as pam-auth-update writes them.
    static let debian: [String: String] = [
        "common-auth": """
        auth	[success=1 default=ignore]	pam_unix.so nullok
        # here's the fallback if no module succeeds
        auth	requisite			pam_deny.so
        auth	required			pam_permit.so
        auth	optional			pam_cap.so
        auth	optional	pam_vestry.so
        """,
        "common-account": """
        account	[success=1 new_authtok_reqd=done default=ignore]	pam_unix.so
        account	requisite			pam_deny.so
        account	required			pam_permit.so
        """,
        "common-session": """
        session	[default=1]			pam_permit.so
        session	requisite			pam_deny.so
        session	required			pam_permit.so
        session	required	pam_unix.so
        session	optional	pam_keyinit.so revoke
        session	[success=1 default=ignore]	pam_succeed_if.so quiet service = su
        session	optional	pam_keyinit.so force revoke
        session	optional	pam_vestry.so
        session	optional	pam_systemd.so
        session	optional	pam_vestry.so late
        """,
        "common-session-noninteractive": """
        session	[default=1]			pam_permit.so
        session	requisite			pam_deny.so
        session	required			pam_permit.so
        session	required	pam_unix.so
        """,
        "common-password": """
        password	[success=1 default=ignore]	pam_unix.so obscure yescrypt
        password	requisite			pam_deny.so
        password	required			pam_permit.so
        password	optional	pam_vestry.so
        """,
        "login": """
        auth       optional   pam_faildelay.so  delay=3000000
        auth       requisite  pam_nologin.so
        session [success=ok ignore=ignore module_unknown=ignore default=bad] pam_selinux.so close
        session    required     pam_loginuid.so
        session    required     pam_env.so readenv=1
        @include common-auth
        auth       optional   pam_group.so
        session    required   pam_limits.so
        session    optional   pam_keyinit.so force revoke
        @include common-account
        @include common-session
        @include common-password
        """,
        "sshd": """
        @include common-auth
        account    required     pam_nologin.so
        @include common-account
        session [success=ok ignore=ignore module_unknown=ignore default=bad] pam_selinux.so close
        session    required     pam_loginuid.so
        session    optional     pam_keyinit.so force revoke
        @include common-session
        session    optional     pam_motd.so  motd=/run/motd.dynamic
        @include common-password
        """,
        "su": """
        auth       sufficient pam_rootok.so
        session    required   pam_env.so readenv=1
        @include common-auth
        @include common-account
        @include common-session
        """,
        "su-l": """
        auth		include		su
        account		include		su
        password	include		su
        session		optional	pam_keyinit.so force revoke
        session		include		su
        """,
        "sudo": """
        session    required   pam_limits.so
        @include common-auth
        @include common-account
        @include common-session-noninteractive
        """,
        "cron": """
        @include common-auth
        session       required   pam_loginuid.so
        @include common-account
        @include common-session-noninteractive
        session    required   pam_limits.so
        """,
        "passwd": "@include common-password",
        "chpasswd": "@include common-password",
    ]

    init(_ changes: [String: String] = [:]) {
        files = Self.debian.merging(changes) { $1 }
    }

    var serviceFiles: ServiceFiles {
        let files = files
        return ServiceFiles { name in
            files[name].map { .init(path: "/etc/pam.d/\(name)", text: $0) }
        }
    }

    func report(on service: String) -> ServiceReport? {
        let missing = missingModules
        return serviceFiles.report(
            on: service,
            host: StackHost(givesServicesKeyrings: hasSystemd, profile: profile) {
                !missing.contains($0)
            })
    }

    /// The codes of what is wrong, without what is well or only noted.
    func faults(of service: String) -> [String] {
        report(on: service)?.findings.filter { $0.severity >= .warning }.map(\.code) ?? ["none"]
    }

    func fix(_ code: String, of service: String) -> String? {
        report(on: service)?.findings.first { $0.code == code }?.fix
    }
}
