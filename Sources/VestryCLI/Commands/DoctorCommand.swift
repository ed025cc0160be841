internal import Glibc
internal import LinuxSystem
internal import PAMStacks

/// `vestry doctor`: checks everything that the keychain depends on, and names what puts it right.
struct DoctorCommand: Command, Equatable {
    static let name = "doctor"
    static let usage = """
        usage: vestry doctor [--json] [--service NAME ...] [--user NAME]

        Checks what the keychain depends on, a line for each, and below what is wrong how to put it
        right: the PAM module and the stacks of all services, which are simulated; the unlock
        service, the device key; the kernel's keyrings and quota; the store's files and items; the
        keys that are in the kernel; what a cron job could read now; the clock. Changes nothing, and
        asks for nothing.

        Each line begins with ok, note (worth knowing), warning (works, and may not be what you want)
        or problem. The exit status is that of the worst problem; notes and warnings are no failure:

          0  no problem
          3  no such service or account
          6  damaged: the store, or the device key
          8  denied: owner, mode or type of a file
          9  unavailable: module, unlock service, keyring or quota
          1  another problem, such as a wrong order in a PAM stack

          --json          print one line of JSON instead
          --service NAME  check only the stacks of this PAM service; can be given several times
          --user NAME     root: also look at this person's keychain, from outside

        Some checks need root, and say so: 'sudo vestry doctor' makes them.

        """
    static let options: [Arguments.Option] = [
        .flag("--json"), .list("--service"), .value("--user"),
    ]

    let isJSON: Bool
    let services: [String]
    let user: String?

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.operands.isEmpty else { throw Self.usageError("expected no arguments") }
        isJSON = arguments.has("--json")
        services = arguments.values(of: "--service")
        user = arguments.value(of: "--user")
        guard services.allSatisfy({ !$0.isEmpty && !$0.contains("/") }) else {
            throw Self.usageError("a service is the name of a file in /etc/pam.d")
        }
    }

    func run() throws(Failure) -> ExitStatus {
        let patient = try Patient.named(user)
        let stacks = PAMFolder()
        let wanted = services.isEmpty ? stacks.services : services
        if services.contains(where: stacks.hidden.contains) {
            throw Failure(
                .denied, "this user may not read the file of the service",
                hint: "sudo vestry doctor")
        }
        if let missing = services.first(where: { !stacks.services.contains($0) }) {
            throw Failure(
                .notFound, "there is no PAM service '\(missing.escapedForTerminal)'",
                hint: "'ls /etc/pam.d' lists them; libpam takes the service 'other' instead")
        }
        let module = ModuleChecks.run()
        let pam = PAMChecks(stacks, wanted, moduleFolder: module.folder, isLoaded: module.isLoaded)
        var checks = module.checks + pam.checks
        if services.isEmpty {
            let now = Int64(time(nil))
            checks += ServiceChecks.run(patient) + KernelChecks.run(patient)
            checks += StoreChecks.run(patient, now: now)
            checks += KeyChecks.run(patient)
            checks += CronChecks.run(patient, cron: pam.cron)
            checks += ClockChecks.run(now: now)
        }
        let checkup = Checkup(
            user: patient.account?.name, checks: checks, services: pam.reports)
        StandardStream.output.write(isJSON ? checkup.json.text + "\n" : checkup.text)
        return checkup.exitStatus
    }
}
