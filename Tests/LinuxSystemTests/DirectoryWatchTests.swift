import Glibc
import Testing

@testable import LinuxSystem

@Suite struct DirectoryWatchTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    struct NotWatched: Error {}

    func watch(_ path: String) throws -> DirectoryWatch {
        guard let watch = DirectoryWatch(path: path) else { throw NotWatched() }
        return watch
    }

    @Test func namesWhatWasWritten() throws {
        let watch = try self.watch(folder.path)
        let before = watch.takeChanges()
        #expect(before == DirectoryWatch.Changes())
        try folder.write("2001", "")
        try folder.write("a name of some more bytes", "x")
        let changes = watch.wait(atMost: .seconds(10))
        #expect(changes.names == ["2001", "a name of some more bytes"])
        #expect(changes.mayConcern("2001"))
        #expect(!changes.mayConcern("2002"))
        let after = watch.wait(atMost: .milliseconds(1))
        #expect(after == DirectoryWatch.Changes())
    }

    @Test func tellsThatTheDirectoryIsGone() throws {
        let watch = try self.watch(folder.path)
        let away = folder.path + ".away"
        #expect(rename(folder.path, away) == 0)
        let changes = watch.wait(atMost: .seconds(10))
        #expect(changes.isOver)
        #expect(mkdir(folder.path, 0o700) == 0)
        let again = try self.watch(folder.path)
        #expect(rmdir(folder.path) == 0)
        let more = again.wait(atMost: .seconds(10))
        #expect(more.isOver)
        #expect(throws: NotWatched.self) { _ = try self.watch(folder.path) }
        #expect(rename(away, folder.path) == 0)
    }

    @Test func watchesNothingButDirectories() throws {
        try folder.write("file", "")
        #expect(throws: NotWatched.self) { _ = try watch(folder.path + "/file") }
    }

    /// The kernel's own words for "too many": a watch of -1 and no name.
    @Test func whatTheKernelLostMayBeAnything() {
        var changes = DirectoryWatch.Changes()
        let overflow: [UInt8] = [255, 255, 255, 255, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        DirectoryWatch.add(overflow[...], to: &changes)
        #expect(changes.isIncomplete)
        #expect(changes.mayConcern("2001"))
    }

    @Test(arguments: 0..<32)
    func aTruncatedEventIsNoTrap(count: Int) {
        let event: [UInt8] =
            [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0] + Array("2001".utf8)
            + [UInt8](repeating: 0, count: 12)
        var changes = DirectoryWatch.Changes()
        DirectoryWatch.add(event.prefix(count), to: &changes)
        #expect(!changes.isIncomplete && !changes.isOver)
    }
}
