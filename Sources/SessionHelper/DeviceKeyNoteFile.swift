internal import Glibc
internal import LinuxSystem

/// The file with root's note of which device keys one user needs.
///
/// Opened, and made, as root; written to as the user, who cannot open it, when the keybag has been read.
/// Nothing else could write it: as root nothing of the user's is read, and root cannot be had back.
final class DeviceKeyNoteFile {
    private let file: FileDescriptor
    let noted: DeviceKeyNote

    /// Opens the file in the folder of the notes; nil where there can be none.
    init?(of user: uid_t, in notes: borrowing FileDescriptor) {
        let file = try? FileDescriptor(
            opening: "\(user)", in: notes.rawValue, flags: O_RDWR | O_CREAT | O_NOFOLLOW,
            mode: 0o600)
        guard let file else { return nil }
        let bytes = (try? file.readAll(limit: DeviceKeyNote.byteLimit)) ?? nil
        noted = DeviceKeyNote(parsing: bytes ?? [])
        self.file = file
    }

    /// Writes the note where it says something else than before.
    func write(_ note: DeviceKeyNote) {
        guard note != noted else { return }
        let contents = note.contents
        // One write of less than a block; what is left of a longer note says more, and not less.
        let count = unsafe pwrite(file.rawValue, contents, contents.count, 0)
        guard count == contents.count, ftruncate(file.rawValue, off_t(count)) == 0 else { return }
        try? file.synchronize()
    }
}
