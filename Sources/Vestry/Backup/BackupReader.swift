internal import KeyClasses
internal import Sealing
internal import SecureMemory

/// Reads a backup, item by item, from its beginning.
///
/// Behind the header, the file is boxes of a stream (`StreamSealer`): each with 65,536 bytes of
/// plaintext, but for the last, which has 1 to 65,536 and says that it is the last. The plaintext is
/// `BackupStart`, any number of `BackupItem`, and `BackupEnd`; nothing follows. So a file that was cut
/// off anywhere is noticed, as is one with a box too many.
final class BackupReader {
    let start: BackupStart
    /// What stands at the end; nil until it was reached.
    private(set) var end: BackupEnd?

    private let source: Source
    private var itemCount = 0

    init(_ backup: borrowing Backup) throws(VestryError) {
        source = try Source(backup)
        let bytes = try source.take(BackupStart.byteCount, of: backup)
        guard let start = BackupStart(parsing: Self.copy(bytes)) else {
            throw BackupHeader.damaged("its start is malformed")
        }
        self.start = start
    }

    /// The next item.
    ///
    /// - Parameter backup: That of the initializer.
    /// - Returns: Nil behind the last item, when the file has proved to be whole.
    /// - Throws: `VestryError`.
    func next(of backup: borrowing Backup) throws(VestryError) -> BackupItem? {
        guard end == nil else { return nil }
        let mark = try source.take(1, of: backup).withBytes { $0[0] }
        switch mark {
        case BackupItem.mark:
            itemCount += 1
            let start = try BackupItem.Start(
                parsing: source.take(BackupItem.fixedByteCount, of: backup))
            let metadata = try source.take(start.metadataByteCount, of: backup)
            let secret = try source.take(start.secretByteCount, of: backup)
            return try BackupItem(start, metadata: metadata, secret: secret)
        case BackupEnd.mark:
            let bytes = try source.take(BackupEnd.byteCount, of: backup)
            guard let end = BackupEnd(parsing: Self.copy(bytes)), end.itemCount == itemCount,
                source.isAtEnd
            else { throw BackupHeader.damaged("its end is malformed") }
            self.end = end
            return nil
        default:
            throw BackupHeader.damaged("an item is malformed")
        }
    }

    private static func copy(_ bytes: borrowing SecretBytes) -> [UInt8] {
        bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// The plaintext of the boxes.
    private final class Source {
        private let opener: StreamOpener
        private var chunk = SecretBytes(count: 0, filledBy: { _ in })
        /// Within the chunk.
        private var offset = 0
        /// Within the boxes.
        private var position = 0
        private var isLast = false

        init(_ backup: borrowing Backup) throws(VestryError) { opener = try backup.opener() }

        /// Whether everything was taken.
        var isAtEnd: Bool { isLast && offset == chunk.count }

        func take(_ count: Int, of backup: borrowing Backup) throws(VestryError) -> SecretBytes {
            try SecretBytes(
                count: count,
                filledBy: { (bytes) throws(VestryError) in
                    var filled = 0
                    while filled < count {
                        if offset == chunk.count { try readChunk(of: backup) }
                        let part = min(count - filled, chunk.count - offset)
                        chunk.copy(offset..<offset + part, into: &bytes, at: filled)
                        offset += part
                        filled += part
                    }
                })
        }

        private func readChunk(of backup: borrowing Backup) throws(VestryError) {
            let full = BackupWriter.chunkByteCount + streamBoxOverhead
            let rest = backup.byteCount - position
            guard !isLast, rest > streamBoxOverhead else {
                throw BackupHeader.damaged("it is cut off")
            }
            let box = try backup.bytes(at: position, count: min(full, rest))
            let opened: StreamOpener.Opened
            do throws(SealingError) {
                opened = try opener.open(box)
            } catch {
                throw BackupHeader.damaged("it was changed, or is cut off")
            }
            guard opened.isLast == (rest <= full) else {
                throw BackupHeader.damaged("it is cut off, or something follows it")
            }
            isLast = opened.isLast
            position += box.count
            offset = 0
            chunk = opened.takePlaintext()
        }
    }
}
