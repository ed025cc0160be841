internal import LinuxSystem
internal import PAMStacks

/// One line of what `vestry doctor` finds.
struct Check: Equatable {
    enum Result: String, CaseIterable {
        case ok, note, warning, problem
    }

    enum Group: String, CaseIterable {
        case pam, service, kernel, store, keys, cron, clock
    }

    let group: Group
    /// A word that never changes its meaning.
    let code: String
    let result: Result
    /// What it is about: services, a class, a key, a path; nil where the code says it.
    let subject: String?
    /// The cause, for people.
    let message: String
    /// What to do; nil where there is nothing to do.
    let fix: String?
    /// What the command exits with, of a problem.
    let status: ExitStatus

    private init(
        _ group: Group, _ code: String, _ result: Result, _ subject: String?, _ message: String,
        fix: String?, status: ExitStatus
    ) {
        self.group = group
        self.code = code
        self.result = result
        self.subject = subject
        self.message = message
        self.fix = fix
        self.status = status
    }

    static func ok(
        _ group: Group, _ code: String, _ message: String, about subject: String? = nil
    ) -> Check {
        Check(group, code, .ok, subject, message, fix: nil, status: .done)
    }

    static func note(
        _ group: Group, _ code: String, _ message: String, about subject: String? = nil,
        fix: String?
    ) -> Check {
        Check(group, code, .note, subject, message, fix: fix, status: .done)
    }

    static func warning(
        _ group: Group, _ code: String, _ message: String, about subject: String? = nil,
        fix: String
    ) -> Check {
        Check(group, code, .warning, subject, message, fix: fix, status: .done)
    }

    static func problem(
        _ group: Group, _ code: String, _ message: String, about subject: String? = nil,
        fix: String, status: ExitStatus = .failure
    ) -> Check {
        Check(group, code, .problem, subject, message, fix: fix, status: status)
    }

    /// What the simulation of a stack has found, for one service or for several.
    init(_ finding: StackFinding, services: [String]) {
        let result: Result =
            switch finding.severity {
            case .ok: .ok
            case .note: .note
            case .warning: .warning
            case .problem: .problem
            }
        self.init(
            .pam, finding.code, result, services.joined(separator: ", "), finding.message,
            fix: finding.fix, status: result == .problem ? .failure : .done)
    }

    /// A line, and a second one with the fix.
    var text: String {
        let result = result.rawValue.padded(to: 8)
        let about = subject.map { "\($0): " } ?? ""
        let line = "  \(result) \(code): \((about + message).escapedForTerminal)\n"
        return line + (fix.map { "           fix: \($0.escapedForTerminal)\n" } ?? "")
    }

    var json: JSON {
        .object([
            .init("group", .string(group.rawValue)),
            .init("code", .string(code)),
            .init("result", .string(result.rawValue)),
            .init("subject", subject.map(JSON.string) ?? .null),
            .init("message", .string(message)),
            .init("fix", fix.map(JSON.string) ?? .null),
        ])
    }
}

/// All that was found.
struct Checkup {
    let user: String?
    let checks: [Check]
    let services: [ServiceReport]

    /// Of the worst problem: damage before denial before what is not available before the rest.
    var exitStatus: ExitStatus {
        let statuses = checks.filter { $0.result == .problem }.map(\.status)
        guard !statuses.isEmpty else { return .done }
        return [.damaged, .denied, .unavailable].first(where: statuses.contains) ?? .failure
    }

    private func count(_ result: Check.Result) -> Int {
        checks.count { $0.result == result }
    }

    var text: String {
        var text = ""
        for group in Check.Group.allCases {
            let checks = checks.filter { $0.group == group }
            guard !checks.isEmpty else { continue }
            text += "\(group.rawValue)\n" + checks.map(\.text).joined()
        }
        return text
            + "problems: \(count(.problem)), warnings: \(count(.warning)), notes: \(count(.note))\n"
    }

    var json: JSON {
        .object([
            .init("result", .string(worst.rawValue)),
            .init("status", .number(Int64(exitStatus.rawValue))),
            .init("user", user.map(JSON.string) ?? .null),
            .init("checks", .array(checks.map(\.json))),
            .init("services", .array(services.map(\.json))),
        ])
    }

    private var worst: Check.Result {
        Check.Result.allCases.last { count($0) > 0 } ?? .ok
    }
}

extension ServiceReport {
    fileprivate var json: JSON {
        .object([
            .init("name", .string(service)),
            .init("asksForPassword", .bool(asksForPassword)),
            .init("unlocks", .bool(unlocks)),
            .init("counts", .bool(counts)),
            .init("rewraps", rewraps.map(JSON.bool) ?? .null),
        ])
    }
}

extension String {
    /// With blanks behind it, for columns.
    func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - self.count))
    }
}
