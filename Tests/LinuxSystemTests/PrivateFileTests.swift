import Glibc
import LinuxSystem
import Testing

/// A folder below the system's temporary one that goes when the test ends.
final class TemporaryFolder {
    let path: String
    let descriptor: FileDescriptor

    init() throws {
        let path = try Self.make()
        self.descriptor = try FileDescriptor.openDirectory(path: path)
        self.path = path
    }

    private static func make() throws -> String {
        var template = Array("/tmp/vestry-test-XXXXXX".utf8CString)
        let made = unsafe mkdtemp(&template)
        guard unsafe made != nil else { throw SystemCallError("mkdtemp", errno: errno) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { _ = unsafe system("rm -rf '\(path)'") }

    func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws {
        let file = try FileDescriptor(
            opening: name, in: descriptor.rawValue, flags: O_WRONLY | O_CREAT | O_TRUNC,
            mode: mode)
        try file.write(Array(text.utf8))
        _ = fchmod(file.rawValue, mode)
    }

    func read(_ name: String) throws -> String? {
        try descriptor.readPrivate(name, ownedBy: geteuid(), limit: 1 << 20)
            .map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    func names() -> [String] {
        var names: [String] = []
        guard let stream = unsafe opendir(path) else { return [] }
        defer { _ = unsafe closedir(stream) }
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}

@Suite struct PrivateFileTests {
    @Test func readsAPrivateFile() throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "contents")
        #expect(try folder.read("file") == "contents")
    }

    @Test func anAbsentFileIsNoError() throws {
        let folder = try TemporaryFolder()
        #expect(try folder.read("absent") == nil)
    }

    enum Planted: String, CaseIterable {
        case symbolicLink = "ln -s /etc/passwd file"
        case danglingLink = "ln -s /nowhere file"
        case fifo = "mkfifo -m 600 file"
        case directory = "mkdir -m 700 file"
        case socket = """
            perl -MSocket -e 'socket(S,PF_UNIX,SOCK_STREAM,0); bind(S,sockaddr_un("file")) or die'
            """
    }

    /// Each of these could stop or divert a login that opened it naively.
    @Test(arguments: Planted.allCases) func refuses(_ planted: Planted) throws {
        let folder = try TemporaryFolder()
        let made = unsafe system("cd '\(folder.path)' && \(planted.rawValue)")
        try #require(made == 0)
        #expect(throws: PrivateFileError.wrongType) {
            try folder.descriptor.openPrivate("file", ownedBy: geteuid()).rawValue
        }
        #expect(throws: PrivateFileError.wrongType) {
            try folder.descriptor.checkPrivate("file", ownedBy: geteuid())
        }
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o601, 0o666, 0o777] as [mode_t])
    func refusesAFileThatOthersMayTouch(mode: mode_t) throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "contents", mode: mode)
        #expect(throws: PrivateFileError.tooPermissive(mode: mode)) { try folder.read("file") }
    }

    @Test func refusesAnotherOwnersFile() throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "contents")
        #expect(throws: PrivateFileError.wrongOwner(actual: geteuid())) {
            try folder.descriptor.openPrivate("file", ownedBy: geteuid() + 1).rawValue
        }
    }

    @Test(arguments: [(0, true), (9, true), (10, true), (11, false), (70_000, false)])
    func readsUpToTheLimit(byteCount: Int, fits: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.write("file", String(repeating: "x", count: byteCount))
        let result = Result {
            try folder.descriptor.readPrivate("file", ownedBy: geteuid(), limit: 10)?.bytes.count
        }
        if fits {
            #expect(try result.get() == byteCount)
        } else {
            #expect(throws: PrivateFileError.tooLarge(limit: 10)) { try result.get() }
        }
    }

    @Test func replacingKeepsThePreviousFile() throws {
        let folder = try TemporaryFolder()
        for contents in ["first", "second", "third"] {
            try folder.descriptor.replaceFile(
                "file", with: Array(contents.utf8), keepingPreviousAs: "file.previous")
        }
        #expect(try folder.read("file") == "third")
        #expect(try folder.read("file.previous") == "second")
        #expect(folder.names() == ["file", "file.previous"])
    }

    /// Here the name for the previous file is taken by a folder.
    @Test func aFailedReplacementChangesNothing() throws {
        let folder = try TemporaryFolder()
        try folder.descriptor.replaceFile(
            "file", with: Array("first".utf8), keepingPreviousAs: "file.previous")
        _ = unsafe system("mkdir -m 000 '\(folder.path)/file.previous'")
        #expect(throws: SystemCallError.self) {
            try folder.descriptor.replaceFile(
                "file", with: Array("second".utf8), keepingPreviousAs: "file.previous")
        }
        #expect(try folder.read("file") == "first")
        #expect(folder.names() == ["file", "file.previous"])
    }
}
