/// What a line of a stack makes of its module's result (pam.conf(5), section "control").
public struct Control: Equatable, Sendable {
    /// What happens next.
    public enum Action: Equatable, Sendable {
        case ignore, ok, done, bad, die, reset
        /// Passes over so many lines; at least 1.
        case jump(Int)
    }

    private let actions: [String: Action]
    /// For the results that are not named; libpam takes `bad` where there is no `default`.
    private let unnamed: Action

    /// What a module's result leads to.
    public func action(for result: ModuleResult) -> Action {
        actions[result.rawValue] ?? unnamed
    }

    public static let required = Control(
        actions: ["success": .ok, "new_authtok_reqd": .ok, "ignore": .ignore], unnamed: .bad)
    public static let requisite = Control(
        actions: ["success": .ok, "new_authtok_reqd": .ok, "ignore": .ignore], unnamed: .die)
    public static let sufficient = Control(
        actions: ["success": .done, "new_authtok_reqd": .done], unnamed: .ignore)
    public static let optional = Control(
        actions: ["success": .ok, "new_authtok_reqd": .ok], unnamed: .ignore)
    /// What libpam falls back to where it does not understand a control.
    static let malformed = Control(actions: [:], unnamed: .bad)

    private init(actions: [String: Action], unnamed: Action) {
        self.actions = actions
        self.unnamed = unnamed
    }

    /// Reads a keyword such as `required`, or what stands between brackets.
    ///
    /// - Returns: Nil for what libpam does not understand; `include` and `substack` are no controls.
    public init?(parsing text: String) {
        switch text.lowercased() {
        case "required": self = .required
        case "requisite": self = .requisite
        case "sufficient": self = .sufficient
        case "optional": self = .optional
        default:
            guard text.hasPrefix("["), text.hasSuffix("]") else { return nil }
            self.init(pairs: text.dropFirst().dropLast())
        }
    }

    private init?(pairs: Substring) {
        var actions: [String: Action] = [:]
        var unnamed = Action.bad
        // Blanks may stand around each "=": between two of them are an action and the next name.
        let parts = pairs.split(separator: "=", omittingEmptySubsequences: false).map {
            $0.split(whereSeparator: \.isPAMSpace)
        }
        guard parts.count > 1, parts.first?.count == 1, parts.last?.count == 1,
            parts.dropFirst().dropLast().allSatisfy({ $0.count == 2 })
        else { return nil }
        for (left, right) in zip(parts, parts.dropFirst()) {
            guard let name = left.last.map(String.init), let word = right.first,
                let action = Self.action(named: word)
            else { return nil }
            if name == "default" {
                unnamed = action
            } else if Self.resultNames.contains(name) {
                actions[name] = action
            } else {
                return nil
            }
        }
        self.init(actions: actions, unnamed: unnamed)
    }

    private static func action(named name: Substring) -> Action? {
        switch name {
        case "ignore": return .ignore
        case "ok": return .ok
        case "done": return .done
        case "bad": return .bad
        case "die": return .die
        case "reset": return .reset
        default:
            guard let count = Int(name), (1...1000).contains(count) else { return nil }
            return .jump(count)
        }
    }

    /// The names of libpam's return values (pam.conf(5)).
    private static let resultNames: Set<String> = [
        "success", "open_err", "symbol_err", "service_err", "system_err", "buf_err",
        "perm_denied", "auth_err", "cred_insufficient", "authinfo_unavail", "user_unknown",
        "maxtries", "new_authtok_reqd", "acct_expired", "session_err", "cred_unavail",
        "cred_expired", "cred_err", "no_module_data", "conv_err", "authtok_err",
        "authtok_recover_err", "authtok_lock_busy", "authtok_disable_aging", "try_again",
        "ignore", "abort", "authtok_expired", "module_unknown", "bad_item", "conv_again",
        "incomplete",
    ]
}

/// What a module answers, as far as a simulation needs it; the names are those of pam.conf(5).
public enum ModuleResult: String, Sendable {
    case success
    case ignore
    case authError = "auth_err"
    case authenticationUnavailable = "authinfo_unavail"
    case userUnknown = "user_unknown"
    case sessionError = "session_err"
    case tokenError = "authtok_err"
    case moduleUnknown = "module_unknown"
}

extension Character {
    /// What separates the fields of a line for libpam.
    var isPAMSpace: Bool { self == " " || self == "\t" || self == "\n" || self == "\r\n" }
}
