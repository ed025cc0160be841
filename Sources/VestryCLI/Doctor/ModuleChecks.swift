internal import Glibc
internal import LinuxSystem

/// Whether the PAM module is there, root's own, and such as libpam can load.
struct ModuleChecks {
    let checks: [Check]
    /// Where libpam has its modules; nil where that is not known.
    let folder: String?
    let isLoaded: Bool

    private static let name = "pam_vestry.so"
    private static let install = "install the package libpam-vestry, or reinstall it"

    static func run() -> ModuleChecks {
        guard let folder = moduleFolder() else {
            let check = Check.problem(
                .pam, "pam-missing", "libpam's modules are in none of the usual folders",
                fix: "install the package libpam-modules", status: .unavailable)
            return ModuleChecks(checks: [check], folder: nil, isLoaded: false)
        }
        let check = check("\(folder)/\(name)")
        return ModuleChecks(checks: [check], folder: folder, isLoaded: check.result == .ok)
    }

    private static func check(_ path: String) -> Check {
        guard let facts = try? FileFacts(path) else {
            return .problem(
                .pam, "pam-module-missing", "there is no \(path): no login opens a keychain",
                fix: install, status: .unavailable)
        }
        if let fault = facts.faultOfProgram(path) {
            return .problem(
                .pam, "pam-module-unsafe", fault,
                fix: "\(install), and find out who has changed it", status: .denied)
        }
        // As libpam does it. What it loads is root's own, as was just seen.
        guard let handle = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "unknown"
            return .problem(
                .pam, "pam-module-broken", "\(path) does not load: \(reason)", fix: install,
                status: .unavailable)
        }
        defer { _ = unsafe dlclose(handle) }
        for entryPoint in ["pam_sm_authenticate", "pam_sm_open_session", "pam_sm_chauthtok"]
        where unsafe dlsym(handle, entryPoint) == nil {
            return .problem(
                .pam, "pam-module-broken", "\(path) has no \(entryPoint)", fix: install,
                status: .unavailable)
        }
        return .ok(.pam, "pam-module", "\(path) can be loaded")
    }

    /// The folder that holds the modules of libpam itself.
    ///
    /// libpam has its name compiled in; distributions differ.
    private static func moduleFolder() -> String? {
        var folders = [
            "/usr/lib64/security", "/usr/lib/security", "/lib64/security", "/lib/security",
        ]
        for parent in ["/usr/lib", "/lib"] {
            guard let names = try? FileDescriptor.openDirectory(path: parent).entryNames() else {
                continue
            }
            // Debian's: one for each architecture, such as x86_64-linux-gnu.
            folders += names.filter { $0.contains("-linux-") }.sorted().map {
                "\(parent)/\($0)/security"
            }
        }
        return folders.first { FileFacts.exists("\($0)/pam_permit.so") }
    }
}
