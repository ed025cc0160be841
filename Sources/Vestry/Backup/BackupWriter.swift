internal import KeyClasses
internal import LinuxSystem
internal import Sealing
internal import SecureMemory

/// Writes a backup, item by item: the boxes behind the header.
final class BackupWriter {
    /// The plaintext of each box but the last, which has at least one byte and at most so many: the
    /// sizes of single items cannot be seen.
    static let chunkByteCount = 65_536

    private let file: PendingFile
    private let sealer: StreamSealer
    /// Less than a chunk.
    private var pending = SecretBytes(count: 0, filledBy: { _ in })

    /// Writes the header, and the beginning of the stream.
    ///
    /// - Parameters:
    ///   - file: Empty; it is placed by the caller.
    ///   - kind: Of the secret that the key is from.
    ///   - derivation: How the key was derived.
    ///   - key: The key.
    ///   - start: When the backup is made, and of which store.
    /// - Throws: `VestryError`.
    init(
        _ file: PendingFile, _ kind: BackupSecret.Kind, _ derivation: PasswordDerivation,
        _ key: borrowing BackupKey, _ start: BackupStart
    ) throws(VestryError) {
        self.file = file
        sealer = StreamSealer(key: key.streamKey())
        let header = BackupHeader(kind, derivation, streamHeader: sealer.header, key: key)
        try write(header.encoded)
        try append(SecretBytes(copying: start.encoded.span))
    }

    /// Adds plaintext.
    func append(_ bytes: borrowing SecretBytes) throws(VestryError) {
        var offset = 0
        // A full chunk waits for the next byte: the last box is never empty.
        while pending.count + bytes.count - offset > Self.chunkByteCount {
            let chunk = joined(bytes, offset, count: Self.chunkByteCount)
            offset += Self.chunkByteCount - pending.count
            pending = SecretBytes(count: 0, filledBy: { _ in })
            try write(sealer.seal(chunk, isLast: false))
        }
        pending = joined(bytes, offset, count: pending.count + bytes.count - offset)
    }

    /// Ends the stream; the file is whole then.
    func finish(_ end: BackupEnd) throws(VestryError) {
        try append(SecretBytes(copying: end.encoded.span))
        try write(sealer.seal(pending, isLast: true))
    }

    /// What waits, and bytes from an offset, to a number of bytes in all.
    private func joined(
        _ bytes: borrowing SecretBytes, _ offset: Int, count: Int
    ) -> SecretBytes {
        SecretBytes(
            count: count,
            filledBy: { joined in
                pending.copy(0..<pending.count, into: &joined, at: 0)
                bytes.copy(
                    offset..<offset + count - pending.count, into: &joined, at: pending.count)
            })
    }

    private func write(_ bytes: [UInt8]) throws(VestryError) {
        do throws(SystemCallError) {
            try file.write(bytes)
        } catch {
            throw .ofBackupFile(error)
        }
    }
}

extension VestryError {
    /// What a failure with the file of a backup means.
    static func ofBackupFile(_ error: SystemCallError) -> VestryError {
        VestryError(error.publicError.code, detail: "\(backupFile)\(error)")
    }

    private static let backupFile = "the backup, "

    /// Whether a file that somebody has named for a backup cannot be opened, read or written.
    package var isOfBackupFile: Bool { detail.hasPrefix(Self.backupFile) }
}
