import Glibc
import LinuxSystem
import Testing

@Suite struct FileIdentityTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("file", "contents")
    }

    func identity() throws -> FileIdentity {
        try folder.descriptor.checkPrivate("file", ownedBy: geteuid())
    }

    @Test func stayTheSameByReading() throws {
        let before = try identity()
        let read = try folder.descriptor.readPrivate("file", ownedBy: geteuid(), limit: 100)
        #expect(try identity() == before)
        #expect(read?.identity == before)
    }

    /// Each with the same size, and all but the first with the old time of the last change.
    @Test(arguments: [
        "printf CONTENTS >$F", "cp -p $F $F.new && printf CONTENTS >$F && touch -r $F.new $F",
        "cp -p $F $F.new && mv $F.new $F",
    ])
    func tellsAChange(_ command: String) throws {
        let before = try identity()
        // Longer than a tick of the clock that stamps files.
        usleep(20_000)
        #expect(unsafe system("F='\(folder.path)/file'; \(command)") == 0)
        let after = try identity()
        #expect(after != before)
        #expect(after.isSameFile(as: before) == !command.contains("mv"))
    }
}
