import Glibc
import TestSupport
import Testing

@testable import LinuxSystem

@Suite struct PendingFileTests {
    let home: TemporaryHome
    var folder: String { home.path }

    init() throws { home = try TemporaryHome() }

    func names() throws -> [String] {
        try FileDescriptor.openDirectory(path: folder).entryNames().sorted()
    }

    func write(_ text: String, to path: String, isReplacing: Bool = false) throws -> Bool {
        let file = try PendingFile(path: path)
        try file.write(Array(text.utf8))
        return try file.place(isReplacing: isReplacing)
    }

    func text(_ path: String) throws -> String {
        let file = try SeekableFile(path: path)
        return String(decoding: try file.read(at: 0, count: file.byteCount), as: UTF8.self)
    }

    @Test func appearsAsAWholeAndReplacesNothingUnasked() throws {
        let path = folder + "/file"
        let file = try PendingFile(path: path)
        try file.write([0x61])
        #expect(!PendingFile.isTaken(path: path))
        #expect(try file.place(isReplacing: false))
        #expect(PendingFile.isTaken(path: path))
        #expect(try !write("b", to: path))
        #expect(try text(path) == "a")
        #expect(try write("c", to: path, isReplacing: true))
        #expect(try text(path) == "c")
        #expect(try names() == ["file"])
        let mode = try SeekableFileMode(path).mode
        #expect(mode & 0o777 == 0o600)
    }

    @Test func leavesNothingUnlessItIsPlaced() throws {
        _ = try PendingFile(path: folder + "/file")
        #expect(try names() == [])
    }

    @Test func aLinkIsReplacedAndNotFollowed() throws {
        let path = folder + "/link"
        #expect(unsafe symlink("/nonexistent/target", path) == 0)
        #expect(PendingFile.isTaken(path: path))
        #expect(try !write("a", to: path))
        #expect(try write("a", to: path, isReplacing: true))
        #expect(try text(path) == "a")
    }

    @Test(arguments: ["", ".", "..", "/", "a/"])
    func refusesAPathThatNamesNoFile(_ path: String) {
        #expect(throws: SystemCallError("openat", errno: EISDIR)) { try PendingFile(path: path) }
    }

    @Test func readsFromAnyPlaceAndNoSpecialFile() throws {
        let path = folder + "/file"
        #expect(try write("abcdef", to: path))
        let file = try SeekableFile(path: path)
        #expect(try file.read(at: 2, count: 2) == Array("cd".utf8))
        #expect(try file.read(at: 4, count: 9) == Array("ef".utf8))
        #expect(try file.read(at: 9, count: 9) == [])
        for special in [folder, "/dev/null"] {
            #expect(throws: SystemCallError("open", errno: EINVAL)) {
                _ = try SeekableFile(path: special)
            }
        }
    }
}

private struct SeekableFileMode {
    let mode: mode_t

    init(_ path: String) throws {
        mode = try FileDescriptor(opening: path, in: AT_FDCWD, flags: O_RDONLY).status().st_mode
    }
}
