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

    @Test func theFirstFreePlacesAreTakenAndGivenBack() throws {
        let folder = try TemporaryFolder()
        try folder.write("lock", "")
        let path = folder.path + "/lock"
        let first = try FileDescriptor(opening: path, in: AT_FDCWD, flags: O_WRONLY)
        let second = try FileDescriptor(opening: path, in: AT_FDCWD, flags: O_WRONLY)
        #expect(try first.tryLock(from: 1, count: 1))
        #expect(try !second.tryLock(count: 2, anywhereIn: 0..<3))
        #expect(try second.tryLock(count: 1, anywhereIn: 1..<3))
        #expect(try !first.tryLock(from: 2, count: 1), "the place after the one taken")
        #expect(try !second.tryLock(count: 4, anywhereIn: 3..<6), "more than there are")
        first.unlock(from: 0, count: 1)
        #expect(try !second.tryLock(from: 1, count: 1), "another byte was given back")
        first.unlock(from: 1, count: 1)
        #expect(try second.tryLock(count: 3, anywhereIn: 0..<3))
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
