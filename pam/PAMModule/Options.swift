internal import CPAM

/// The arguments of the module's line in a PAM service file.
struct Options {
    /// How long a login may wait for the helper in all: `timeout=SECONDS`, 1 to 60.
    private(set) var timeoutSeconds: Int64 = 10
    /// More log lines, never a secret nor its length: `debug`.
    private(set) var debug = false
    /// A second session line, behind those that make or mount a home directory: `late`.
    private(set) var isLate = false
    /// How many arguments meant nothing here.
    private(set) var unknownCount = 0

    init(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
        guard let arguments = unsafe arguments else { return }
        var index = 0
        while index < Int(count) {
            if let argument = unsafe arguments[index] {
                unsafe read(argument)
            }
            index &+= 1
        }
    }

    private mutating func read(_ argument: UnsafePointer<CChar>) {
        let timeout: StaticString = "timeout="
        if unsafe strcmp(argument, "debug") == 0 {
            debug = true
        } else if unsafe strcmp(argument, "late") == 0 {
            isLate = true
        } else if unsafe strcmp(argument, "use_authtok") == 0 {
            // By habit on every password line; to ask nobody is what the module always does.
        } else if unsafe strncmp(argument, "timeout=", timeout.utf8CodeUnitCount) == 0,
            let seconds = unsafe number(argument + timeout.utf8CodeUnitCount)
        {
            timeoutSeconds = min(max(seconds, 1), 60)
        } else {
            unknownCount &+= 1
        }
    }

    /// Reads up to nine decimal digits, and nothing else.
    private func number(_ text: UnsafePointer<CChar>) -> Int64? {
        var value: Int64 = 0
        var index = 0
        while index < 9 {
            let digit = unsafe Int64(text[index]) &- 0x30
            guard digit >= 0, digit <= 9 else { break }
            value = value &* 10 &+ digit
            index &+= 1
        }
        return unsafe index > 0 && text[index] == 0 ? value : nil
    }
}
