internal import CPAM

/// What sshd says about how the user got in: SSH_AUTH_INFO_0 in the PAM environment.
///
/// One line for each method that succeeded: its name, perhaps "/" and a submethod, perhaps " " and
/// a public key (sshd_config(5), ExposeAuthInfo; auth2.c, auth2_update_session_info). sshd alone
/// tries several methods with one handle, so there a token may be at hand that failed while
/// something else succeeded; it must neither open nor, worse, make a store.
@safe
struct SSHMethods {
    static var variable: StaticString { "SSH_AUTH_INFO_0" }

    private let lines: UnsafePointer<CChar>

    /// Nil in every other host.
    init?(_ conversation: Conversation) {
        guard let lines = unsafe conversation.variable(SSHMethods.variable) else { return nil }
        unsafe self.lines = unsafe lines
    }

    /// Tokens of this process.
    var includesPassword: Bool { includes("password") }

    /// Tokens of a child.
    var includesKeyboardInteractive: Bool { includes("keyboard-interactive") }

    private func includes(_ method: StaticString) -> Bool {
        guard let method = unsafe cString(method) else { return false }
        let length = unsafe strlen(method)
        var line: UnsafePointer<CChar>? = unsafe lines
        while let start = unsafe line {
            if unsafe strncmp(start, method, length) == 0 {
                switch unsafe start[length] {
                case 0x00, 0x0A, 0x20, 0x2F: return true
                default: break
                }
            }
            guard let end = unsafe strchr(start, 0x0A) else { return false }
            unsafe line = UnsafePointer(end) + 1
        }
        return false
    }
}
