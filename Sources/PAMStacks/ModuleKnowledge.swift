/// What a simulation takes the line of a module to do, when everything is as it should be: the
/// password is right, the account is a person's and is in good order, and nobody is root.
enum ModuleKnowledge: Equatable {
    /// Always the same answer.
    case answers(ModuleResult)
    /// Checks, or changes, the password of the accounts that it knows.
    case password
    /// Lets somebody in by other means. It is a second factor where its success does not end the
    /// stack, and is not used otherwise: a finger is not a password.
    case factor
    /// Depends on who, where or when: both answers are looked at.
    case condition
    /// Nothing is known: it succeeds, and where that would end the stack, both are looked at.
    case unknown
}

extension ModuleKnowledge {
    /// The knowledge about one line.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - service: The service, which `pam_succeed_if` may ask for.
    init(of line: StackLine, in service: String) {
        let name = line.name
        switch line.group {
        case _ where name == "pam_deny": self = .answers(Self.denial(line.group))
        case _ where name == "pam_permit": self = .answers(.success)
        case _ where name == "pam_succeed_if":
            self =
                ServiceCondition(line.arguments).map { .answers($0.result(for: service)) }
                ?? .condition
        case .auth: self = Self.ofAuth(line)
        case .session, .account:
            if Self.conditions.contains(name) {
                self = .condition
            } else if name == "pam_vestry" && line.group == .account || Self.ignored.contains(name)
            {
                self = .answers(.ignore)
            } else {
                self = Self.known.contains(name) ? .answers(.success) : .unknown
            }
        case .password:
            if Self.passwordModules.contains(name) {
                self = .password
            } else if name == "pam_vestry" || Self.ignored.contains(name) {
                self = .answers(.ignore)
            } else if Self.conditions.contains(name) {
                self = .condition
            } else {
                self = Self.known.contains(name) ? .answers(.success) : .unknown
            }
        }
    }

    private static func ofAuth(_ line: StackLine) -> ModuleKnowledge {
        let name = line.name
        if passwordModules.contains(name) { return .password }
        if factors.contains(name) { return .factor }
        if conditions.contains(name) { return .condition }
        // Only root may pass there, and the person who types a password is not root.
        if name == "pam_rootok" || name == "pam_rhosts" { return .answers(.authError) }
        if name == "pam_faillock" {
            return .answers(line.arguments.contains("authfail") ? .authError : .success)
        }
        if name == "pam_vestry" || ignored.contains(name) || ignoredInAuth.contains(name) {
            return .answers(.ignore)
        }
        return known.contains(name) ? .answers(.success) : .unknown
    }

    private static func denial(_ group: StackLine.Group) -> ModuleResult {
        switch group {
        case .auth, .account: .authError
        case .session: .sessionError
        case .password: .tokenError
        }
    }

    static let passwordModules: Set<String> = [
        "pam_unix", "pam_unix2", "pam_sss", "pam_ldap", "pam_krb5", "pam_winbind",
        "pam_systemd_home", "pam_tcb", "pam_userdb", "pam_pwdb", "pam_himmelblau", "pam_kanidm",
    ]

    private static let factors: Set<String> = [
        "pam_fprintd", "pam_u2f", "pam_yubico", "pam_pkcs11", "pam_p11", "pam_google_authenticator",
        "pam_oath", "pam_duo", "pam_howdy", "pam_ssh_agent_auth", "pam_sss_gss", "pam_ssh",
        "pam_systemd_loadkey",
    ]

    private static let conditions: Set<String> = [
        "pam_localuser", "pam_usertype", "pam_listfile", "pam_wheel", "pam_access", "pam_time",
        "pam_exec", "pam_script", "pam_timestamp", "pam_group_if", "pam_sepermit",
    ]

    private static let ignored: Set<String> = [
        "pam_warn", "pam_echo", "pam_faildelay", "pam_motd", "pam_nologin",
    ]

    /// Set something up, and have no opinion on who is there.
    private static let ignoredInAuth: Set<String> = ["pam_env", "pam_group", "pam_cap"]

    private static let known: Set<String> = [
        "pam_vestry", "pam_env", "pam_group", "pam_cap", "pam_unix_auth", "pam_keyinit",
        "pam_systemd", "pam_elogind", "pam_limits", "pam_loginuid", "pam_lastlog", "pam_lastlog2",
        "pam_mail", "pam_mkhomedir", "pam_oddjob_mkhomedir", "pam_mount", "pam_namespace",
        "pam_selinux", "pam_umask", "pam_xauth", "pam_securetty", "pam_shells", "pam_issue",
        "pam_debug", "pam_faillock", "pam_tally", "pam_tally2", "pam_tty_audit", "pam_setquota",
        "pam_gnome_keyring", "pam_kwallet", "pam_kwallet5", "pam_ecryptfs", "pam_fscrypt",
        "pam_pwquality", "pam_cracklib", "pam_passwdqc", "pam_pwhistory", "pam_ck_connector",
        "pam_unix", "pam_sss", "pam_ldap", "pam_krb5", "pam_winbind", "pam_systemd_home",
        "pam_ssh", "pam_gnupg", "pam_apparmor", "pam_lxc", "pam_cgfs", "pam_turnstile",
    ]
}

/// Conditions of `pam_succeed_if` that ask for nothing but the service.
private struct ServiceCondition {
    private var tests: [(isIn: Bool, services: [String])] = []

    /// Nil where it asks for anything else.
    init?(_ arguments: [String]) {
        let flags: Set<String> = [
            "debug", "use_uid", "quiet", "quiet_fail", "quiet_success", "audit",
        ]
        let words = arguments.filter { !flags.contains($0) }
        guard !words.isEmpty, words.count.isMultiple(of: 3) else { return nil }
        for index in stride(from: 0, to: words.count, by: 3) {
            guard words[index] == "service" else { return nil }
            let value = words[index + 2]
            switch words[index + 1] {
            case "=": tests.append((true, [value]))
            case "!=": tests.append((false, [value]))
            case "in": tests.append((true, value.split(separator: ":").map(String.init)))
            case "notin": tests.append((false, value.split(separator: ":").map(String.init)))
            default: return nil
            }
        }
    }

    func result(for service: String) -> ModuleResult {
        tests.allSatisfy { $0.services.contains(service) == $0.isIn } ? .success : .authError
    }
}
