internal import LinuxSystem
internal import PAMStacks

/// What the services do, by the simulation of their stacks.
struct PAMChecks {
    let checks: [Check]
    let reports: [ServiceReport]
    /// Of the service that runs cron jobs, where there is one.
    let cron: ServiceReport?

    /// Simulates.
    ///
    /// - Parameters:
    ///   - stacks: The service files.
    ///   - wanted: The services to look at.
    ///   - moduleFolder: Where libpam's modules are; nil where all are taken to be there.
    ///   - isLoaded: Whether the module can be loaded; else no service opens anything.
    init(_ stacks: PAMFolder, _ wanted: [String], moduleFolder: String?, isLoaded: Bool) {
        // Listed once: a simulation asks often.
        let modules = moduleFolder.flatMap { folder in
            try? FileDescriptor.openDirectory(path: folder).entryNames()
        }.map(Set.init)
        let profile: StackHost.Profile =
            if !FileFacts.exists("/usr/share/pam-configs/vestry") {
                .none
            } else {
                stacks.files.followProfiles ? .followed : .ignored
            }
        let host = StackHost(
            givesServicesKeyrings: FileFacts.hasSystemd, profile: profile
        ) { module in
            module.hasPrefix("/") ? FileFacts.exists(module) : modules?.contains(module) ?? true
        }
        let found = wanted.compactMap { stacks.files.report(on: $0, host: host) }
        reports = isLoaded ? found : found.map(\.withoutModule)
        cron = reports.first { $0.service == "cron" || $0.service == "crond" }
        // Where one command does it, the places of the lines are of no interest.
        let isAskedFor = stacks.namesModule || profile == .ignored
        checks = Self.general(stacks, profile) + (isAskedFor ? Self.merged(reports) : [])
    }

    private static func general(_ stacks: PAMFolder, _ profile: StackHost.Profile) -> [Check] {
        var checks: [Check] = []
        if stacks.services.isEmpty {
            checks.append(
                .note(
                    .pam, "pam-folder-missing",
                    "there are no service files in /etc/pam.d; those in /etc/pam.conf are not looked at",
                    fix: "move each service's lines into a file of its own in /etc/pam.d"))
        } else if !stacks.namesModule {
            let fix =
                switch profile {
                case .none: "install the package libpam-vestry"
                case .followed: StackHost.Profile.command
                case .ignored:
                    "put in the lines that are named below by hand, as pam-auth-update leaves files that"
                        + " were edited alone; pam_vestry(8) has all of them"
                }
            checks.append(
                .problem(
                    .pam, "pam-profile-missing",
                    "no PAM service has a line of pam_vestry.so: no login opens a keychain",
                    fix: fix))
        }
        if !stacks.hidden.isEmpty {
            checks.append(
                .note(
                    .pam, "pam-file-hidden", "this user may not read these service files",
                    about: stacks.hidden.joined(separator: ", "), fix: "sudo vestry doctor"))
        }
        return checks
    }

    /// One line for what several services have in common, the worst last.
    private static func merged(_ reports: [ServiceReport]) -> [Check] {
        var order: [StackFinding] = []
        var services: [[String]] = []
        for report in reports {
            for finding in report.findings {
                if let index = order.firstIndex(of: finding) {
                    services[index].append(report.service)
                } else {
                    order.append(finding)
                    services.append([report.service])
                }
            }
        }
        return order.indices.sorted { (order[$0].severity, $0) < (order[$1].severity, $1) }
            .map { Check(order[$0], services: services[$0]) }
    }
}
