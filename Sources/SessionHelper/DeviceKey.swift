internal import KeyClasses
internal import LinuxSystem
internal import Sealing
internal import SecureMemory

/// One of this machine's keys, which wrap the ThisDeviceOnly classes together with the password.
struct DeviceKey: ~Copyable {
    static let byteCount = 32

    let key: SecretBytes
    let madeAt: Int64
    /// Nil for a key that stands in its file as it is.
    let sealing: DeviceKeySealing?

    /// Takes 32 bytes; nil for another size.
    init?(_ key: consuming SecretBytes, madeAt: Int64, sealing: DeviceKeySealing?) {
        guard key.count == Self.byteCount else { return nil }
        self.key = key
        self.madeAt = madeAt
        self.sealing = sealing
    }

    static func random(at time: Int64, sealing: DeviceKeySealing?) -> DeviceKey? {
        DeviceKey(SecretBytes.random(count: byteCount), madeAt: time, sealing: sealing)
    }

    /// Tells one key from another, and says nothing about it: 16 hexadecimal digits of a keyed hash.
    var id: String {
        key.keyedHash(of: Array("vestry device key id".utf8), count: 16).prefix(8).map {
            ($0 < 16 ? "0" : "") + String($0, radix: 16)
        }.joined()
    }

    /// The part of one user.
    ///
    /// The user's process gets its own part only, so that no user can learn another's or the
    /// machine's.
    ///
    /// - Returns: 32 bytes.
    func part(of user: UInt32) -> SecretBytes {
        key.keyedHashKey(of: Array("vestry device key".utf8) + littleEndian(user))
    }
}

/// What systemd-creds(1) seals a device key with.
enum DeviceKeySealing: String, CaseIterable {
    /// A key in a file of root's, made by systemd: against a copy of `/var/lib/vestry` alone.
    case host
    /// This machine's TPM: against a copy of the whole disk.
    case tpm2
    case both = "host+tpm2"
}

/// Why there is no device key at hand.
enum DeviceKeyFault: Error, Equatable {
    case missing
    /// Its owner, mode or type lets somebody else in; the text says what.
    case unsafe(String)
    case damaged(String)
    /// Sealed, and it does not open; the text says why.
    case shut(String)
    case unreadable(SystemCallError)

    /// The cause, for people.
    var text: String {
        switch self {
        case .missing: "there is none"
        case .unsafe(let reason): reason
        case .damaged(let reason): "it is damaged: \(reason)"
        case .shut(let reason): "it is sealed and does not open: \(reason)"
        case .unreadable(let error): "it cannot be read: \(error)"
        }
    }

    init(_ error: PrivateFileError) {
        switch error {
        case .wrongType: self = .unsafe("it is not a regular file")
        case .wrongOwner(let owner): self = .unsafe("it belongs to user \(owner), and not to root")
        case .tooPermissive(let mode):
            self = .unsafe("its mode is 0\(String(mode, radix: 8)), and not 0600")
        case .tooLarge(let limit): self = .damaged("it has more than \(limit) bytes")
        case .system(let error): self = error.errno == 2 ? .missing : .unreadable(error)
        }
    }
}
