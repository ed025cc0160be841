internal import Glibc
internal import LinuxSystem
internal import Vestry

/// Whether the kernel keeps keys for users, and has room for them.
enum KernelChecks {
    static func run(_ patient: Patient) -> [Check] {
        [release(), keyrings()] + quotas(patient)
    }

    /// From Linux 5.3 on the user keyring outlives the user's last process (keyrings(7)).
    private static let oldestRelease = (5, 3)

    private static func release() -> Check {
        var name = utsname()
        _ = unsafe uname(&name)
        let text = unsafe withUnsafePointer(to: &name.release) {
            unsafe $0.withMemoryRebound(to: CChar.self, capacity: 65) {
                unsafe String(cString: $0)
            }
        }
        let numbers = text.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        guard numbers.count == 2, (numbers[0], numbers[1]) < oldestRelease else {
            return .ok(.kernel, "kernel", "Linux \(text)")
        }
        return .problem(
            .kernel, "kernel-too-old",
            "Linux \(text) forgets keys with the last process of their user",
            fix: "use 5.3 or later",
            status: .unavailable)
    }

    private static func keyrings() -> Check {
        do throws(VestryError) {
            // Not the list itself: root parses no names that users have given to their keys.
            try KernelKeyList.tryKeyrings()
            guard FileFacts.exists("/proc/keys") else {
                return .note(
                    .kernel, "keys-not-listed",
                    "there is no /proc/keys: which keys exist is not seen",
                    fix: "mount proc")
            }
            return .ok(.kernel, "keyrings", "can be used")
        } catch {
            let failure = Failure(error)
            return .problem(
                .kernel, "keyrings-unusable", failure.message,
                fix:
                    "in a container, let add_key, keyctl and request_key through its system call filter;"
                    + " elsewhere, use a kernel with CONFIG_KEYS",
                status: failure.status)
        }
    }

    /// From here on there is a warning.
    private static let warningPercent = 70
    /// A class key takes about a hundred bytes of the quota.
    private static let leastByteCount = 200

    private static func quotas(_ patient: Patient) -> [Check] {
        guard let account = patient.account else {
            let crowded = KeyQuota.all().filter { $0.quota.usedPercent > warningPercent }
            guard !crowded.isEmpty else {
                return [.ok(.kernel, "keyring-quota", "nobody has used most of theirs")]
            }
            return crowded.map { check($0.quota, of: $0.user, about: "user \($0.user)") }
        }
        guard let quota = KeyQuota.current(of: account.user) else {
            return [.ok(.kernel, "keyring-quota", "this user has no keys")]
        }
        return [check(quota, of: account.user, about: nil)]
    }

    private static func check(_ quota: KeyQuota, of user: uid_t, about subject: String?) -> Check {
        let used =
            "\(quota.keys) of \(quota.keyLimit) keys and \(quota.bytes) of \(quota.byteLimit) bytes"
            + " are used"
        let root = user == 0 ? "root_" : ""
        let fix =
            "'keyctl show @u' lists the user's; 'sudo sysctl kernel.keys.\(root)maxkeys="
            + "\(quota.keyLimit * 2) kernel.keys.\(root)maxbytes=\(quota.byteLimit * 2)' makes room, and"
            + " the same in /etc/sysctl.d keeps it"
        if quota.keys >= quota.keyLimit || quota.bytes + leastByteCount > quota.byteLimit {
            return .problem(
                .kernel, "keyring-quota-used-up", "\(used): no key finds room", about: subject,
                fix: fix, status: .unavailable)
        }
        if quota.usedPercent > warningPercent {
            return .warning(.kernel, "keyring-quota-low", used, about: subject, fix: fix)
        }
        return .ok(.kernel, "keyring-quota", used, about: subject)
    }
}
