internal import LinuxSystem
internal import SecureMemory

/// A device key as it stands in its file.
///
/// Plain: the 32 bytes of the key. Sealed: text, in lines that all end with a newline,
///
///     vestry device key 1, sealed
///     id ID            16 hexadecimal digits (`DeviceKey.id`)
///     made SECONDS     since 1970
///     with SEALING     host, tpm2 or host+tpm2
///     ...              the credential, as systemd-creds(1) prints it
///
/// The id tells which key it is although it may not open, and that what came out is the key.
enum DeviceKeyFile: ~Copyable {
    case plain(SecretBytes)
    case sealed(SealedDeviceKey)

    static let byteLimit = 8192

    /// Takes what a file holds apart; nil for what is no device key.
    init?(parsing bytes: consuming SecretBytes) {
        if bytes.count == DeviceKey.byteCount {
            self = .plain(bytes)
            return
        }
        guard bytes.count <= Self.byteLimit else { return nil }
        let text = bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        guard let sealed = SealedDeviceKey(parsing: text) else { return nil }
        self = .sealed(sealed)
    }
}

/// A device key that only systemd-creds(1) opens.
struct SealedDeviceKey: Equatable {
    let id: String
    let madeAt: Int64
    let sealing: DeviceKeySealing
    let credential: [UInt8]

    private static let firstLine = "vestry device key 1, sealed"
    /// 9999-12-31.
    private static let latestTime: Int64 = 253_402_300_799

    init(id: String, madeAt: Int64, sealing: DeviceKeySealing, credential: [UInt8]) {
        self.id = id
        self.madeAt = madeAt
        self.sealing = sealing
        self.credential = credential
    }

    /// Nil unless the bytes are exactly as ``contents`` writes them.
    init?(parsing bytes: [UInt8]) {
        let lines = bytes.split(
            separator: UInt8(ascii: "\n"), maxSplits: 4, omittingEmptySubsequences: false)
        guard lines.count == 5, let id = Self.value(of: "id", in: lines[1]),
            let made = Self.value(of: "made", in: lines[2]).flatMap(Int64.init),
            let sealing = Self.value(of: "with", in: lines[3]).flatMap(
                DeviceKeySealing.init(rawValue:)),
            DeviceKeyNote.isID(id), 0...Self.latestTime ~= made, Self.isCredential(lines[4])
        else { return nil }
        self.init(id: id, madeAt: made, sealing: sealing, credential: Array(lines[4]))
        guard contents == bytes else { return nil }
    }

    /// Whether these are lines of printable ASCII; what they say is systemd's own.
    private static func isCredential(_ text: ArraySlice<UInt8>) -> Bool {
        text.last == UInt8(ascii: "\n") && text.allSatisfy { 0x21...0x7E ~= $0 || $0 == 0x0A }
    }

    private static func value(of key: String, in line: ArraySlice<UInt8>) -> String? {
        guard line.starts(with: (key + " ").utf8) else { return nil }
        return String(validating: line.dropFirst(key.utf8.count + 1), as: UTF8.self)
    }

    var contents: [UInt8] {
        let header = "\(Self.firstLine)\nid \(id)\nmade \(madeAt)\nwith \(sealing.rawValue)\n"
        return Array(header.utf8) + credential
    }
}
