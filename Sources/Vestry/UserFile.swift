internal import Glibc
internal import LinuxSystem

/// A file of settings that the user writes.
enum UserFile {
    /// Far more than anybody writes there.
    static let byteLimit = 65_536

    /// Reads a file below the home directory of the account's record; no variable of the environment
    /// moves it.
    ///
    /// - Parameters:
    ///   - path: Relative to the home directory.
    ///   - account: Whose it is.
    /// - Returns: Its text; nil when there is none.
    /// - Throws: `VestryError`, with the code `denied` for a file that others can write to.
    static func read(_ path: String, of account: Account) throws(VestryError) -> String? {
        // The user reads a file of theirs: links are followed, as for any file of settings.
        do throws(SystemCallError) {
            // A pipe must not be waited for.
            let file = try FileDescriptor(
                opening: account.homeDirectory + "/" + path, in: AT_FDCWD,
                flags: O_RDONLY | O_NONBLOCK)
            let status = try file.status()
            guard status.st_mode & S_IFMT == S_IFREG, [account.user, 0].contains(status.st_uid),
                status.st_mode & (S_IWGRP | S_IWOTH) == 0
            else {
                throw SystemCallError("open", errno: EPERM)
            }
            guard let bytes = try file.readAll(limit: byteLimit) else {
                throw SystemCallError("read", errno: EFBIG)
            }
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            if error.errno == ENOENT || error.errno == ENOTDIR { return nil }
            if error.errno == EPERM {
                throw VestryError(
                    .denied, detail: "~/\(path) is no file that this user alone can write to")
            }
            throw VestryError(error.publicError.code, detail: "~/\(path), \(error)")
        }
    }
}

extension VestryError {
    /// Whether a file of settings that the user writes is not as it may be.
    package var isOfUserFile: Bool { detail.hasPrefix("~/.config/") }
}
