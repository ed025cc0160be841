/// What is to be said about a service, or about several.
public struct StackFinding: Equatable, Sendable {
    public enum Severity: Int, Comparable, Sendable {
        case ok, note, warning, problem

        public static func < (left: Severity, right: Severity) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// A stable word; the names are listed in the manual of `vestry doctor --json`.
    public let code: String
    public let severity: Severity
    /// Without the service's name, so that one mistake in a common file is one finding.
    public let message: String
    /// What to do; nil where there is nothing to do.
    public let fix: String?
}

/// What one service does, by the simulation of its stacks.
public struct ServiceReport: Equatable, Sendable {
    public let service: String
    public let nature: ServiceNature
    /// Whether some way into it asks for a password.
    public internal(set) var asksForPassword = false
    /// Whether the right password opens the keychain, on every way on which it is asked for.
    public internal(set) var unlocks = false
    /// Whether its session is an open one, for the when-unlocked classes.
    public internal(set) var counts = false
    /// Whether a changed password becomes the keychain's; nil where no password is changed.
    public internal(set) var rewraps: Bool?
    public internal(set) var findings: [StackFinding] = []
}

/// What the simulation must know about the machine.
public struct StackHost: Sendable {
    /// Whether a module, by the name in its line, is there to be loaded.
    public let isInstalled: @Sendable (String) -> Bool
    /// Whether services start with a session keyring that is not the user's, as those of systemd do:
    /// pam_keyinit without `force` then leaves it.
    public let givesServicesKeyrings: Bool
    /// What the package's profile can do for the common files.
    public let profile: Profile

    /// How lines of the module get into Debian's common files.
    public enum Profile: Sendable {
        /// There is no profile here.
        case none
        /// `pam-auth-update` writes the files anew, with the profile's lines.
        case followed
        /// It leaves the files alone, because somebody has edited what it wrote.
        case ignored
    }

    public init(
        givesServicesKeyrings: Bool, profile: Profile = .none,
        isInstalled: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        self.isInstalled = isInstalled
        self.givesServicesKeyrings = givesServicesKeyrings
        self.profile = profile
    }
}

extension ServiceFiles {
    /// Judges one service.
    ///
    /// - Returns: The report, or nil where there is no such service.
    public func report(on service: String, host: StackHost) -> ServiceReport? {
        var judge = ServiceJudge(service: service, host: host)
        do throws(StackError) {
            guard let auth = try stack(of: service, .auth),
                let account = try stack(of: service, .account),
                let session = try stack(of: service, .session),
                let password = try stack(of: service, .password)
            else { return nil }
            judge.judge(auth: auth, account: account, session: session, password: password)
        } catch {
            judge.refuse(error)
        }
        return judge.report
    }
}

extension ServiceReport {
    /// The same where the module cannot be loaded.
    public var withoutModule: ServiceReport {
        var report = self
        (report.unlocks, report.counts) = (false, false)
        report.rewraps = rewraps.map { _ in false }
        report.findings.removeAll { $0.code == "pam-service" }
        return report
    }
}
