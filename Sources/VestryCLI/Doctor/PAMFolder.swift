internal import Glibc
internal import LinuxSystem
internal import PAMStacks

/// The service files of this machine, where libpam looks for them.
struct PAMFolder {
    /// The administrator's come before those of packages.
    static let folders = ["/etc/pam.d", "/usr/lib/pam.d"]

    /// The names of all services, in order.
    let services: [String]
    /// Files that this user may not read.
    let hidden: [String]
    /// Whether any file has a line of the module.
    let namesModule: Bool
    let files = ServiceFiles(read: PAMFolder.read)

    init() {
        var names: Set<String> = []
        for folder in Self.folders {
            guard let folder = try? FileDescriptor.openDirectory(path: folder),
                let entries = try? folder.entryNames()
            else { continue }
            names.formUnion(entries.filter(Self.isServiceFile))
        }
        var hidden: [String] = []
        var namesModule = false
        for name in names {
            guard let text = Self.read(name)?.text else {
                hidden.append(name)
                continue
            }
            namesModule = namesModule || text.contains("pam_vestry.so")
        }
        self.namesModule = namesModule
        self.hidden = hidden.sorted()
        services = names.subtracting(hidden).filter(Self.isService).sorted()
    }

    /// More than any service file has.
    private static let byteLimit = 1 << 20

    @Sendable private static func read(_ name: String) -> ServiceFiles.Found? {
        let paths = name.hasPrefix("/") ? [name] : folders.map { "\($0)/\(name)" }
        for path in paths {
            guard
                let file = try? FileDescriptor(
                    opening: path, in: AT_FDCWD, flags: O_RDONLY | O_NONBLOCK),
                let bytes = try? file.readAll(limit: byteLimit)
            else { continue }
            return .init(path: path, text: String(decoding: bytes, as: UTF8.self))
        }
        return nil
    }

    /// Not what editors and package managers leave beside a file.
    private static func isServiceFile(_ name: String) -> Bool {
        let endings = ["~", ".bak", ".orig", ".old", ".save", ".rpmnew", ".rpmsave", ".pam-old"]
        return !name.hasPrefix(".") && !endings.contains(where: name.hasSuffix)
            && !name.contains(".dpkg-") && !name.contains(".ucf-") && name != "README"
    }

    /// Not what services include.
    private static func isService(_ name: String) -> Bool {
        let included: Set<String> = [
            "system-auth", "system-auth-ac", "password-auth", "password-auth-ac", "postlogin",
            "postlogin-ac", "system-login", "system-local-login", "system-remote-login",
            "system-services", "smartcard-auth", "fingerprint-auth", "config-util",
        ]
        return !name.hasPrefix("common-") && !included.contains(name)
    }
}
