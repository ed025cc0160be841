import Glibc
import LinuxSystem
import Testing

@Suite struct FileLockTests {
    @Test func aLockExcludesOthersUntilItsDescriptorCloses() throws {
        let folder = try TemporaryFolder()
        try folder.write("lock", "")
        func open() throws -> FileDescriptor {
            try FileDescriptor(opening: folder.path + "/lock", in: AT_FDCWD, flags: O_WRONLY)
        }
        let second = try open()
        do {
            let first = try open()
            #expect(try first.tryLock())
            #expect(try !second.tryLock())
        }
        // Another test may fork in between: its child has the descriptor until it runs its program.
        let isFree = try Deadline(after: .seconds(10)).retry {
            try second.tryLock() ? true : nil
        }
        #expect(isFree == true)
        second.unlock()
        #expect(try open().tryLock())
    }

    @Test func rangesAreLockedApart() throws {
        let folder = try TemporaryFolder()
        try folder.write("lock", "")
        let path = folder.path + "/lock"
        let first = try FileDescriptor(opening: path, in: AT_FDCWD, flags: O_WRONLY)
        let second = try FileDescriptor(opening: path, in: AT_FDCWD, flags: O_WRONLY)
        #expect(try first.tryLock(from: 0, count: 2))
        #expect(try !second.tryLock(from: 1, count: 2))
        #expect(try second.tryLock(from: 2, count: 2))
    }

    @Test func retryingEndsWithTheDeadline() {
        var attempts = 0
        let result = Deadline(after: .milliseconds(20)).retry { () -> Int? in
            attempts += 1
            return nil
        }
        #expect(result == nil)
        #expect(attempts > 1)
    }

    @Test func retryingEndsWithAValue() {
        var attempts = 0
        let result = Deadline(after: .seconds(60)).retry { () -> Int? in
            attempts += 1
            return attempts == 3 ? attempts : nil
        }
        #expect(result == 3)
    }
}
