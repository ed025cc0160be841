internal import KeyClasses
internal import Sealing
internal import SecureMemory

/// The beginning of a backup, in the clear.
///
/// Version 1; numbers are little-endian.
///
///     offset  size  field
///     0       8     "VSTRYBKP"
///     8       1     version, 1
///     9       1     what opens it: 1 a passphrase, 2 a recovery code
///     10      2     reserved, zero
///     12      4     Argon2id passes, 3 to 16
///     16      4     Argon2id memory in KiB, 65,536 to 1,048,576
///     20      16    Argon2id salt
///     36      24    start of the stream (`StreamSealer.header`)
///     60      16    check value: keyed BLAKE2b-128 of the 60 bytes before, under subkey 2
///     76      32    BLAKE2b-256 of the 76 bytes before
///     108           boxes of the stream, under subkey 1 (`BackupReader`)
///
/// The last field notices damage before the passphrase is tried, and the check value tells a wrong
/// passphrase from damage behind the header. Neither says more of the passphrase than the first box.
struct BackupHeader: Equatable {
    static let magic = Array("VSTRYBKP".utf8)
    static let version: UInt8 = 1
    static let byteCount = 108
    private static let checkedByteCount = 60
    private static let checkValueByteCount = 16

    let kind: BackupSecret.Kind
    let derivation: PasswordDerivation
    let streamHeader: [UInt8]
    let checkValue: [UInt8]

    /// The header of a new backup.
    init(
        _ kind: BackupSecret.Kind, _ derivation: PasswordDerivation, streamHeader: [UInt8],
        key: borrowing BackupKey
    ) {
        self.kind = kind
        self.derivation = derivation
        self.streamHeader = streamHeader
        checkValue = key.checkValue(
            of: Self.checkedBytes(kind, derivation, streamHeader), Self.checkValueByteCount)
    }

    var encoded: [UInt8] {
        let bytes = checkedBytes + checkValue
        return bytes + checksum(of: bytes.span)
    }

    private var checkedBytes: [UInt8] { Self.checkedBytes(kind, derivation, streamHeader) }

    private static func checkedBytes(
        _ kind: BackupSecret.Kind, _ derivation: PasswordDerivation, _ streamHeader: [UInt8]
    ) -> [UInt8] {
        magic + [version, kind.rawValue, 0, 0] + littleEndian(derivation.passes)
            + littleEndian(derivation.memoryKiB) + derivation.salt + streamHeader
    }

    /// Reads the first bytes of a file.
    ///
    /// - Throws: `VestryError` with the code `backupDamaged`, or `newerFormat` for a later version.
    init(parsing bytes: [UInt8]) throws(VestryError) {
        guard bytes.starts(with: Self.magic) else {
            throw VestryError(.backupDamaged, detail: "it does not begin as a backup of vestry")
        }
        guard bytes.count > 8 else { throw Self.damaged("it is cut off") }
        guard bytes[8] <= Self.version else {
            throw VestryError(.newerFormat, detail: "the backup has version \(bytes[8])")
        }
        guard bytes.count == Self.byteCount else { throw Self.damaged("it is cut off") }
        guard checksum(of: bytes.span.extracting(0..<76)) == Array(bytes[76...]) else {
            throw Self.damaged("its beginning fails its checksum")
        }
        func number(_ offset: Int) -> UInt32 {
            (0..<4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[offset + $1]) }
        }
        let (passes, memoryKiB) = (number(12), number(16))
        guard bytes[8] == Self.version, let kind = BackupSecret.Kind(rawValue: bytes[9]),
            bytes[10] == 0, bytes[11] == 0, PasswordDerivation.acceptedPasses.contains(passes),
            PasswordDerivation.acceptedMemoryKiB.contains(memoryKiB)
        else { throw Self.damaged("its beginning is malformed") }
        self.kind = kind
        derivation = PasswordDerivation(
            passes: passes, memoryKiB: memoryKiB, salt: Array(bytes[20..<36]))
        streamHeader = Array(bytes[36..<60])
        checkValue = Array(bytes[60..<76])
    }

    /// The key, if the secret is the backup's.
    ///
    /// - Throws: `VestryError` with the code `wrongPassword`.
    func key(from secret: borrowing BackupSecret) throws(VestryError) -> BackupKey {
        guard secret.kind == kind else { throw wrongSecret }
        let key = BackupKey(try secret.key(by: derivation))
        guard key.checkValue(of: checkedBytes, Self.checkValueByteCount) == checkValue else {
            throw wrongSecret
        }
        return key
    }

    private var wrongSecret: VestryError {
        switch kind {
        case .passphrase:
            VestryError(.wrongPassword, detail: "it is not the passphrase of the backup")
        case .recoveryCode:
            VestryError(.wrongPassword, detail: "it is not the recovery code of the backup")
        }
    }

    static func damaged(_ reason: String) -> VestryError {
        VestryError(.backupDamaged, detail: reason)
    }
}

/// The key of one backup.
struct BackupKey: ~Copyable, Sendable {
    private let key: SecretBytes

    /// Takes ownership of 32 bytes.
    init(_ key: consuming SecretBytes) { self.key = key }

    func streamKey() -> SecretBytes { key.subkey(1, context: "vestryBK") }

    func checkValue(of bytes: [UInt8], _ count: Int) -> [UInt8] {
        key.subkey(2, context: "vestryBK").keyedHash(of: bytes, count: count)
    }
}
