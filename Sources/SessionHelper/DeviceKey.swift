internal import Glibc
internal import KeyClasses
internal import LinuxSystem
internal import Sealing
internal import SecureMemory

/// This machine's key, which wraps the ThisDeviceOnly classes together with the password.
enum DeviceKey {
    static let directory = "/var/lib/vestry"
    static let name = "device.key"
    static let byteCount = 32

    /// Reads the device key as root and derives the part of one user.
    ///
    /// The user's process gets its own part only, so that no user can learn another's or the
    /// machine's.
    ///
    /// - Returns: 32 bytes, or nil when the file is missing or is not root's own with 32 bytes. It is
    ///   never made here: a new one in place of one that is only out of reach would shut the
    ///   ThisDeviceOnly items of every user.
    static func derive(for user: uid_t) -> SecretBytes? {
        guard let folder = try? FileDescriptor.openDirectory(path: directory),
            let file = try? folder.openPrivate(name, ownedBy: 0)
        else { return nil }
        let key = SecretBytes(
            capacity: byteCount + 1,
            filledBy: { bytes in
                unsafe bytes.withUnsafeMutableBytes {
                    unsafe read(file.rawValue, $0.baseAddress, $0.count)
                }
            })
        guard key.count == byteCount else { return nil }
        return key.keyedHashKey(of: Array("vestry device key".utf8) + littleEndian(user))
    }
}
